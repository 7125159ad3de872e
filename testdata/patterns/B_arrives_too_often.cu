// Pattern B: each thread arrives twice in a row, so that phases complete unseen.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  __syncthreads();
  mbar_arrive(&bar);
  __syncthreads();
  mbar_arrive(&bar); // want: barrier-misuse
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  __syncthreads();
  ull state = mbar_arrive(&bar);
  mbar_wait(&bar, state);
  mbar_arrive(&bar);
  out[t] = in[t];
}
