// Threads without work return before the barriers of the others, whole warps and parts of one.
#include "../include/gpusim.cuh"

__global__ void early_exit_barrier(const int *in, int *out, int n) {
  __shared__ int s[96];
  int t = threadIdx.x;
  if (t >= n)
    return;
  s[t] = in[t];
  __syncthreads();
  int left = s[(t + n - 1) % n];
  __syncthreads();
  s[t] = left + 1;
  __syncthreads();
  out[t] = s[n - 1 - t];
}
