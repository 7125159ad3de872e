// arch: sm_89 flags:
// Integer to floating point in four roundings.
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

__global__ void cvt_i2f(const int *a, const long long *b, float *out, double *out64, ushort *out16, int n) {
  int i = threadIdx.x;
  int x = a[i];
  long long w = b[i];
  float f;
  double d;
  ushort h;
  F32(0, "rn.f32.s32", x, "r")
  F32(1, "rz.f32.s32", x, "r")
  F32(2, "rm.f32.s32", x, "r")
  F32(3, "rp.f32.s32", x, "r")
  F32(4, "rn.f32.u32", x, "r")
  F32(5, "rp.f32.u32", x, "r")
  F32(6, "rn.f32.s64", w, "l")
  F32(7, "rm.f32.s64", w, "l")
  F32(8, "rn.f32.u64", w, "l")
  F32(9, "rz.f32.u64", w, "l")
  F64(0, "rn.f64.s32", x, "r")
  F64(1, "rn.f64.u32", x, "r")
  F64(2, "rn.f64.s64", w, "l")
  F64(3, "rz.f64.s64", w, "l")
  F64(4, "rm.f64.u64", w, "l")
  F64(5, "rp.f64.u64", w, "l")
  F16(0, "rn.f16.s32", x, "r")
  F16(1, "rz.f16.u32", x, "r")
  F16(2, "rp.f16.s64", w, "l")
  out[10 * n + i] = (float)(short)x;
  out[11 * n + i] = (float)(uchar)x;
  out64[6 * n + i] = (double)(signed char)w;
}
