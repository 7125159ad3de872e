// vote.sync over the warp and over a part of it.
#include "../include/gpusim.cuh"

#define FULL 0xffffffffu

__global__ void vote(const int *in, unsigned *out, int n) {
  int t = threadIdx.x, lane = t & 31;
  int v = in[t];
  out[0 * n + t] = __all_sync(FULL, v >= 0);
  out[1 * n + t] = __all_sync(FULL, v > 10);
  out[2 * n + t] = __any_sync(FULL, v == in[3]);
  out[3 * n + t] = __any_sync(FULL, v < 0);
  out[4 * n + t] = __uni_sync(FULL, v >= 0) * 2 + __uni_sync(FULL, v & 1);
  out[5 * n + t] = __ballot_sync(FULL, v & 1);
  if (lane < 12)
    out[6 * n + t] = __ballot_sync(0xfffu, v > 40);
  else
    out[6 * n + t] = __any_sync(0xfffff000u, v > 1000);
}
