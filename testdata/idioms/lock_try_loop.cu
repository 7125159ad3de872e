// The form of a lock that also works in lockstep: the critical section is inside the loop.
#include "../include/gpusim.cuh"

__global__ void lock_try_loop(unsigned *lock, int *count) {
  bool done = false;
  while (!done) {
    if (atom_cas_acquire_gpu(lock, 0, 1) == 0) {
      *count += 2;
      atom_exch_release_gpu(lock, 0);
      done = true;
    }
  }
}
