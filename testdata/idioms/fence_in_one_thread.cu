// The barrier gathers the block's stores, thread 0 alone fences (cumulativity), raises the flag; the
// other side in mirror image.
#include "../include/gpusim.cuh"

__global__ void fence_in_one_thread(int *data, unsigned *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 3 * t;
    __syncthreads();
    if (t == 0) {
      fence_acq_rel_gpu();
      atomicExch(flag, 1u);
    }
  } else {
    if (t == 0) {
      while (atomicAdd(flag, 0u) == 0)
        ;
      fence_acq_rel_gpu();
    }
    __syncthreads();
    out[t] = data[63 - t] + 3 * t;
  }
}
