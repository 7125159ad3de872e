// out = in transposed, 16x16 tiles with a padded row in shared memory.
#include "../../testdata/include/gpusim.cuh"

#define TILE 16

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * TILE, by = blockIdx.y * TILE;
  tile[ty][tx] = in[(by + ty) * n + bx + tx];
  __syncthreads();
  out[(bx + ty) * n + by + tx] = tile[tx][ty];
}
