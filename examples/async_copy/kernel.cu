// Double-buffered loads by cp.async: while one tile is summed up, the next is on its way.
#include "../../testdata/include/gpusim.cuh"

// BUG: the wait lets two groups stay in flight, and the tile that is read next is one of them.
__global__ void async_copy(const int *in, int *out, int tiles) {
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  cp_async_ca<4>(&tile[0][t], &in[t]); // want: data-race
  cp_async_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles)
      cp_async_ca<4>(&tile[(k + 1) & 1][t], &in[64 * (k + 1) + t]); // want: data-race
    cp_async_commit();
    cp_async_wait<2>();
    __syncthreads();
    sum += tile[k & 1][63 - t]; // want: data-race
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void async_copy_fixed(const int *in, int *out, int tiles) {
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  cp_async_ca<4>(&tile[0][t], &in[t]);
  cp_async_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles)
      cp_async_ca<4>(&tile[(k + 1) & 1][t], &in[64 * (k + 1) + t]);
    cp_async_commit();
    cp_async_wait<1>();
    __syncthreads();
    sum += tile[k & 1][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
