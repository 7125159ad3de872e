// Pattern i: a shuffle whose mask names the whole warp, in a branch that only half of it takes. The
// other half lives on and waits at a shuffle of its own with another mask.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16)
    v = __shfl_sync(0xffffffffu, v, 3); // want: deadlock
  v += __shfl_down_sync(0xffffffffu, v, 1); // want: deadlock
  out[t] = v;
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  int third = __shfl_sync(0xffffffffu, v, 3);
  if (t < 16)
    v = third;
  v += __shfl_down_sync(0xffffffffu, v, 1);
  out[t] = v;
}
