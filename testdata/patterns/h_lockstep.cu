// Pattern h: lanes read what their neighbours wrote one instruction before, as if a warp ran in
// lockstep.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t] * 2; // want: data-race
  out[t] = s[t ^ 1]; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t] * 2;
  __syncwarp();
  out[t] = s[t ^ 1];
}
