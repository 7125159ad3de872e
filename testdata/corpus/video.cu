// Video instructions, on bytes and halves of words.
#include "../include/gpusim.cuh"

#define OP2(K, INS, X, Y)                                                     \
  asm(INS " %0, " X ", " Y ";" : "=r"(r) : "r"(x), "r"(y));                   \
  out[K * n + i] = r;
#define OP3(K, INS, D, X, Y)                                                  \
  r = 0;                                                                      \
  asm(INS " " D ", " X ", " Y ", %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));    \
  out[K * n + i] = r;

__global__ void video(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i], z = c[i], r;
  OP2(0, "vadd.s32.s32.u32.sat", "%1", "%2.b1")
  OP2(1, "vsub.u32.u32.u32", "%1.h1", "%2.h0")
  OP2(2, "vabsdiff.u32.s32.s32", "%1.b3", "%2")
  OP3(3, "vadd.u32.u32.u32.min", "%0", "%1.h0", "%2.b2")
  OP3(4, "vmax.s32.s32.s32", "%0.h1", "%1", "%2.h1")
  OP3(5, "vabsdiff4.u32.u32.u32.add", "%0", "%1", "%2")
  OP3(6, "vadd4.u32.u32.u32.sat", "%0", "%1", "%2")
  OP3(7, "vsub2.s32.s32.s32.sat", "%0", "%1", "%2")
  OP3(8, "vavrg4.u32.u32.u32", "%0", "%1", "%2")
  OP3(9, "vmin2.s32.s32.s32", "%0.h0", "%1.h01", "%2.h32")
  OP3(10, "vset4.s32.s32.lt", "%0", "%1", "%2")
}
