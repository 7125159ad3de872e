// Threads beyond the end return before a barrier that the others pass: legal, exited threads are not
// waited for.
#include "../include/gpusim.cuh"

__global__ void early_exit(const int *in, int *out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n)
    return;
  s[t] = in[i];
  __syncthreads();
  int last = min(n - (int)(blockIdx.x * blockDim.x), (int)blockDim.x) - 1;
  out[i] = s[last - t];
}
