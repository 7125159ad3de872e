// Matrix transposition through a padded tile, with a loop over the rows of the tile.
#include "../include/gpusim.cuh"

__global__ void transpose(const int *in, int *out, int width, int height) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  for (int j = threadIdx.y; j < 16; j += blockDim.y) {
    int y = blockIdx.y * 16 + j;
    if (x < width && y < height)
      tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  int tx = blockIdx.y * 16 + threadIdx.x;
  for (int j = threadIdx.y; j < 16; j += blockDim.y) {
    int ty = blockIdx.x * 16 + j;
    if (tx < height && ty < width)
      out[ty * height + tx] = tile[threadIdx.x][j];
  }
}
