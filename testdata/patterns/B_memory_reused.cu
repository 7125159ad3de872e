// Pattern B: the memory of a live barrier is used for something else.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64); // want: barrier-misuse
  __syncthreads();
  mbar_wait(&bar, mbar_arrive(&bar));
  __syncthreads();
  if (t == 0) *(volatile int *)&bar = in[0]; // want: barrier-misuse
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  __syncthreads();
  mbar_wait(&bar, mbar_arrive(&bar));
  __syncthreads();
  if (t == 0) {
    mbar_inval(&bar);
    *(volatile int *)&bar = in[0];
  }
  out[t] = in[t];
}
