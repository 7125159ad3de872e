// bfe, bfi and bfind, with positions and lengths beyond the width (PTX ISA, "bfe", "bfi", "bfind").
#include "../include/gpusim.cuh"

__global__ void bitfield(const unsigned *a, const unsigned *pos, const unsigned *len, unsigned *out,
                         ull *out64, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], p = pos[i], l = len[i], r;
  ull x64 = (ull)x << 32 | (x * 0x9E3779B9u), r64;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(p), "r"(l));
  out[0 * n + i] = r;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(p), "r"(l));
  out[1 * n + i] = r;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(~x), "r"(p), "r"(l));
  out[2 * n + i] = r;
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
  out[3 * n + i] = r;
  asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x));
  out[4 * n + i] = r;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(x));
  out[5 * n + i] = r;
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"(x));
  out[6 * n + i] = r;
  asm("bfind.u64 %0, %1;" : "=r"(r) : "l"(x64));
  out[7 * n + i] = r;
  asm("bfind.s64 %0, %1;" : "=r"(r) : "l"(x64));
  out[8 * n + i] = r;
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(r64) : "l"(x64), "r"(p), "r"(l));
  out64[0 * n + i] = r64;
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(r64) : "l"(x64), "r"(p), "r"(l));
  out64[1 * n + i] = r64;
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r64) : "l"(x64), "l"(~x64), "r"(p), "r"(l));
  out64[2 * n + i] = r64;
}
