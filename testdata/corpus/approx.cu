// arch: sm_75 flags:
// The approximate instructions and their special cases; tolerances are those of the PTX ISA.
#include "../include/gpusim.cuh"

__global__ void approx(const float *a, float *rel, float *log, float *trig, float *tanh, int n) {
  int i = threadIdx.x;
  float x = a[i];
  rel[0 * n + i] = exp2_approx(x);
  rel[1 * n + i] = rcp_approx(x);
  rel[2 * n + i] = rsqrt_approx(x);
  rel[3 * n + i] = sqrt_approx(x);
  rel[4 * n + i] = __fdividef(3.0f, x);
  float r;
  asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(7.0f));
  rel[5 * n + i] = r;
  log[i] = log2_approx(x);
  trig[0 * n + i] = sin_approx(x);
  trig[1 * n + i] = cos_approx(x);
  tanh[i] = tanh_approx(x);
}
