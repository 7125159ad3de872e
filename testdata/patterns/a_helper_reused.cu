// Pattern a: a block-wide helper keeps its partial sums in shared memory; a second call overwrites
// them while slow threads still read the result of the first.
#include "../include/gpusim.cuh"

__device__ __forceinline__ int block_sum(int v, bool guarded) {
  __shared__ int warps[2];
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, d);
  if (guarded)
    __syncthreads();
  if ((threadIdx.x & 31) == 0)
    warps[threadIdx.x >> 5] = v; // want: data-race
  __syncthreads();
  return warps[0] + warps[1]; // want: data-race
}

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  int first = block_sum(in[t], false);
  int second = block_sum(in[t] * in[t], false);
  out[t] = second - first;
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  int first = block_sum(in[t], true);
  int second = block_sum(in[t] * in[t], true);
  out[t] = second - first;
}
