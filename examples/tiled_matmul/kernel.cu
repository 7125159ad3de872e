// Matrix multiplication with tiles in shared memory. n is a multiple of 16.
#include "../../testdata/include/gpusim.cuh"

#define TILE 16

// BUG: a fast warp fills the tiles of the next iteration while slow warps still multiply.
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];   // want: data-race
    bs[ty][tx] = b[(t + ty) * n + col]; // want: data-race
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += as[ty][k] * bs[k][tx]; // want: data-race
  }
  c[row * n + col] = sum;
}

__global__ void matmul_fixed(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
