// Matrix multiplication with a two-stage cp.async pipeline.
#include "../include/gpusim.cuh"

#define TILE 16

__global__ void cp_async_matmul(const float *a, const float *b, float *c, int n) {
  __shared__ __attribute__((aligned(16))) float as[2][TILE][TILE];
  __shared__ __attribute__((aligned(16))) float bs[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  int tiles = n / TILE;
  cp_async_ca<4>(&as[0][ty][tx], &a[row * n + tx]);
  cp_async_ca<4>(&bs[0][ty][tx], &b[ty * n + col]);
  cp_async_commit();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    int now = t & 1, next = now ^ 1;
    if (t + 1 < tiles) {
      cp_async_ca<4>(&as[next][ty][tx], &a[row * n + (t + 1) * TILE + tx]);
      cp_async_ca<4>(&bs[next][ty][tx], &b[((t + 1) * TILE + ty) * n + col]);
    }
    cp_async_commit();
    cp_async_wait<1>();
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum = fmaf(as[now][ty][k], bs[now][k][tx], sum);
    __syncthreads();
  }
  c[row * n + col] = sum;
}
