// All threads store and fence, one thread raises the flag behind a block barrier. With fence.sc
// (__threadfence) this publishes the stores of all threads; with fence.acq_rel it does so only on the
// machines that we know, not by the letter: a warning.
#include "../include/gpusim.cuh"

__global__ void racy(int *data, unsigned *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 6; // want: data-race warning
    fence_acq_rel_gpu();
    __syncthreads();
    if (t == 0)
      st_relaxed_gpu(flag, 1);
  } else {
    if (t == 0)
      while (ld_relaxed_gpu(flag) == 0)
        ;
    __syncthreads();
    fence_acq_rel_gpu();
    out[t] = data[t]; // want: data-race warning
  }
}

__global__ void fixed(int *data, unsigned *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 6;
    __threadfence();
    __syncthreads();
    if (t == 0)
      st_relaxed_gpu(flag, 1);
  } else {
    if (t == 0)
      while (ld_relaxed_gpu(flag) == 0)
        ;
    __syncthreads();
    __threadfence();
    out[t] = data[t];
  }
}
