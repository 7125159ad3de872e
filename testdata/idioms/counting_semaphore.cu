// A counting semaphore that lets two blocks at a time into a section that only uses atomics.
#include "../include/gpusim.cuh"

__global__ void counting_semaphore(unsigned *places, unsigned *inside, unsigned *most, unsigned *visits) {
  if (threadIdx.x != 0)
    return;
  for (;;) {
    unsigned free = ld_relaxed_gpu(places);
    if (free > 0 && atom_cas_acquire_gpu(places, free, free - 1) == free)
      break;
  }
  unsigned now = atomicAdd(inside, 1u) + 1;
  atomicMax(most, now);
  atomicAdd(visits, 1u);
  atomicSub(inside, 1u);
  atom_add_release_gpu(places, 1);
}
