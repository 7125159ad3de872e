// A thread returns without freeing what it has allocated.
#include "../include/gpusim.cuh"

extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  volatile int *p = (volatile int *)malloc(sizeof(int)); // want: leak warning
  *p = in[t];
  out[t] = *p;
  if (t % 2 == 0) return;
  free((void *)p);
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  volatile int *p = (volatile int *)malloc(sizeof(int));
  *p = in[t];
  out[t] = *p;
  free((void *)p);
}
