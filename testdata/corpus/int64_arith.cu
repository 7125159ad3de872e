// arch: sm_70 flags:
// 64-bit integer arithmetic.
#include "../include/gpusim.cuh"

__global__ void int64_arith(const long long *a, const long long *b, long long *out, int n) {
  int i = threadIdx.x;
  long long x = a[i], y = b[i];
  ull ux = (ull)x, uy = (ull)y;
  out[0 * n + i] = (long long)(ux + uy);
  out[1 * n + i] = (long long)(ux - uy);
  out[2 * n + i] = (long long)(ux * uy);
  out[3 * n + i] = __mul64hi(x, y);
  out[4 * n + i] = (long long)__umul64hi(ux, uy);
  out[5 * n + i] = y != 0 && y != -1 ? x / y : 0;
  out[6 * n + i] = y != 0 && y != -1 ? x % y : 0;
  out[7 * n + i] = (long long)(uy != 0 ? ux / uy : 0);
  out[8 * n + i] = (long long)(uy != 0 ? ux % uy : 0);
  out[9 * n + i] = (long long)(0ull - ux);
  out[10 * n + i] = x < y ? x : y;
  out[11 * n + i] = x > y ? x : y;
  out[12 * n + i] = (long long)(ux < uy ? ux : uy);
  out[13 * n + i] = (long long)(ux > uy ? ux : uy);
  out[14 * n + i] = (long long)(ux << (uy & 63));
  out[15 * n + i] = x >> (uy & 63);
  out[16 * n + i] = (long long)(ux >> (uy & 63));
  out[17 * n + i] = (long long)(ux & uy);
  out[18 * n + i] = (long long)(ux | uy);
  out[19 * n + i] = (long long)(ux ^ uy);
  out[20 * n + i] = (long long)~ux;
  long long r;
  asm("shl.b64 %0, %1, %2;" : "=l"(r) : "l"(x), "r"((int)y & 127));
  out[21 * n + i] = r;
  asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "r"((int)y & 127));
  out[22 * n + i] = r;
  asm("abs.s64 %0, %1;" : "=l"(r) : "l"(x));
  out[23 * n + i] = r;
}
