// Conversions between integers: truncation, sign and zero extension, saturation.
#include "../include/gpusim.cuh"

#define CVT(K, TYPES)                                             \
  asm("cvt." TYPES " %0, %1;" : "=r"(r) : "r"(x));                \
  out[K * n + i] = r;
#define CVT16(K, TYPES)                                           \
  asm("cvt." TYPES " %0, %1;" : "=h"(s) : "r"(x));                \
  out[K * n + i] = (int)s;

__global__ void cvt_int(const int *a, const long long *b, int *out, long long *out64, int n) {
  int i = threadIdx.x;
  int x = a[i], r;
  long long w = b[i];
  short s;
  out[0 * n + i] = (signed char)x;
  out[1 * n + i] = (uchar)x;
  out[2 * n + i] = (short)x;
  out[3 * n + i] = (ushort)x;
  out[4 * n + i] = (int)w;
  CVT(5, "sat.u32.s32")
  CVT(6, "sat.s32.u32")
  CVT16(7, "sat.s16.s32")
  CVT16(8, "sat.u16.s32")
  CVT16(9, "sat.s16.u32")
  CVT(10, "sat.s8.s32")
  CVT(11, "sat.u8.s32")
  CVT(12, "s32.s8")
  CVT(13, "u32.u16")
  asm("cvt.sat.s32.s64 %0, %1;" : "=r"(r) : "l"(w));
  out[14 * n + i] = r;
  asm("cvt.sat.u32.s64 %0, %1;" : "=r"(r) : "l"(w));
  out[15 * n + i] = r;
  asm("cvt.sat.s32.u64 %0, %1;" : "=r"(r) : "l"(w));
  out[16 * n + i] = r;
  out64[0 * n + i] = x;
  out64[1 * n + i] = (unsigned)x;
  out64[2 * n + i] = (signed char)w;
  out64[3 * n + i] = (ushort)w;
  long long q;
  asm("cvt.sat.u64.s32 %0, %1;" : "=l"(q) : "r"(x));
  out64[4 * n + i] = q;
  asm("cvt.sat.s64.u64 %0, %1;" : "=l"(q) : "l"(w));
  out64[5 * n + i] = q;
}
