// Histogram of the low six bits: private bins in shared memory, added to the global ones at the end.
#include "../../testdata/include/gpusim.cuh"

#define BINS 64

// BUG: fast warps count before slow warps have set their bins to zero.
__global__ void histogram(const ushort *in, unsigned *bins, int n) {
  __shared__ unsigned local[BINS];
  int t = threadIdx.x;
  if (t < BINS)
    local[t] = 0; // want: data-race
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] % BINS], 1u); // want: data-race
  __syncthreads();
  if (t < BINS)
    atomicAdd(&bins[t], local[t]);
}

__global__ void histogram_fixed(const ushort *in, unsigned *bins, int n) {
  __shared__ unsigned local[BINS];
  int t = threadIdx.x;
  if (t < BINS)
    local[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] % BINS], 1u);
  __syncthreads();
  if (t < BINS)
    atomicAdd(&bins[t], local[t]);
}
