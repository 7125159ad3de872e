// Packing conversions: two floats into halves or bfloats, and TF32.
#include "../include/gpusim.cuh"

#define PACK(K, INS)                                              \
  asm("cvt." INS " %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));      \
  out[K * n + i] = r;
#define BF16(K, INS)                                              \
  asm("cvt." INS " %0, %1;" : "=h"(h) : "f"(x));                  \
  out16[K * n + i] = h;

__global__ void cvt_pack(const float *a, const float *b, unsigned *out, ushort *out16, int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i];
  unsigned r;
  ushort h;
  PACK(0, "rn.f16x2.f32")
  PACK(1, "rz.f16x2.f32")
  PACK(2, "rn.relu.f16x2.f32")
  PACK(3, "rn.bf16x2.f32")
  PACK(4, "rz.bf16x2.f32")
  PACK(5, "rn.relu.bf16x2.f32")
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  out[6 * n + i] = r >> 13;
  BF16(0, "rn.bf16.f32")
  BF16(1, "rz.bf16.f32")
  BF16(2, "rn.relu.bf16.f32")
  half2 p = {(half)x, (half)y};
  out[7 * n + i] = __builtin_bit_cast(unsigned, p);
}
