// Pattern u: four floats are loaded at once from an address that is a multiple of 4 only.
#include "../include/gpusim.cuh"

__global__ void racy(const float *in, float *out) {
  int t = threadIdx.x;
  float a, b, c, d;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" // want: misaligned
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(in + 1 + 4 * t));
  out[t] = a + b + c + d;
}

__global__ void fixed(const float *in, float *out) {
  int t = threadIdx.x;
  float a, b, c, d;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(in + 4 * t));
  out[t] = a + b + c + d;
}
