// Pattern B: the barrier expects more arrivals than there are threads that arrive.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 65);
  __syncthreads();
  s[t] = in[t];
  ull state = mbar_arrive(&bar);
  mbar_wait(&bar, state); // want: deadlock
  out[t] = s[63 - t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  __syncthreads();
  s[t] = in[t];
  ull state = mbar_arrive(&bar);
  mbar_wait(&bar, state);
  out[t] = s[63 - t];
}
