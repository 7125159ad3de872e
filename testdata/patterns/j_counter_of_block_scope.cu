// Pattern j: a counter of the whole grid bumped by atomics of block scope.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *count) {
  atomicAdd_block(count, 1u); // want: data-race
}

__global__ void fixed(unsigned *count) {
  atomicAdd(count, 1u);
}
