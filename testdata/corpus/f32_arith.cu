// arch: sm_70 flags:
// Single precision with the default rounding, denormals kept; fma fused and rounded once.
#include "../include/gpusim.cuh"

__global__ void f32_arith(const float *a, const float *b, const float *c, float *out, int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i], z = c[i];
  out[0 * n + i] = x + y;
  out[1 * n + i] = x - y;
  out[2 * n + i] = x * y;
  out[3 * n + i] = x / y;
  out[4 * n + i] = fmaf(x, y, z);
  out[5 * n + i] = sqrtf(x);
  out[6 * n + i] = 1.0f / y;
}
