// Pattern o: block 0 passes one grid barrier more than the others.
#include "../include/gpusim.cuh"

// The k-th barrier is complete when all blocks have arrived k times.
GPUSIM_FN void arrive(unsigned *arrived) {
  __threadfence();
  atomicAdd(arrived, 1u);
}

__global__ void racy(unsigned *arrived, int *out) {
  if (threadIdx.x != 0)
    return;
  unsigned rounds = blockIdx.x == 0 ? 4 : 3;
  for (unsigned k = 1; k <= rounds; ++k) {
    out[blockIdx.x] = (int)k;
    arrive(arrived);
    while (ld_acquire_gpu(arrived) < k * gridDim.x) // want: livelock
      ;
  }
}

__global__ void fixed(unsigned *arrived, int *out) {
  if (threadIdx.x != 0)
    return;
  for (unsigned k = 1; k <= 4; ++k) {
    out[blockIdx.x] = (int)k;
    arrive(arrived);
    while (ld_acquire_gpu(arrived) < k * gridDim.x)
      ;
  }
}
