// Half precision: C++ operators, fused multiply-add, min, max, .ftz, .sat, .relu.
#include "../include/gpusim.cuh"

#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));      \
  out[K * n + i] = r;
#define OP3(K, INS)                                                \
  asm(INS " %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));  \
  out[K * n + i] = r;

GPUSIM_FN half of_bits(ushort b) { return __builtin_bit_cast(half, b); }
GPUSIM_FN ushort to_bits(half h) { return __builtin_bit_cast(ushort, h); }

__global__ void f16_arith(const ushort *a, const ushort *b, const ushort *c, ushort *out, int n) {
  int i = threadIdx.x;
  ushort x = a[i], y = b[i], z = c[i], r;
  half hx = of_bits(x), hy = of_bits(y);
  out[0 * n + i] = to_bits(hx + hy);
  out[1 * n + i] = to_bits(hx - hy);
  out[2 * n + i] = to_bits(hx * hy);
  out[3 * n + i] = to_bits(hx / hy);
  out[4 * n + i] = (ushort)((hx < hy) | (hx == hy) << 1 | (hx >= hy) << 2 | (hx != hy) << 3);
  OP3(5, "fma.rn.f16")
  OP3(6, "fma.rn.sat.f16")
  OP3(7, "fma.rn.relu.f16")
  OP2(8, "add.ftz.f16")
  OP2(9, "add.sat.f16")
  OP2(10, "mul.ftz.sat.f16")
  OP2(11, "min.f16")
  OP2(12, "max.f16")
  OP2(13, "min.NaN.f16")
  OP2(14, "max.NaN.f16")
  // The sign of a NaN is left open.
  asm("neg.f16 %0, %1;" : "=h"(r) : "h"(x));
  out[15 * n + i] = hx == hx ? r & 0x8000 : 0;
  asm("abs.f16 %0, %1;" : "=h"(r) : "h"(x));
  out[16 * n + i] = hx == hx ? r & 0x8000 : 0;
}
