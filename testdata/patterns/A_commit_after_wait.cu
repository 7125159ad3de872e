// Pattern A: the copies are committed only after the wait, which therefore does not cover them.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  cp_async_ca<4>(&s[t], &in[t]); // want: data-race
  cp_async_wait<0>();
  cp_async_commit();
  __syncthreads();
  out[t] = s[63 - t]; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  cp_async_ca<4>(&s[t], &in[t]);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  out[t] = s[63 - t];
}
