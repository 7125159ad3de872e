// bfloat16: its 16 bits are the upper half of a float. Sums, products and quotients of two are computed in single precision and
// rounded, which gives the exactly rounded result (24 >= 2*8 + 2 bits); fma has its own instruction from sm_80 on.
#pragma once
#include "gpusim/runtime.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
// Round to nearest even (PTX ISA, "cvt"); NaN stays NaN.
GPUSIM_BOTH unsigned short gpusim_bf16_bits(float f) {
  unsigned u = __builtin_bit_cast(unsigned, f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
}
struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  GPUSIM_MEMBOTH __nv_bfloat16(__nv_bfloat16_raw a) : bits(a.x) {}
  GPUSIM_MEMBOTH __nv_bfloat16(float a) : bits(gpusim_bf16_bits(a)) {}
  GPUSIM_MEMBOTH __nv_bfloat16(double a) : bits(gpusim_bf16_bits((float)a)) {}
  GPUSIM_MEMBOTH __nv_bfloat16(int a) : bits(gpusim_bf16_bits((float)a)) {}
  GPUSIM_MEMBOTH __nv_bfloat16(unsigned a) : bits(gpusim_bf16_bits((float)a)) {}
  GPUSIM_MEMBOTH __nv_bfloat16(long long a) : bits(gpusim_bf16_bits((float)a)) {}
  GPUSIM_MEMBOTH __nv_bfloat16(unsigned long long a) : bits(gpusim_bf16_bits((float)a)) {}
  GPUSIM_MEMBOTH operator float() const { return __builtin_bit_cast(float, (unsigned)bits << 16); }
  GPUSIM_MEMBOTH operator __nv_bfloat16_raw() const { return {bits}; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  GPUSIM_MEMBOTH __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

GPUSIM_BOTH float gpusim_wide(__nv_bfloat16 a) { return a; }
#define GPUSIM_BF16(NAME, OP)                                                                                          \
  GPUSIM_FN __nv_bfloat16 gpusim_##NAME(__nv_bfloat16 a, __nv_bfloat16 b) { return gpusim_wide(a) OP gpusim_wide(b); } \
  GPUSIM_FN __nv_bfloat162 gpusim_##NAME(__nv_bfloat162 a, __nv_bfloat162 b) {                                         \
    return {gpusim_##NAME(a.x, b.x), gpusim_##NAME(a.y, b.y)};                                                         \
  }
GPUSIM_BF16(add, +)
GPUSIM_BF16(sub, -)
GPUSIM_BF16(mul, *)
#undef GPUSIM_BF16
GPUSIM_FN __nv_bfloat16 gpusim_div(__nv_bfloat16 a, __nv_bfloat16 b) { return gpusim_wide(a) / gpusim_wide(b); }
GPUSIM_FN __nv_bfloat16 gpusim_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return __nv_bfloat16_raw{r};
#else
  return fmaf(gpusim_wide(a), gpusim_wide(b), gpusim_wide(c));
#endif
}
GPUSIM_FN __nv_bfloat162 gpusim_fma(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if __CUDA_ARCH__ >= 800
  unsigned r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));
  return __builtin_bit_cast(__nv_bfloat162, r);
#else
  return {gpusim_fma(a.x, b.x, c.x), gpusim_fma(a.y, b.y, c.y)};
#endif
}
GPUSIM_FN __nv_bfloat16 gpusim_neg(__nv_bfloat16 a) { return __nv_bfloat16_raw{(unsigned short)(a.bits ^ 0x8000)}; }

#define GPUSIM_T __nv_bfloat16
#define GPUSIM_T2 __nv_bfloat162
#define GPUSIM_N(A, B) A##bfloat16##B
#define GPUSIM_NARROW(F) __nv_bfloat16((float)(F))
#include "gpusim/small_float.h"
#undef GPUSIM_T
#undef GPUSIM_T2
#undef GPUSIM_N
#undef GPUSIM_NARROW

GPUSIM_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
GPUSIM_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
GPUSIM_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
GPUSIM_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
GPUSIM_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
GPUSIM_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16(a); }
#if __CUDA_ARCH__ >= 900
GPUSIM_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  unsigned short r;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.bits) : "memory");
  return __nv_bfloat16_raw{r};
}
GPUSIM_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  unsigned r;
  asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
               : "=r"(r) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
  return __builtin_bit_cast(__nv_bfloat162, r);
}
#else
// As the toolkit does before sm_90: by compare and swap.
GPUSIM_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  unsigned short *q = (unsigned short *)p, old = *(volatile unsigned short *)q, seen;
  do {
    seen = old;
    old = atomicCAS(q, seen, gpusim_add(__nv_bfloat16(__nv_bfloat16_raw{seen}), v).bits);
  } while (old != seen);
  return __nv_bfloat16_raw{old};
}
GPUSIM_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  unsigned *q = (unsigned *)p, old = *(volatile unsigned *)q, seen;
  do {
    seen = old;
    old = atomicCAS(q, seen, __builtin_bit_cast(unsigned, gpusim_add(__builtin_bit_cast(__nv_bfloat162, seen), v)));
  } while (old != seen);
  return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif
