// One piece of shared memory used first as floats, then as integers of another width, with a barrier in
// between.
#include "../include/gpusim.cuh"

__global__ void storage_reused(const float *in, int *out) {
  __shared__ union {
    float reals[64];
    short shorts[128];
    int ints[64];
  } u;
  int t = threadIdx.x;
  u.reals[t] = in[t];
  __syncthreads();
  float r = u.reals[63 - t];
  __syncthreads();
  u.shorts[t] = (short)r;
  u.shorts[64 + t] = 1;
  __syncthreads();
  int sum = u.shorts[127 - t] + u.shorts[(t + 5) & 63];
  __syncthreads();
  u.ints[t] = sum;
  __syncthreads();
  out[t] = u.ints[t ^ 33];
}
