// shfl.sync: four modes, widths below 32, the predicate, 64-bit values, groups of lanes apart.
#include "../include/gpusim.cuh"

#define FULL 0xffffffffu

__global__ void shuffle(const int *in, int *out, float *floats, ull *wide, int n) {
  int t = threadIdx.x, lane = t & 31;
  int v = in[t];
  out[0 * n + t] = __shfl_sync(FULL, v, 5);
  out[1 * n + t] = __shfl_sync(FULL, v, lane + 3);
  out[2 * n + t] = __shfl_sync(FULL, v, 3, 8);
  out[3 * n + t] = __shfl_up_sync(FULL, v, 4);
  out[4 * n + t] = __shfl_up_sync(FULL, v, 1, 16);
  out[5 * n + t] = __shfl_down_sync(FULL, v, 9);
  out[6 * n + t] = __shfl_down_sync(FULL, v, 2, 4);
  out[7 * n + t] = __shfl_xor_sync(FULL, v, 21);
  out[8 * n + t] = __shfl_xor_sync(FULL, v, 6, 8);
  int r, valid;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, 0xffffffff; selp.s32 %1, 1, 0, p; }"
               : "=r"(r), "=r"(valid) : "r"(v));
  out[9 * n + t] = r * 2 + valid;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 1, 0x181f, 0xffffffff; selp.s32 %1, 1, 0, p; }"
               : "=r"(r), "=r"(valid) : "r"(v));
  out[10 * n + t] = r * 2 + valid;
  floats[t] = __shfl_xor_sync(FULL, v * 0.5f, 1);
  wide[t] = __shfl_down_sync(FULL, (ull)v << 30, 1);
  // Odd and even lanes shuffle apart.
  if (lane & 1)
    v = __shfl_sync(0xaaaaaaaau, v, lane ^ 2);
  else
    v = __shfl_sync(0x55555555u, v, (lane + 4) & 31);
  out[11 * n + t] = v;
}
