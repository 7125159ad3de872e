// Bitonic sort of 128 keys in shared memory.
#include "../../testdata/include/gpusim.cuh"

// BUG: one barrier for each size. Each stride needs its own, since its pairs cross those of the last.
__global__ void bitonic_sort(int *keys) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int other = t ^ stride;
      if (other > t) {
        int a = s[t], b = s[other]; // want: data-race
        if ((a > b) == ((t & size) == 0)) {
          s[t] = b;     // want: data-race
          s[other] = a; // want: data-race
        }
      }
    }
    __syncthreads();
  }
  keys[t] = s[t];
}

__global__ void bitonic_sort_fixed(int *keys) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int other = t ^ stride;
      if (other > t) {
        int a = s[t], b = s[other];
        if ((a > b) == ((t & size) == 0)) {
          s[t] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  keys[t] = s[t];
}
