// kind: wrong-result
// Pattern m: the counter of finished blocks is right in the first launch and is not reset for the
// second, in which no block finds itself last.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *done, int *out) {
  if (threadIdx.x != 0)
    return;
  if (atomicAdd(done, 1u) == gridDim.x - 1)
    *out += 10;
}

__global__ void fixed(unsigned *done, int *out) {
  if (threadIdx.x != 0)
    return;
  if (atomicAdd(done, 1u) == gridDim.x - 1) {
    *out += 10;
    atomicExch(done, 0u);
  }
}
