// A branch on a local variable that is set on one path only.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *scratch, int *out) {
  int t = threadIdx.x;
  if (in[t] > 40)
    scratch[t] = 1;
  out[t] = scratch[t] == 1 ? 5 : 6; // want: uninitialized-read
}

__global__ void fixed(const int *in, int *scratch, int *out) {
  int t = threadIdx.x;
  scratch[t] = in[t] > 40;
  out[t] = scratch[t] == 1 ? 5 : 6;
}
