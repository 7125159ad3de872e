// kind: out-of-bounds
// Recursion without an end.
#include "../include/gpusim.cuh"

__device__ __noinline__ int depth(const int *in, int k) {
  int mine[16];
  for (int j = 0; j < 16; ++j)
    mine[j] = in[j] + k;
  if (in[k & 15] == 0)
    return mine[k & 15];
  return depth(in, k + 1) + mine[(k + 1) & 15];
}

__global__ void racy(const int *in, int *out) {
  out[threadIdx.x] = depth(in, 0);
}

__global__ void fixed(const int *in, int *out) {
  out[threadIdx.x] = depth(in + 16, 0);
}
