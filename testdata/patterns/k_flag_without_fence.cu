// Pattern k: data handed to another block by a relaxed flag, with no fence on either side.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *flag, int *data, int *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 42; // want: data-race
    __syncthreads();
    if (threadIdx.x == 0)
      st_relaxed_gpu(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (ld_relaxed_gpu(flag) == 0)
        ;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x]; // want: data-race
  }
}

__global__ void fixed(unsigned *flag, int *data, int *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 42;
    __syncthreads();
    if (threadIdx.x == 0)
      st_release_gpu(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (ld_acquire_gpu(flag) == 0)
        ;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
