// match.sync: lanes that hold the same value, 32 and 64 bits.
#include "../include/gpusim.cuh"

#define FULL 0xffffffffu

__global__ void match(const unsigned *in, unsigned *out, int n) {
  int t = threadIdx.x, lane = t & 31;
  unsigned v = in[t];
  int same;
  out[0 * n + t] = __match_any_sync(FULL, v & 3);
  out[1 * n + t] = __match_any_sync(FULL, (ull)(v & 1) << 40 | 5);
  out[2 * n + t] = __match_all_sync(FULL, 17u, &same) + same;
  out[3 * n + t] = __match_all_sync(FULL, v, &same) + same;
  out[4 * n + t] = __match_all_sync(FULL, (ull)7 << 33, &same) + same;
  if (lane >= 8)
    out[5 * n + t] = __match_any_sync(0xffffff00u, v & 1);
  else
    out[5 * n + t] = __match_all_sync(0xffu, lane < 100 ? 1u : 0u, &same);
}
