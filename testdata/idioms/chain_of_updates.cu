// A release is observed through a chain of relaxed read-modify-writes of other blocks.
#include "../include/gpusim.cuh"

__global__ void chain_of_updates(int *data, unsigned *flag, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 12;
    atom_add_release_gpu(flag, 1);
  } else if (blockIdx.x < 3) {
    while (ld_relaxed_gpu(flag) < blockIdx.x)
      ;
    atomicAdd(flag, 1u);
  } else {
    while (ld_acquire_gpu(flag) != 3)
      ;
    *out = *data;
  }
}
