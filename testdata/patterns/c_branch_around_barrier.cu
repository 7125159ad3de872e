// Pattern c: a barrier in a branch that some lanes of the warp skip; they go on to the next one.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  if (t < n) {
    s[t] = in[t];
    __syncthreads(); // want: barrier-divergence
    s[t] += in[n - 1 - t];
  }
  __syncthreads(); // want: barrier-divergence
  out[t] = s[t];
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  if (t < n)
    s[t] = in[t];
  __syncthreads();
  if (t < n)
    s[t] += in[n - 1 - t];
  __syncthreads();
  out[t] = s[63 - t];
}
