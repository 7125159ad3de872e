// Pattern t: a static shared array of 48 elements in a block of 64 threads; its neighbour hides the
// overflow on real hardware.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[48];
  int t = threadIdx.x;
  s[t] = in[t]; // want: out-of-bounds
  __syncthreads();
  out[t] = s[(t + 1) & 31];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[(t + 1) & 31];
}
