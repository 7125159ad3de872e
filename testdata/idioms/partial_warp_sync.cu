// Halves of a warp synchronise among themselves only.
#include "../include/gpusim.cuh"

__global__ void partial_warp_sync(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
  int v = in[t];
  for (int d = 8; d > 0; d >>= 1) {
    s[t] = v;
    __syncwarp(mask);
    v += s[t ^ d];
    __syncwarp(mask);
  }
  out[t] = v;
}
