// arch: sm_86 flags:
// Packed half precision: two independent lanes in a 32-bit register.
#include "../include/gpusim.cuh"

#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));      \
  out[K * n + i] = r;
#define OP3(K, INS)                                                \
  asm(INS " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));  \
  out[K * n + i] = r;

__global__ void f16x2_arith(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i], z = c[i], r;
  OP2(0, "add.f16x2")
  OP2(1, "sub.rn.f16x2")
  OP2(2, "mul.f16x2")
  OP3(3, "fma.rn.f16x2")
  OP3(4, "fma.rn.ftz.f16x2")
  OP2(5, "min.f16x2")
  OP2(6, "max.NaN.f16x2")
  OP2(7, "add.sat.f16x2")
  half2 u = __builtin_bit_cast(half2, x), v = __builtin_bit_cast(half2, y);
  out[8 * n + i] = __builtin_bit_cast(unsigned, u + v);
  out[9 * n + i] = __builtin_bit_cast(unsigned, half2{v.y, u.x});
  asm("{ .reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; selp.b32 %0, 1, 0, p; @q or.b32 %0, %0, 2; }"
      : "=&r"(r) : "r"(x), "r"(y));
  out[10 * n + i] = r;
}
