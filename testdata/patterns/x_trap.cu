// A thread executes trap.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  if (in[t] == 20)
    __trap(); // want: trap
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  if (in[t] == 20)
    out[t] = 0;
  else
    out[t] = in[t] * 0;
}
