// Widening and high products, multiply-add, saturating addition and subtraction.
#include "../include/gpusim.cuh"

__global__ void wide(const int *a, const int *b, const int *c, int *out, long long *out64, int n) {
  int i = threadIdx.x;
  int x = a[i], y = b[i], z = c[i], r;
  long long z64 = (long long)z * 0x123456789ll, r64;
  out64[0 * n + i] = (long long)x * y;
  out64[1 * n + i] = (long long)((ull)(unsigned)x * (unsigned)y);
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(r64) : "r"(x), "r"(y), "l"(z64));
  out64[2 * n + i] = r64;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(r64) : "r"(x), "r"(y), "l"(z64));
  out64[3 * n + i] = r64;
  asm("mad.lo.s64 %0, %1, %1, %2;" : "=l"(r64) : "l"(z64), "l"((long long)x));
  out64[4 * n + i] = r64;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[0 * n + i] = r;
  asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[1 * n + i] = r;
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[2 * n + i] = r;
  asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  out[3 * n + i] = r;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
  out[4 * n + i] = r;
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
  out[5 * n + i] = r;
}
