// Blocks that follow each other in one slot of a multiprocessor use the same shared memory: that is
// another variable each time.
#include "../include/gpusim.cuh"

__global__ void shared_reused_by_blocks(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = blockIdx.x * 64 + t;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t] + t - blockIdx.x * 64;
}
