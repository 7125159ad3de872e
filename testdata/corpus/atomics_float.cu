// arch: sm_90 flags:
// Floating-point atomics: f32, f64, f16, f16x2, bf16, bf16x2; sums that are exact in every order.
#include "../include/gpusim.cuh"

__global__ void atomics_float(float *f, double *d, ushort *h, unsigned *h2, ushort *b, unsigned *b2, ushort *old) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&f[t & 3], 0.25f * (t & 7));
  atomicAdd(&d[t & 1], 1.0 / 1024 * t);
  ushort r;
  unsigned r2;
  // 1.0 in half is 0x3c00, in bfloat16 0x3f80.
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(&h[t & 3]), "h"((ushort)0x3c00) : "memory");
  asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r2) : "l"(&h2[t & 3]), "r"(0x40003c00) : "memory");
  asm volatile("atom.global.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(&b[t & 3]), "h"((ushort)0x3f80) : "memory");
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(&b2[t & 3]), "r"(0x40003f80) : "memory");
  if (t == 0) {
    asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(&h[7]), "h"((ushort)0x3c00) : "memory");
    old[0] = r;
  }
}
