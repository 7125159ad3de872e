// Pattern e: a named barrier for three warps that only two ever reach.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  bar_sync(1, 96); // want: deadlock, barrier-misuse
  out[t] = s[63 - t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  bar_sync(1, 64);
  out[t] = s[63 - t];
}
