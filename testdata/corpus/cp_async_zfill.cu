// cp.async with a source size: the rest of the destination is filled with zeros, and source bytes
// beyond it are not read, so the tail of a buffer needs no bounds check.
#include "../include/gpusim.cuh"

__global__ void cp_async_zfill(const int *in, int *out, int n) {
  __shared__ __attribute__((aligned(16))) int tile[4 * 32];
  int t = threadIdx.x;
  int first = 4 * t;
  int left = n - first;
  unsigned bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
  ::cp_async_zfill<16>(&tile[first], &in[first < n ? first : 0], bytes);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  for (int k = 0; k < 4; ++k)
    out[k * 32 + t] = tile[k * 32 + t];
}
