// All threads store the same value into one cell, unordered: a warning, since every order gives the
// same result.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *found) {
  if (in[threadIdx.x] > 3)
    *found = 1; // want: data-race warning
}

__global__ void fixed(const int *in, int *found) {
  if (in[threadIdx.x] > 3)
    atomicExch(found, 1);
}
