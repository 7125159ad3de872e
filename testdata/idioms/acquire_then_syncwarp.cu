// One lane acquires, __syncwarp hands it on to the others.
#include "../include/gpusim.cuh"

__global__ void acquire_then_syncwarp(int *data, unsigned *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 21;
    __syncwarp();
    if (t == 31)
      st_release_gpu(flag, 1);
  } else {
    if (t == 0)
      while (ld_acquire_gpu(flag) == 0)
        ;
    __syncwarp();
    out[t] = data[31 - t];
  }
}
