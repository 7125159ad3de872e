// Loops around compare-and-swap: a float maximum, a 16-bit counter inside its word, a bounded push.
#include "../include/gpusim.cuh"

__device__ __noinline__ void max_float(float *p, float v) {
  int old = __builtin_bit_cast(int, ld_relaxed_gpu((unsigned *)p));
  while (__builtin_bit_cast(float, old) < v) {
    int seen = atomicCAS((int *)p, old, __builtin_bit_cast(int, v));
    if (seen == old)
      break;
    old = seen;
  }
}

__global__ void cas_loop(const float *in, float *largest, unsigned *halves, unsigned *top, unsigned *list, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n)
    max_float(largest, in[t]);
  unsigned old = ld_relaxed_gpu(halves), want;
  do {
    want = old;
    unsigned next = (old & 0xffff0000u) | ((old + 3) & 0xffffu);
    old = atomicCAS(halves, want, next);
  } while (old != want);
  if (in[t] > 0) {
    unsigned slot = atomicAdd(top, 1u);
    list[slot] = 1;
  }
  ushort r;
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;"
               : "=h"(r) : "l"((ushort *)(halves + 1) + t), "h"((ushort)0), "h"((ushort)(t + 1)) : "memory");
}
