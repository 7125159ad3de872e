// Pattern q: the two halo cells of the tile are never written.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int tile[66];
  int t = threadIdx.x;
  tile[t + 1] = in[t];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + tile[t + 2]; // want: uninitialized-read
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int tile[66];
  int t = threadIdx.x;
  tile[t + 1] = in[t];
  if (t == 0)
    tile[0] = in[0];
  if (t == 63)
    tile[65] = in[63];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}
