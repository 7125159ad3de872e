// Pattern i: __syncwarp of the whole warp by half of it; the others wait for the first half's shuffle.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16)
    __syncwarp(); // want: deadlock
  else
    v = __shfl_sync(0xffffffffu, v, 0); // want: deadlock
  out[t] = v;
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16)
    __syncwarp(0x0000ffffu);
  else
    v = __shfl_sync(0xffff0000u, v, 16);
  out[t] = v;
}
