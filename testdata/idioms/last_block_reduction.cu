// The block that finishes last adds up the partial sums of all: __threadfence in every thread between
// the partial result and the counter, and again before the last block reads.
#include "../include/gpusim.cuh"

__global__ void last_block_reduction(const int *in, int *partial, unsigned *done, int *out) {
  __shared__ int s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 2)
    partial[blockIdx.x * 2 + t] = t == 0 ? s[0] : -1;
  __threadfence();
  __syncthreads();
  if (t == 0)
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    int sum = 0;
    for (int b = t; b < 2 * (int)gridDim.x; b += 64)
      sum += partial[b];
    atomicAdd(out, sum);
  }
}
