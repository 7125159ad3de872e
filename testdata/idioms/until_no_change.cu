// A loop that ends when no thread of the block has changed anything, by a reducing barrier.
#include "../include/gpusim.cuh"

__global__ void until_no_change(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  bool changed;
  do {
    __syncthreads();
    int left = t > 0 ? s[t - 1] : s[0];
    __syncthreads();
    changed = left > s[t];
    if (changed)
      s[t] = left;
  } while (__syncthreads_or(changed));
  out[t] = s[t];
}
