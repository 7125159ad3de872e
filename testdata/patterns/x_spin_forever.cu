// A block spins on a flag that nobody sets: the flag's owner sets another one.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *flags, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    st_release_gpu(&flags[1], 1);
  } else {
    while (ld_acquire_gpu(&flags[0]) == 0) // want: livelock
      ;
    out[0] = 1;
  }
}

__global__ void fixed(unsigned *flags, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    st_release_gpu(&flags[0], 1);
  } else {
    while (ld_acquire_gpu(&flags[0]) == 0)
      ;
    out[0] = 1;
  }
}
