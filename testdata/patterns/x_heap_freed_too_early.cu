// A thread frees the memory that its block shares, before all have read it.
#include "../include/gpusim.cuh"

extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);

__global__ void racy(const int *in, int *out) {
  __shared__ int *p;
  int t = threadIdx.x;
  if (t == 0) p = (int *)malloc(64 * sizeof(int));
  __syncthreads();
  p[t] = in[t];
  __syncthreads();
  if (t == 0) free(p);
  __syncthreads();
  out[t] = p[63 - t]; // want: use-after-free
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int *p;
  int t = threadIdx.x;
  if (t == 0) p = (int *)malloc(64 * sizeof(int));
  __syncthreads();
  p[t] = in[t];
  __syncthreads();
  out[t] = p[63 - t];
  __syncthreads();
  if (t == 0) free(p);
}
