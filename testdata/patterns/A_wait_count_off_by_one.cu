// Pattern A: two groups are in flight, and the wait lets one of them stay there: the second.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int a[64], b[64];
  int t = threadIdx.x;
  cp_async_ca<4>(&a[t], &in[t]);
  cp_async_commit();
  cp_async_ca<4>(&b[t], &in[64 + t]); // want: data-race
  cp_async_commit();
  cp_async_wait<1>();
  __syncthreads();
  out[t] = a[63 - t];
  out[t] += b[63 - t]; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int a[64], b[64];
  int t = threadIdx.x;
  cp_async_ca<4>(&a[t], &in[t]);
  cp_async_commit();
  cp_async_ca<4>(&b[t], &in[64 + t]);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  out[t] = a[63 - t];
  out[t] += b[63 - t];
}
