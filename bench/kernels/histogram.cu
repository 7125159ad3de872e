// Histogram of hashed values, 256 bins: shared-memory atomics, merged at the end; 16
// elements a thread.
#include "../../testdata/include/gpusim.cuh"

#define BINS 256

__global__ void histogram(const unsigned *in, unsigned *bins, int n) {
  __shared__ unsigned local[BINS];
  int t = threadIdx.x;
  local[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i] * 2654435761u;
    atomicAdd(&local[v >> 24], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[t], local[t]);
}
