// 32-bit integer arithmetic: wrap-around, division towards zero, shifts, min, max, absolute value.
#include "../include/gpusim.cuh"

__global__ void int_arith(const int *a, const int *b, int *out, int n) {
  int i = threadIdx.x;
  int x = a[i], y = b[i];
  unsigned ux = (unsigned)x, uy = (unsigned)y;
  out[0 * n + i] = (int)(ux + uy);
  out[1 * n + i] = (int)(ux - uy);
  out[2 * n + i] = (int)(ux * uy);
  out[3 * n + i] = __mulhi(x, y);
  out[4 * n + i] = (int)__umulhi(ux, uy);
  out[5 * n + i] = y != 0 && y != -1 ? x / y : 0;
  out[6 * n + i] = y != 0 && y != -1 ? x % y : 0;
  out[7 * n + i] = (int)(uy != 0 ? ux / uy : 0);
  out[8 * n + i] = (int)(uy != 0 ? ux % uy : 0);
  out[9 * n + i] = (int)(0u - ux);
  out[10 * n + i] = min(x, y);
  out[11 * n + i] = max(x, y);
  out[12 * n + i] = (int)min(ux, uy);
  out[13 * n + i] = (int)max(ux, uy);
  out[14 * n + i] = (int)(ux << (uy & 31));
  out[15 * n + i] = x >> (uy & 31);
  out[16 * n + i] = (int)(ux >> (uy & 31));
  int r;
  asm("abs.s32 %0, %1;" : "=r"(r) : "r"(x));
  out[17 * n + i] = r;
  // PTX clamps shift amounts to the width of the operand (PTX ISA, "shl", "shr").
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
  out[18 * n + i] = r;
  asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
  out[19 * n + i] = r;
  asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
  out[20 * n + i] = r;
}
