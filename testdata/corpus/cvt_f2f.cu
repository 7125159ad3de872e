// Between floating-point types, and rounding to integers within a type.
#include "../include/gpusim.cuh"

#define F32(K, INS, SRC, C)                                       \
  asm("cvt." INS " %0, %1;" : "=f"(f) : C(SRC));                  \
  out[K * n + i] = f;
#define F64(K, INS, SRC, C)                                       \
  asm("cvt." INS " %0, %1;" : "=d"(d) : C(SRC));                  \
  out64[K * n + i] = d;
#define F16(K, INS, SRC, C)                                       \
  asm("cvt." INS " %0, %1;" : "=h"(h) : C(SRC));                  \
  out16[K * n + i] = h;

__global__ void cvt_f2f(const float *a, const double *b, const ushort *c, float *out, double *out64, ushort *out16,
                        int n) {
  int i = threadIdx.x;
  float x = a[i], f;
  double y = b[i], d;
  ushort z = c[i], h;
  F32(0, "rn.f32.f64", y, "d")
  F32(1, "rz.f32.f64", y, "d")
  F32(2, "rm.f32.f64", y, "d")
  F32(3, "rp.f32.f64", y, "d")
  F32(4, "f32.f16", z, "h")
  F32(5, "rni.f32.f32", x, "f")
  F32(6, "rzi.f32.f32", x, "f")
  F32(7, "rmi.f32.f32", x, "f")
  F32(8, "rpi.f32.f32", x, "f")
  out[9 * n + i] = floorf(x);
  out[10 * n + i] = ceilf(x);
  out[11 * n + i] = truncf(x);
  out[12 * n + i] = rintf(x);
  F64(0, "f64.f32", x, "f")
  F64(1, "f64.f16", z, "h")
  F64(2, "rni.f64.f64", y, "d")
  F64(3, "rpi.f64.f64", y, "d")
  F16(0, "rn.f16.f32", x, "f")
  F16(1, "rz.f16.f32", x, "f")
  F16(2, "rn.f16.f64", y, "d")
  F16(3, "rpi.f16.f16", z, "h")
  out16[4 * n + i] = __builtin_bit_cast(ushort, (half)x);
}
