// A plain read of a cell that other blocks change by atomics.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *count, unsigned *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0)
    atomicAdd(count, 1u); // want: data-race
  else
    out[0] = *count <= 1; // want: data-race
}

__global__ void fixed(unsigned *count, unsigned *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0)
    atomicAdd(count, 1u);
  else
    out[0] = ld_relaxed_gpu(count) <= 1;
}
