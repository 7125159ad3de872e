// All lanes of two warps fight for one lock. On hardware in lockstep this hangs; lanes that are
// scheduled independently all get through.
#include "../include/gpusim.cuh"

__global__ void lanes_share_lock(unsigned *lock, int *count) {
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0u);
}
