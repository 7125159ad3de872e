// An assertion fails in one thread.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  assert(in[t] < 40); // want: assert
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  assert(in[t] < 400);
  out[t] = in[t];
}
