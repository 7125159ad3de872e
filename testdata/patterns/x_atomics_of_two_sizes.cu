// Atomics of 32 and 64 bits on the same bytes are not morally strong.
#include "../include/gpusim.cuh"

__global__ void racy(ull *word) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0)
    atomicAdd(word, 1ull); // want: data-race
  else
    atomicAdd((unsigned *)word, 1u); // want: data-race
}

__global__ void fixed(ull *word) {
  if (threadIdx.x == 0)
    atomicAdd(word, 1ull);
}
