// arch: sm_70 flags:
// Double precision in the four rounding modes, and as C++ operators.
#include "../include/gpusim.cuh"

#define ROWS(K, MODE)                             \
  out[(K + 0) * n + i] = __dadd_##MODE(x, y);     \
  out[(K + 1) * n + i] = __dmul_##MODE(x, y);     \
  out[(K + 2) * n + i] = __fma_##MODE(x, y, z);   \
  out[(K + 3) * n + i] = __ddiv_##MODE(x, y);     \
  out[(K + 4) * n + i] = __drcp_##MODE(x);        \
  out[(K + 5) * n + i] = __dsqrt_##MODE(x);

__global__ void f64_arith(const double *a, const double *b, const double *c, double *out, int n) {
  int i = threadIdx.x;
  double x = a[i], y = b[i], z = c[i];
  ROWS(0, rn)
  ROWS(6, rz)
  ROWS(12, rm)
  ROWS(18, rp)
  out[24 * n + i] = x + y;
  out[25 * n + i] = x - y;
  out[26 * n + i] = x * y;
  out[27 * n + i] = x / y;
  out[28 * n + i] = fma(x, y, z);
  out[29 * n + i] = sqrt(x);
  out[30 * n + i] = fmin(x, y);
  out[31 * n + i] = fmax(x, y);
  out[32 * n + i] = fabs(x);
  out[33 * n + i] = -x;
}
