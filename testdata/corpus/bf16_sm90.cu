// arch: sm_90 flags:
// bfloat16 addition, subtraction and multiplication, scalar and packed, from sm_90 on.
#include "../include/gpusim.cuh"

#define OP2(K, INS)                                        \
  asm(INS " %0, %1, %2;" : "=h"(r) : "h"(x), "h"(y));      \
  out[K * n + i] = r;
#define PACKED(K, INS)                                     \
  asm(INS " %0, %1, %2;" : "=r"(pr) : "r"(px), "r"(py));   \
  out2[K * n + i] = pr;

__global__ void bf16_sm90(const ushort *a, const ushort *b, ushort *out, unsigned *out2, float *wide, int n) {
  int i = threadIdx.x;
  ushort x = a[i], y = b[i], r;
  OP2(0, "add.bf16")
  OP2(1, "sub.rn.bf16")
  OP2(2, "mul.bf16")
  __bf16 bx = __builtin_bit_cast(__bf16, x), by = __builtin_bit_cast(__bf16, y);
  out[3 * n + i] = __builtin_bit_cast(ushort, (__bf16)(bx + by));
  unsigned px = (unsigned)y << 16 | x, py = (unsigned)x << 16 | y, pr;
  PACKED(0, "add.bf16x2")
  PACKED(1, "sub.bf16x2")
  PACKED(2, "mul.rn.bf16x2")
  float f;
  asm("cvt.f32.bf16 %0, %1;" : "=f"(f) : "h"(x));
  wide[i] = f;
}
