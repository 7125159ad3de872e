// arch: sm_90 flags:
// Approximations in other types: double reciprocals, half and bfloat16 exponentials and tanh.
#include "../include/gpusim.cuh"

__global__ void approx_more(const double *a, const ushort *h, const ushort *b, double *rel, ushort *halves,
                            ushort *bfloats, int n) {
  int i = threadIdx.x;
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a[i]));
  rel[0 * n + i] = r;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(a[i]));
  rel[1 * n + i] = r;
  ushort s;
  asm("ex2.approx.f16 %0, %1;" : "=h"(s) : "h"(h[i]));
  halves[0 * n + i] = s;
  asm("tanh.approx.f16 %0, %1;" : "=h"(s) : "h"(h[i]));
  halves[1 * n + i] = s;
  asm("ex2.approx.ftz.bf16 %0, %1;" : "=h"(s) : "h"(b[i]));
  bfloats[0 * n + i] = s;
  asm("tanh.approx.bf16 %0, %1;" : "=h"(s) : "h"(b[i]));
  bfloats[1 * n + i] = s;
}
