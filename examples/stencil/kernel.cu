// A 3-point stencil with a tile and its halo in shared memory.
#include "../../testdata/include/gpusim.cuh"

#define BLOCK 64

// BUG: at the ends of the array the halo cell is skipped, but the sum below reads it all the same.
__global__ void stencil(const float *in, float *out, int n) {
  __shared__ float tile[BLOCK + 2];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  tile[t + 1] = in[i];
  if (t == 0 && i > 0)
    tile[0] = in[i - 1];
  if (t == BLOCK - 1 && i + 1 < n)
    tile[BLOCK + 1] = in[i + 1];
  __syncthreads();
  out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3; // want: uninitialized-read
}

__global__ void stencil_fixed(const float *in, float *out, int n) {
  __shared__ float tile[BLOCK + 2];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  tile[t + 1] = in[i];
  if (t == 0)
    tile[0] = i > 0 ? in[i - 1] : in[0];
  if (t == BLOCK - 1)
    tile[BLOCK + 1] = i + 1 < n ? in[i + 1] : in[n - 1];
  __syncthreads();
  out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
