// min, max and their NaN forms, signs, and classification.
#include "../include/gpusim.cuh"

#define OP1(K, INS)                                        \
  asm(INS " %0, %1;" : "=f"(r) : "f"(x));                  \
  out[K * n + i] = r;
#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));      \
  out[K * n + i] = r;
#define TESTP(BIT, CLASS)                                                                                \
  asm("{ .reg .pred p; testp." CLASS ".f32 p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(t) : "f"(x));          \
  bits |= t << BIT;                                                                                      \
  asm("{ .reg .pred p; testp." CLASS ".f64 p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(t) : "d"((double)x));  \
  bits |= t << (BIT + 8);

__global__ void f32_minmax(const float *a, const float *b, float *out, int *classes, int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i], r;
  OP2(0, "min.f32")
  OP2(1, "max.f32")
  OP2(2, "min.NaN.f32")
  OP2(3, "max.NaN.f32")
  OP2(4, "copysign.f32")
  OP1(5, "abs.f32")
  OP1(6, "neg.f32")
  out[7 * n + i] = fminf(x, y);
  out[8 * n + i] = fmaxf(x, y);
  out[9 * n + i] = __builtin_copysignf(x, y);
  out[10 * n + i] = fabsf(-x);
  int bits = 0, t;
  TESTP(0, "finite")
  TESTP(1, "infinite")
  TESTP(2, "number")
  TESTP(3, "notanumber")
  TESTP(4, "normal")
  TESTP(5, "subnormal")
  classes[i] = bits;
}
