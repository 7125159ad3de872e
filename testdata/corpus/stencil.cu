// 5-point stencil over a tile with halo, iterated by ping-pong launches.
#include "../include/gpusim.cuh"

#define W 16

__global__ void stencil(const float *in, float *out, int n) {
  __shared__ float tile[W + 2][W + 2];
  int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * W + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = in[y * n + x];
  if (threadIdx.x == 0)
    tile[ty][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
  if (threadIdx.x == W - 1)
    tile[ty][W + 1] = x + 1 < n ? in[y * n + x + 1] : 0.0f;
  if (threadIdx.y == 0)
    tile[0][tx] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
  if (threadIdx.y == W - 1)
    tile[W + 1][tx] = y + 1 < n ? in[(y + 1) * n + x] : 0.0f;
  __syncthreads();
  out[y * n + x] = 0.5f * tile[ty][tx] +
                   0.125f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}
