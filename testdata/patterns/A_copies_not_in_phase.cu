// Pattern A: the phase completes without the asynchronous copies of those who arrive.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  s[t] = 0;
  __syncthreads();
  cp_async_ca<4>(&s[t], &in[t]); // want: data-race
  mbar_wait(&bar, mbar_arrive(&bar));
  out[t] = s[63 - t]; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull bar;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  s[t] = 0;
  __syncthreads();
  cp_async_ca<4>(&s[t], &in[t]);
  mbar_copies(&bar);
  mbar_wait(&bar, mbar_arrive(&bar));
  out[t] = s[63 - t];
}
