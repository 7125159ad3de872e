// red.release counts arrivals, one acquire load sees them all.
#include "../include/gpusim.cuh"

__global__ void reduction_releases(int *parts, unsigned *count, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x != 0)
    return;
  if (b < 4) {
    parts[b] = b + 1;
    red_add_release_gpu(count, 1);
  } else {
    while (ld_acquire_gpu(count) != 4)
      ;
    *out = parts[0] + parts[1] + parts[2] + parts[3];
  }
}
