// lop3 with look-up tables (PTX ISA, "lop3"), and what the compiler makes of boolean expressions.
#include "../include/gpusim.cuh"

#define LOP3(K, LUT)                                                                         \
  asm("lop3.b32 %0, %1, %2, %3, " #LUT ";" : "=r"(r) : "r"(x), "r"(y), "r"(z));              \
  out[K * n + i] = r;

__global__ void lop3(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i], z = c[i], r;
  LOP3(0, 0x80)
  LOP3(1, 0xfe)
  LOP3(2, 0x96)
  LOP3(3, 0xe8)
  LOP3(4, 0xca)
  LOP3(5, 0x1b)
  LOP3(6, 0x00)
  LOP3(7, 0xff)
  out[8 * n + i] = (x & y) ^ (~x & z);
  out[9 * n + i] = (x | y) & ~(z ^ x);
}
