// seeds: any
// Pattern p: the writer releases the lock without a fence; the reader takes it with one. It shows only
// when the writer comes first.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *lock, int *value, int *out) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  __threadfence();
  if (blockIdx.x == 0) {
    *value = 5; // want: data-race
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
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  __threadfence();
  if (blockIdx.x == 0)
    *value = 5;
  else
    *out = *value;
  __threadfence();
  atomicExch(lock, 0u);
}
