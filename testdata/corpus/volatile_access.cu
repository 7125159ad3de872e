// volatile loads and stores in shared and global memory.
#include "../include/gpusim.cuh"

__global__ void volatile_access(volatile int *counter, int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = t * 3;
  __syncthreads();
  int sum = s[t] + s[t]; // two loads, not one
  s[t] = sum;
  __syncthreads();
  if (t == 0)
    for (int k = 0; k < 5; ++k)
      *counter = *counter + s[k];
  out[t] = s[63 - t];
}
