// A spin lock around a list in global memory.
#include "../../testdata/include/gpusim.cuh"

// BUG: the atomics that take and release the lock are relaxed. Without fences they order nothing but
// themselves.
__global__ void append(unsigned *lock, int *length, int *list) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  int n = *length; // want: data-race
  list[n] = n + 1;
  *length = n + 1; // want: data-race
  atomicExch(lock, 0u);
}

__global__ void append_fixed(unsigned *lock, int *length, int *list) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  __threadfence();
  int n = *length;
  list[n] = n + 1;
  *length = n + 1;
  __threadfence();
  atomicExch(lock, 0u);
}
