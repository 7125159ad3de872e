// Pattern s: the bounds check of the last block lets one element too many through.
#include "../include/gpusim.cuh"

__global__ void racy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = in[i < n ? i : 0] * 2; // want: out-of-bounds
}

__global__ void fixed(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}
