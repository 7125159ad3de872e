// redux.sync: every operation, over the warp and over parts of it.
#include "../include/gpusim.cuh"

#define FULL 0xffffffffu

__global__ void redux(const int *in, int *out, int n) {
  int t = threadIdx.x, lane = t & 31;
  int v = in[t];
  out[0 * n + t] = __reduce_add_sync(FULL, v);
  out[1 * n + t] = __reduce_min_sync(FULL, v);
  out[2 * n + t] = __reduce_max_sync(FULL, v);
  out[3 * n + t] = (int)__reduce_min_sync(FULL, (unsigned)v);
  out[4 * n + t] = (int)__reduce_max_sync(FULL, (unsigned)v);
  out[5 * n + t] = (int)__reduce_and_sync(FULL, (unsigned)v | 0xf0f0f0f0u);
  out[6 * n + t] = (int)__reduce_or_sync(FULL, (unsigned)v & 0x1248u);
  out[7 * n + t] = (int)__reduce_xor_sync(FULL, (unsigned)v);
  if (lane % 3 == 0)
    out[8 * n + t] = (int)__reduce_add_sync(0x49249249u, (unsigned)v);
  else
    out[8 * n + t] = -1;
}
