// Two blocks raise their flag, fence, and look at the other's: with fence.sc at most one of them sees
// nothing and enters.
#include "../include/gpusim.cuh"

__global__ void store_buffering(unsigned *flags, int *shared_cell, unsigned *entered) {
  if (threadIdx.x != 0)
    return;
  unsigned me = blockIdx.x;
  st_relaxed_gpu(&flags[me], 1);
  fence_sc_gpu();
  if (ld_relaxed_gpu(&flags[1 - me]) == 0) {
    *shared_cell = (int)me + 1;
    atomicAdd(entered, 1u);
  }
}

__global__ void check(const unsigned *entered, int *ok) { *ok = *entered <= 1; }
