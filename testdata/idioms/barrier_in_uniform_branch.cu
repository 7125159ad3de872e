// Barriers inside branches and loops whose condition is the same for the whole block.
#include "../include/gpusim.cuh"

__device__ __noinline__ int exchange(int *s, int v) {
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  return s[threadIdx.x ^ 33];
}

__global__ void barrier_in_uniform_branch(const int *in, int *out, int n) {
  __shared__ int s[64];
  int v = in[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    if (k % 3 == (int)blockIdx.x % 3)
      continue;
    v += exchange(s, v);
    if (blockIdx.x == 1 && k == 4)
      break;
  }
  if (blockIdx.x & 1)
    v = exchange(s, v);
  out[blockIdx.x * 64 + threadIdx.x] = v;
}
