// Floating point to integer: four roundings, clamping at the ends, NaN.
#include "../include/gpusim.cuh"

#define CVT32(K, INS, SRC, C)                                     \
  asm("cvt." INS " %0, %1;" : "=r"(r) : C(SRC));                  \
  out[K * n + i] = r;
#define CVT64(K, INS, SRC, C)                                     \
  asm("cvt." INS " %0, %1;" : "=l"(q) : C(SRC));                  \
  out64[K * n + i] = q;

__global__ void cvt_f2i(const float *a, const double *b, const ushort *h, int *out, long long *out64, short *out16,
                        int n) {
  int i = threadIdx.x;
  float x = a[i];
  double d = b[i];
  int r;
  long long q;
  short s;
  CVT32(0, "rni.s32.f32", x, "f")
  CVT32(1, "rzi.s32.f32", x, "f")
  CVT32(2, "rmi.s32.f32", x, "f")
  CVT32(3, "rpi.s32.f32", x, "f")
  CVT32(4, "rni.u32.f32", x, "f")
  CVT32(5, "rzi.u32.f32", x, "f")
  CVT32(6, "rmi.u32.f32", x, "f")
  CVT32(7, "rpi.u32.f32", x, "f")
  CVT32(8, "rni.s32.f64", d, "d")
  CVT32(9, "rzi.u32.f64", d, "d")
  CVT32(10, "rzi.ftz.s32.f32", x, "f")
  CVT32(11, "rni.s32.f16", h[i], "h")
  CVT32(12, "rzi.u32.f16", h[i], "h")
  CVT64(0, "rni.s64.f32", x, "f")
  CVT64(1, "rzi.u64.f32", x, "f")
  CVT64(2, "rni.s64.f64", d, "d")
  CVT64(3, "rzi.s64.f64", d, "d")
  CVT64(4, "rmi.s64.f64", d, "d")
  CVT64(5, "rpi.u64.f64", d, "d")
  asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(s) : "f"(x));
  out16[0 * n + i] = s;
  asm("cvt.rni.u16.f64 %0, %1;" : "=h"(s) : "d"(d));
  out16[1 * n + i] = s;
  asm("cvt.rpi.s16.f16 %0, %1;" : "=h"(s) : "h"(h[i]));
  out16[2 * n + i] = s;
}
