// Atomics of device and of system scope on one word, and of block scope within one block: each scope
// holds the other thread.
#include "../include/gpusim.cuh"

__global__ void scopes_cover(unsigned *word, unsigned *per_block) {
  if (threadIdx.x & 1) {
    atom_add_relaxed_sys(word, 1);
    atom_add_relaxed_cta(&per_block[blockIdx.x], 1);
  } else {
    atom_add_relaxed_gpu(word, 1);
    atom_add_relaxed_gpu(&per_block[blockIdx.x], 1);
  }
}
