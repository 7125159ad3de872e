// bfloat16 on sm_80: fused multiply-add, min, max, and C++ operators, which compute in single
// precision and round.
#include "../include/gpusim.cuh"

#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));      \
  out[K * n + i] = r;

__global__ void bf16_arith(const ushort *a, const ushort *b, const ushort *c, ushort *out, unsigned *out2, int n) {
  int i = threadIdx.x;
  ushort x = a[i], y = b[i], z = c[i], r;
  __bf16 bx = __builtin_bit_cast(__bf16, x), by = __builtin_bit_cast(__bf16, y);
  out[0 * n + i] = __builtin_bit_cast(ushort, (__bf16)((float)bx + (float)by));
  out[1 * n + i] = __builtin_bit_cast(ushort, (__bf16)((float)bx * (float)by));
  OP2(2, "min.bf16")
  OP2(3, "max.bf16")
  OP2(4, "min.NaN.bf16")
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
  out[5 * n + i] = r;
  asm("fma.rn.relu.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
  out[6 * n + i] = r;
  unsigned px = (unsigned)y << 16 | x, py = (unsigned)z << 16 | y, pz = (unsigned)x << 16 | z, pr;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(pr) : "r"(px), "r"(py), "r"(pz));
  out2[0 * n + i] = pr;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(pr) : "r"(px), "r"(py));
  out2[1 * n + i] = pr;
}
