// arch: sm_75 flags:
// sad, dp4a, dp2a, 24-bit products.
#include "../include/gpusim.cuh"

#define OP3(K, INS)                                                                       \
  asm(INS " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));                         \
  out[K * n + i] = r;

__global__ void dot(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i], z = c[i], r;
  // The 24-bit forms take operands that fit into 24 bits.
  int x24 = (int)(x << 8) >> 8, y24 = (int)(y << 8) >> 8;
  unsigned ux24 = x & 0xffffff, uy24 = y & 0xffffff;
  out[0 * n + i] = __sad((int)x, (int)y, z);
  out[1 * n + i] = __usad(x, y, z);
  out[2 * n + i] = (unsigned)__mul24(x24, y24);
  out[3 * n + i] = __umul24(ux24, uy24);
  OP3(4, "dp4a.u32.u32")
  OP3(5, "dp4a.s32.s32")
  OP3(6, "dp4a.u32.s32")
  OP3(7, "dp4a.s32.u32")
  OP3(8, "dp2a.lo.u32.u32")
  OP3(9, "dp2a.hi.s32.s32")
  OP3(10, "dp2a.lo.s32.u32")
  asm("mad24.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(ux24), "r"(uy24), "r"(z));
  out[11 * n + i] = r;
  asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x24), "r"(y24), "r"(z));
  out[12 * n + i] = r;
  asm("mad24.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x24), "r"(y24), "r"(z));
  out[13 * n + i] = r;
  asm("mul24.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(ux24), "r"(uy24));
  out[14 * n + i] = r;
}
