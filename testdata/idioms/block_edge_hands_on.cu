// A release and acquire of block scope hand on what the releasing thread knows of other blocks.
#include "../include/gpusim.cuh"

__global__ void block_edge_hands_on(int *data, unsigned *flag, int *out) {
  __shared__ unsigned local;
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t == 0) {
      *data = 31;
      st_release_gpu(flag, 1);
    }
    return;
  }
  if (t == 0)
    local = 0;
  __syncthreads();
  if (t == 0) {
    while (ld_acquire_gpu(flag) == 0)
      ;
    st_release_cta(&local, 1);
  } else if (t == 32) {
    while (ld_acquire_cta(&local) == 0)
      ;
    *out = *data;
  }
}
