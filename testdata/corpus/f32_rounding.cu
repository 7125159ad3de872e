// Single precision in the four rounding modes.
#include "../include/gpusim.cuh"

#define ROWS(K, MODE)                               \
  out[(K + 0) * n + i] = __fadd_##MODE(x, y);       \
  out[(K + 1) * n + i] = __fmul_##MODE(x, y);       \
  out[(K + 2) * n + i] = __fmaf_##MODE(x, y, z);    \
  out[(K + 3) * n + i] = __fdiv_##MODE(x, y);       \
  out[(K + 4) * n + i] = __frcp_##MODE(x);          \
  out[(K + 5) * n + i] = __fsqrt_##MODE(x);

__global__ void f32_rounding(const float *a, const float *b, const float *c, float *out, int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i], z = c[i];
  ROWS(0, rn)
  ROWS(6, rz)
  ROWS(12, rm)
  ROWS(18, rp)
}
