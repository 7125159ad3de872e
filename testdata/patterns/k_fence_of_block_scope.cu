// Pattern k: the fences are there, but of block scope, and the flag goes to another block.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 7; // want: data-race
    __threadfence_block();
    st_relaxed_gpu(flag, 1);
  } else {
    while (ld_relaxed_gpu(flag) == 0)
      ;
    __threadfence_block();
    *out = *data; // want: data-race
  }
}

__global__ void fixed(unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence();
    st_relaxed_gpu(flag, 1);
  } else {
    while (ld_relaxed_gpu(flag) == 0)
      ;
    __threadfence();
    *out = *data;
  }
}
