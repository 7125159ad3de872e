// Pattern p: a spin lock whose acquire and release are plain atomics, without fences.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *lock, int *count) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  *count += 1; // want: data-race
  atomicExch(lock, 0u);
}

__global__ void fixed(unsigned *lock, int *count) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0u, 1u) != 0)
    ;
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0u);
}
