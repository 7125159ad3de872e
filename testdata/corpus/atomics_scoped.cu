// arch: sm_70 flags:
// Atomics with every order and scope, and reductions with order and scope.
#include "../include/gpusim.cuh"

#define ALL(ORDER)                                   \
  sum += atom_add_##ORDER##_cta(&block[0], 1);       \
  sum += atom_add_##ORDER##_gpu(&word[0], 1);        \
  sum += atom_add_##ORDER##_sys(&word[1], 2);        \
  sum += atom_exch_##ORDER##_gpu(&mine[0], t);       \
  sum += atom_cas_##ORDER##_cta(&mine[0], t, 3);     \
  sum += atom_cas_##ORDER##_sys(&mine[0], 3, t + 1);

__global__ void atomics_scoped(unsigned *word, unsigned *own, unsigned *blocks, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *block = &blocks[blockIdx.x], *mine = &own[t];
  unsigned sum = 0;
  ALL(relaxed)
  ALL(acquire)
  ALL(release)
  ALL(acq_rel)
  red_add_relaxed_cta(block, 10);
  red_add_relaxed_gpu(&word[2], 1);
  red_add_release_gpu(&word[2], 1);
  red_add_release_sys(&word[2], 1);
  out[t] = mine[0] + (sum == 0);
}

__global__ void block_and_system(int *word, int *blocks) {
  atomicAdd_block(&blocks[blockIdx.x], (int)threadIdx.x);
  atomicAdd_system(&word[0], 1);
}
