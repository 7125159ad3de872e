// A cooperative grid barrier: each block's thread 0 fences, arrives, spins and fences again; the block
// barriers around it hand the order on to the other threads.
#include "../include/gpusim.cuh"

__device__ __forceinline__ void grid_sync(unsigned *arrived, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned *)arrived < target)
      ;
    __threadfence();
  }
  __syncthreads();
}

__global__ void grid_barrier(int *a, int *b, unsigned *arrived, int rounds) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    b[i] = a[(i + 40) % n] + 1;
    grid_sync(arrived, (2 * r + 1) * gridDim.x);
    a[i] = b[(i + 90) % n] + 1;
    grid_sync(arrived, (2 * r + 2) * gridDim.x);
  }
}
