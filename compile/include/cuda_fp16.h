// Half precision: the type __half over _Float16, whose arithmetic is native from sm_53 on.
#pragma once
#include "gpusim/runtime.h"

typedef _Float16 gpusim_f16x2 __attribute__((ext_vector_type(2)));
struct __half_raw {
  unsigned short x;
};
struct __half {
  _Float16 v;
  __half() = default;
  GPUSIM_MEMBOTH constexpr __half(_Float16 a) : v(a) {}
  GPUSIM_MEMBOTH __half(__half_raw a) : v(__builtin_bit_cast(_Float16, a.x)) {}
  GPUSIM_MEMBOTH constexpr __half(float a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(double a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(short a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(unsigned short a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(int a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(unsigned a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(long a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(unsigned long a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(long long a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr __half(unsigned long long a) : v((_Float16)a) {}
  GPUSIM_MEMBOTH constexpr operator float() const { return (float)v; }
  GPUSIM_MEMBOTH operator __half_raw() const { return {__builtin_bit_cast(unsigned short, v)}; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  GPUSIM_MEMBOTH constexpr __half2(__half a, __half b) : x(a), y(b) {}
  GPUSIM_MEMBOTH __half2(gpusim_f16x2 a) : x(a.x), y(a.y) {}
  GPUSIM_MEMBOTH gpusim_f16x2 vector() const { return gpusim_f16x2{x.v, y.v}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

GPUSIM_BOTH float gpusim_wide(__half a) { return (float)a.v; }
#define GPUSIM_F16(NAME, OP)                                                           \
  GPUSIM_FN __half gpusim_##NAME(__half a, __half b) { return __half((_Float16)(a.v OP b.v)); } \
  GPUSIM_FN __half2 gpusim_##NAME(__half2 a, __half2 b) { return __half2(a.vector() OP b.vector()); }
GPUSIM_F16(add, +)
GPUSIM_F16(sub, -)
GPUSIM_F16(mul, *)
#undef GPUSIM_F16
GPUSIM_FN __half gpusim_div(__half a, __half b) { return __half((float)a.v / (float)b.v); }
GPUSIM_FN __half gpusim_fma(__half a, __half b, __half c) { return __half(__builtin_fmaf16(a.v, b.v, c.v)); }
GPUSIM_FN __half2 gpusim_fma(__half2 a, __half2 b, __half2 c) {
  return __half2(__builtin_elementwise_fma(a.vector(), b.vector(), c.vector()));
}
GPUSIM_FN __half gpusim_neg(__half a) { return __half((_Float16)-a.v); }

#define GPUSIM_T __half
#define GPUSIM_T2 __half2
#define GPUSIM_N(A, B) A##half##B
#define GPUSIM_NARROW(F) __half((float)(F))
#include "gpusim/small_float.h"
#undef GPUSIM_T
#undef GPUSIM_T2
#undef GPUSIM_N
#undef GPUSIM_NARROW

#define GPUSIM_ROUND(R, MODE)                                            \
  GPUSIM_FN __half __float2half_##R(float a) {                           \
    unsigned short r;                                                    \
    asm("cvt." MODE ".f16.f32 %0, %1;" : "=h"(r) : "f"(a));              \
    return __ushort_as_half(r);                                          \
  }
GPUSIM_ROUND(rz, "rz")
GPUSIM_ROUND(rd, "rm")
GPUSIM_ROUND(ru, "rp")
#undef GPUSIM_ROUND
GPUSIM_BOTH __half __double2half(double a) { return __half(a); }
GPUSIM_BOTH __half2 __half2half2(__half a) { return {a, a}; }
GPUSIM_BOTH __half2 __halves2half2(__half a, __half b) { return {a, b}; }
GPUSIM_BOTH __half2 make_half2(__half a, __half b) { return {a, b}; }
GPUSIM_BOTH __half __int2half_rn(int a) { return __half(a); }
GPUSIM_BOTH __half __uint2half_rn(unsigned a) { return __half(a); }
GPUSIM_BOTH __half __short2half_rn(short a) { return __half(a); }
GPUSIM_BOTH __half __ushort2half_rn(unsigned short a) { return __half(a); }
GPUSIM_BOTH __half __ll2half_rn(long long a) { return __half(a); }
GPUSIM_BOTH __half __ull2half_rn(unsigned long long a) { return __half(a); }
GPUSIM_FN __half atomicAdd(__half *p, __half v) {
  unsigned short r;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(__half_as_ushort(v)) : "memory");
  return __ushort_as_half(r);
}
GPUSIM_FN __half2 atomicAdd(__half2 *p, __half2 v) {
  unsigned r;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(r) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
  return __builtin_bit_cast(__half2, r);
}
