// One thread spins on a flag with relaxed loads; behind the barrier all threads read the flag plainly.
// The write that was observed is ordered before what follows: it alone, so only the flag is read.
#include "../include/gpusim.cuh"

__global__ void flag_read_by_all(unsigned *flag, int *out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0)
      st_relaxed_gpu(flag, 17);
    return;
  }
  if (threadIdx.x == 0)
    while (ld_relaxed_gpu(flag) == 0)
      ;
  __syncthreads();
  out[threadIdx.x] = (int)*flag;
}
