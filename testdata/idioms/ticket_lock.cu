// A ticket lock: take a number, wait until it is served, fence on both sides of the critical section.
#include "../include/gpusim.cuh"

__global__ void ticket_lock(unsigned *next, unsigned *serving, int *count, int *log) {
  if (threadIdx.x % 32 != 0)
    return;
  unsigned mine = atomicAdd(next, 1u);
  while (ld_relaxed_gpu(serving) != mine)
    ;
  __threadfence();
  int c = *count;
  log[c] = c * 2;
  *count = c + 1;
  __threadfence();
  atomicAdd(serving, 1u);
}
