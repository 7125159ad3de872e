// Matrix transposition through a tile with a padded row, so that neither the reads nor the writes of
// global memory are strided.
#include "../../testdata/include/gpusim.cuh"

#define TILE 16

// BUG: no barrier between filling the tile and reading it across.
__global__ void transpose(const int *in, int *out, int n) {
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x]; // want: data-race
  int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
  out[ty * n + tx] = tile[threadIdx.x][threadIdx.y]; // want: data-race
}

__global__ void transpose_fixed(const int *in, int *out, int n) {
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
  out[ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}
