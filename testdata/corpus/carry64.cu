// arch: sm_75 flags:
// Carry chains of 64-bit words, and 256-bit addition by the compiler's own wide integers.
#include "../include/gpusim.cuh"

__global__ void carry64(const ull *a, const ull *b, ull *out, int n) {
  int i = threadIdx.x;
  ull x = a[i], y = b[i], lo, hi;
  asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, 0, 0;" : "=&l"(lo), "=l"(hi) : "l"(x), "l"(y));
  out[0 * n + i] = lo;
  out[1 * n + i] = hi;
  asm("sub.cc.s64 %0, %2, %3;\n\tsubc.s64 %1, 0, 0;" : "=&l"(lo), "=l"(hi) : "l"(x), "l"(y));
  out[2 * n + i] = lo;
  out[3 * n + i] = hi;
  unsigned __int128 wide = (unsigned __int128)x * y + ((unsigned __int128)y << 64);
  out[4 * n + i] = (ull)wide;
  out[5 * n + i] = (ull)(wide >> 64);
  wide += ((unsigned __int128)x << 64) + x;
  out[6 * n + i] = (ull)wide;
  out[7 * n + i] = (ull)(wide >> 64);
}
