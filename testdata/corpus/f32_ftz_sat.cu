// .ftz flushes denormal operands and results to zero, .sat clamps to [0, 1] and turns NaN into 0.
#include "../include/gpusim.cuh"

#define OP1(K, INS)                                        \
  asm(INS " %0, %1;" : "=f"(r) : "f"(x));                  \
  out[K * n + i] = r;
#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));      \
  out[K * n + i] = r;
#define OP3(K, INS)                                                \
  asm(INS " %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));  \
  out[K * n + i] = r;

__global__ void f32_ftz_sat(const float *a, const float *b, const float *c, float *out, int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i], z = c[i], r;
  OP2(0, "add.ftz.f32")
  OP2(1, "sub.ftz.f32")
  OP2(2, "mul.ftz.f32")
  OP2(3, "div.rn.ftz.f32")
  OP3(4, "fma.rn.ftz.f32")
  OP1(5, "sqrt.rn.ftz.f32")
  OP1(6, "rcp.rn.ftz.f32")
  OP2(7, "min.ftz.f32")
  OP2(8, "max.ftz.f32")
  OP1(9, "abs.ftz.f32")
  OP1(10, "neg.ftz.f32")
  OP2(11, "add.sat.f32")
  OP2(12, "mul.sat.f32")
  OP3(13, "fma.rn.sat.f32")
  OP2(14, "add.rz.ftz.sat.f32")
  OP1(15, "cvt.sat.f32.f32")
  OP1(16, "cvt.ftz.f32.f32")
  asm("{ .reg .pred p; setp.eq.ftz.f32 p, %1, 0f00000000; selp.f32 %0, 0f3F800000, 0f00000000, p; }"
      : "=f"(r) : "f"(x));
  out[17 * n + i] = r;
}
