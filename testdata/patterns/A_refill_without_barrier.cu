// Pattern A: the next tile is copied into the buffer while other threads still read the last one.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    cp_async_ca<4>(&s[t], &in[64 * k + t]); // want: data-race
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    sum += s[63 - t]; // want: data-race
  }
  out[t] = sum;
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    cp_async_ca<4>(&s[t], &in[64 * k + t]);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
