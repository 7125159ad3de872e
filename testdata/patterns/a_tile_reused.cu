// Pattern a: a shared tile is refilled in the next iteration while other threads still read it. The
// second barrier of the loop is missing.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * 64 + t]; // want: data-race
    __syncthreads();
    sum += tile[63 - t]; // want: data-race
  }
  out[t] = sum;
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * 64 + t];
    __syncthreads();
    sum += tile[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
