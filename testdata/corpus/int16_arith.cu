// 8-bit and 16-bit integers: loads and stores of small types, 16-bit instructions.
#include "../include/gpusim.cuh"

__global__ void int16_arith(const short *a, const short *b, short *out, signed char *bytes, int n) {
  int i = threadIdx.x;
  short x = a[i], y = b[i];
  ushort ux = (ushort)x, uy = (ushort)y;
  out[0 * n + i] = (short)(ux + uy);
  out[1 * n + i] = (short)(ux - uy);
  out[2 * n + i] = (short)(ux * uy);
  out[3 * n + i] = (short)(y != 0 ? x / y : 0);
  out[4 * n + i] = (short)(uy != 0 ? ux % uy : 0);
  out[5 * n + i] = (short)(ux >> (uy & 15));
  out[6 * n + i] = (short)(x >> (uy & 15));
  short r;
  asm("mul.hi.s16 %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));
  out[7 * n + i] = r;
  asm("mad.lo.s16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(x));
  out[8 * n + i] = r;
  asm("min.s16 %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));
  out[9 * n + i] = r;
  asm("max.u16 %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));
  out[10 * n + i] = r;
  asm("neg.s16 %0, %1;" : "=h"(r) : "h"(x));
  out[11 * n + i] = r;
  asm("xor.b16 %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));
  out[12 * n + i] = r;
  asm("shl.b16 %0, %1, %2;" : "=h"(r) : "h"(x), "r"(y & 31));
  out[13 * n + i] = r;
  int wide;
  asm("mul.wide.s16 %0, %1, %2;" : "=r"(wide) : "h"(x), "h"(y));
  out[14 * n + i] = (short)(wide >> 16);
  bytes[0 * n + i] = (signed char)(x + y);
  bytes[1 * n + i] = (signed char)((signed char)x / 3);
  bytes[2 * n + i] = (signed char)((uchar)x >> 3);
  bytes[3 * n + i] = (signed char)(((signed char)x < (signed char)y) - ((uchar)x < (uchar)y));
}
