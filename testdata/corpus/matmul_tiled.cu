// Tiled matrix multiplication with bounds checks, as a template over the tile and the element type.
#include "../include/gpusim.cuh"

template <typename T, int TILE> __device__ void multiply(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[TILE][TILE + 1];
  __shared__ T bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  T sum = 0;
  for (int t = 0; t < k; t += TILE) {
    as[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : T(0);
    bs[ty][tx] = col < n && t + ty < k ? b[(t + ty) * n + col] : T(0);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; ++j)
      sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

__global__ void matmul_float(const float *a, const float *b, float *c, int m, int n, int k) {
  multiply<float, 8>(a, b, c, m, n, k);
}

__global__ void matmul_int(const long long *a, const long long *b, long long *c, int m, int n, int k) {
  multiply<long long, 4>(a, b, c, m, n, k);
}
