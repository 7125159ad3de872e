// An index beyond a local array of the thread.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int counts[8];
  for (int k = 0; k < 8; ++k)
    counts[k] = 0;
  for (int k = 0; k < 8; ++k)
    counts[in[k]] += 1; // want: out-of-bounds
  out[threadIdx.x] = counts[threadIdx.x & 7];
}

__global__ void fixed(const int *in, int *out) {
  int counts[8];
  for (int k = 0; k < 8; ++k)
    counts[k] = 0;
  for (int k = 0; k < 8; ++k)
    counts[in[k] & 7] += 1;
  out[threadIdx.x] = counts[threadIdx.x & 7];
}
