// Funnel shifts, clamping and wrapping (PTX ISA, "shf").
#include "../include/gpusim.cuh"

#define SHF(K, DIR, MODE)                                                                          \
  asm("shf." #DIR "." #MODE ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(s));          \
  out[K * n + i] = r;

__global__ void shf(const unsigned *a, const unsigned *b, const unsigned *amount, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned lo = a[i], hi = b[i], s = amount[i], r;
  SHF(0, l, clamp)
  SHF(1, l, wrap)
  SHF(2, r, clamp)
  SHF(3, r, wrap)
  out[4 * n + i] = __builtin_rotateleft32(lo, s);
  out[5 * n + i] = __builtin_rotateright32(hi, s);
}
