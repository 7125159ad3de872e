// Pattern d: __syncthreads in both arms of a branch that divides a warp: two different barrier
// instructions, which the lanes of one warp must not wait at together.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t & 1) {
    s[t] = in[t] * 2;
    __syncthreads(); // want: barrier-divergence
    out[t] = s[t ^ 33];
  } else {
    s[t] = in[t] * 3;
    __syncthreads(); // want: barrier-divergence
    out[t] = s[t ^ 35] + 1;
  }
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t & 1)
    s[t] = in[t] * 2;
  else
    s[t] = in[t] * 3;
  __syncthreads();
  if (t & 1)
    out[t] = s[t ^ 33];
  else
    out[t] = s[t ^ 35] + 1;
}
