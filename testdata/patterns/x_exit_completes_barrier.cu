// A barrier with an explicit count that can only complete because the missing warp has exited: it is
// released, with a warning.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  if (t >= 32)
    return;
  bar_sync(1, 64); // want: barrier-misuse warning
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  if (t >= 32)
    return;
  bar_sync(1, 32);
  out[t] = in[t];
}
