// 5-point stencil, a 16x16 tile with halo in shared memory; zero outside of the square.
#include "../../testdata/include/gpusim.cuh"

#define TILE 16

__global__ void stencil(const float *in, float *out, int n) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  tile[ty + 1][tx + 1] = in[y * n + x];
  if (tx == 0)
    tile[ty + 1][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
  if (tx == TILE - 1)
    tile[ty + 1][TILE + 1] = x + 1 < n ? in[y * n + x + 1] : 0.0f;
  if (ty == 0)
    tile[0][tx + 1] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
  if (ty == TILE - 1)
    tile[TILE + 1][tx + 1] = y + 1 < n ? in[(y + 1) * n + x] : 0.0f;
  __syncthreads();
  out[y * n + x] = 0.5f * tile[ty + 1][tx + 1] +
                   0.125f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
}
