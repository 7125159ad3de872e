// Pattern A: every thread waits for its own copies, then reads what another thread copied.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  cp_async_ca<4>(&s[t], &in[t]); // want: data-race
  cp_async_commit();
  cp_async_wait<0>();
  out[t] = s[63 - t]; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  cp_async_ca<4>(&s[t], &in[t]);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  out[t] = s[63 - t];
}
