// Pattern k: the fence stands before the last store, which it therefore does not publish.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence();
    data[1] = 2; // want: data-race
    st_relaxed_gpu(flag, 1);
  } else {
    while (ld_relaxed_gpu(flag) == 0)
      ;
    __threadfence();
    out[0] = data[0];
    out[1] = data[1]; // want: data-race
  }
}

__global__ void fixed(unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    data[1] = 2;
    __threadfence();
    st_relaxed_gpu(flag, 1);
  } else {
    while (ld_relaxed_gpu(flag) == 0)
      ;
    __threadfence();
    out[0] = data[0];
    out[1] = data[1];
  }
}
