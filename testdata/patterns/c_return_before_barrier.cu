// Pattern c: threads beyond the end return before the barrier. That is legal by itself, but the
// others then read the cells that those threads would have written.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[63 - t] + 1; // want: uninitialized-read
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  if (t < n)
    out[t] = s[63 - t] + 1;
}
