// seeds: any
// Pattern p: the reader takes the lock without a fence; the writer does everything right. It shows only
// when the writer comes first.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *lock, int *value, int *out) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  if (blockIdx.x == 0) {
    __threadfence();
    *value = 5; // want: data-race
    __threadfence();
    atomicExch(lock, 0u);
  } else {
    *out = *value; // want: data-race
    __threadfence();
    atomicExch(lock, 0u);
  }
}

__global__ void fixed(unsigned *lock, int *value, int *out) {
  if (threadIdx.x != 0)
    return;
  while (atom_cas_acquire_gpu(lock, 0, 1) != 0)
    ;
  if (blockIdx.x == 0)
    *value = 5;
  else
    *out = *value;
  atom_exch_release_gpu(lock, 0);
}
