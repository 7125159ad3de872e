// All threads store and fence (fence.sc), a barrier, thread 0 raises the flag relaxed; on the other
// side thread 0 polls, a barrier, all threads fence and load.
#include "../include/gpusim.cuh"

__global__ void fences_in_all_threads(int *data, unsigned *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 3 * t;
    __threadfence();
    __syncthreads();
    if (t == 0)
      atomicExch(flag, 1u);
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0u) == 0)
        ;
    __syncthreads();
    __threadfence();
    out[t] = data[63 - t] + 3 * t;
  }
}
