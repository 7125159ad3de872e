// Predicates: setp with two results and combined predicates, set, selp, slct, logic on predicates,
// guards on instructions, comparisons of floats with NaN.
#include "../include/gpusim.cuh"

__global__ void predicates(const int *a, const int *b, const float *f, const float *g, int *out, int n) {
  int i = threadIdx.x;
  int x = a[i], y = b[i], r;
  float u = f[i], v = g[i], fr;
  asm("{\n\t.reg .pred p, q;\n\t"
      "setp.lt.s32 p|q, %1, %2;\n\t"
      "selp.s32 %0, 1, 2, p;\n\t"
      "@q add.s32 %0, %0, 4;\n\t"
      "@!q add.s32 %0, %0, 8;\n\t}" : "=&r"(r) : "r"(x), "r"(y));
  out[0 * n + i] = r;
  asm("{\n\t.reg .pred p, q;\n\t"
      "setp.gt.s32 p, %1, 0;\n\t"
      "setp.lo.and.u32 q, %1, %2, p;\n\t"
      "setp.hs.or.u32 p, %1, %2, !q;\n\t"
      "xor.pred p, p, q;\n\tnot.pred q, q;\n\tand.pred p, p, q;\n\tor.pred q, q, p;\n\t"
      "selp.b32 %0, 16, 32, p;\n\t@q or.b32 %0, %0, 1;\n\t}" : "=&r"(r) : "r"(x), "r"(y));
  out[1 * n + i] = r;
  asm("set.le.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
  out[2 * n + i] = r;
  asm("set.gt.f32.s32 %0, %1, %2;" : "=f"(fr) : "r"(x), "r"(y));
  out[3 * n + i] = (int)fr;
  asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y));
  out[4 * n + i] = r;
  asm("slct.s32.f32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "f"(u));
  out[5 * n + i] = r;
  r = 0;
  r |= (u == v) << 0;
  r |= (u != v) << 1;
  r |= (u < v) << 2;
  r |= (u <= v) << 3;
  r |= (u > v) << 4;
  r |= (u >= v) << 5;
  r |= __builtin_isunordered(u, v) << 6;
  r |= !(u < v) << 7;
  r |= !(u >= v) << 8;
  out[6 * n + i] = r;
#define FCMP(OP, BIT)                                                                                     \
  asm("{ .reg .pred p; setp." OP ".f32 p, %1, %2; selp.s32 %0, 1, 0, p; }" : "=r"(t) : "f"(u), "f"(v));   \
  r |= t << BIT;
  int t;
  r = 0;
  FCMP("equ", 0)
  FCMP("neu", 1)
  FCMP("ltu", 2)
  FCMP("leu", 3)
  FCMP("gtu", 4)
  FCMP("geu", 5)
  FCMP("num", 6)
  FCMP("nan", 7)
  out[7 * n + i] = r;
}
