// A store into constant memory through a pointer from which the qualifier was cast away.
#include "../include/gpusim.cuh"

__constant__ int limits[4] = {1, 2, 3, 4};
__device__ int scratch[4] = {1, 2, 3, 4};

__device__ __noinline__ void store(int *p, int v) {
  *p = v; // want: read-only-write
}

__global__ void racy(int *out) {
  if (threadIdx.x == 0)
    store((int *)&limits[1], 7);
  out[threadIdx.x] = 7;
}

__global__ void fixed(int *out) {
  if (threadIdx.x == 0)
    store(&scratch[1], 7);
  out[threadIdx.x] = 7;
}
