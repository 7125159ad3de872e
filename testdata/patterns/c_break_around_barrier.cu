// Pattern c: a thread leaves the loop by break and waits at the barrier behind it, while its warp
// waits at the barrier inside.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    if (in[k * 64 + t] < 0)
      break;
    sum += in[k * 64 + t];
    __syncthreads(); // want: barrier-divergence
  }
  s[t] = sum;
  __syncthreads(); // want: barrier-divergence
  out[t] = s[t];
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  bool done = false;
  for (int k = 0; k < n; ++k) {
    done |= in[k * 64 + t] < 0;
    if (!done)
      sum += in[k * 64 + t];
    __syncthreads();
  }
  s[t] = sum;
  __syncthreads();
  out[t] = s[63 - t];
}
