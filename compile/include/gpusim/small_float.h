// The functions that cuda_fp16.h and cuda_bf16.h have in common. Included by both, with
//
//	GPUSIM_T, GPUSIM_T2      the type and its pair
//	GPUSIM_N(prefix, suffix) a name with half or bfloat16 within
//	gpusim_wide(T), gpusim_narrow_<T>(float)
//	gpusim_add/sub/mul/div/fma/neg on T and T2

// --- conversions -------------------------------------------------------------

GPUSIM_BOTH float GPUSIM_N(__, 2float)(GPUSIM_T a) { return gpusim_wide(a); }
GPUSIM_BOTH GPUSIM_T GPUSIM_N(__float2, )(float a) { return GPUSIM_NARROW(a); }
GPUSIM_BOTH GPUSIM_T GPUSIM_N(__float2, _rn)(float a) { return GPUSIM_NARROW(a); }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__float2, 2_rn)(float a) { return {GPUSIM_NARROW(a), GPUSIM_NARROW(a)}; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__floats2, 2_rn)(float a, float b) { return {GPUSIM_NARROW(a), GPUSIM_NARROW(b)}; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__float22, 2_rn)(float2 a) { return {GPUSIM_NARROW(a.x), GPUSIM_NARROW(a.y)}; }
GPUSIM_BOTH float2 GPUSIM_N(__, 22float2)(GPUSIM_T2 a) { return float2{gpusim_wide(a.x), gpusim_wide(a.y)}; }
GPUSIM_BOTH float __low2float(GPUSIM_T2 a) { return gpusim_wide(a.x); }
GPUSIM_BOTH float __high2float(GPUSIM_T2 a) { return gpusim_wide(a.y); }
GPUSIM_BOTH GPUSIM_T GPUSIM_N(__low2, )(GPUSIM_T2 a) { return a.x; }
GPUSIM_BOTH GPUSIM_T GPUSIM_N(__high2, )(GPUSIM_T2 a) { return a.y; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__low2, 2)(GPUSIM_T2 a) { return {a.x, a.x}; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__high2, 2)(GPUSIM_T2 a) { return {a.y, a.y}; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__lows2, 2)(GPUSIM_T2 a, GPUSIM_T2 b) { return {a.x, b.x}; }
GPUSIM_BOTH GPUSIM_T2 GPUSIM_N(__highs2, 2)(GPUSIM_T2 a, GPUSIM_T2 b) { return {a.y, b.y}; }
GPUSIM_BOTH GPUSIM_T2 __lowhigh2highlow(GPUSIM_T2 a) { return {a.y, a.x}; }
GPUSIM_FN short GPUSIM_N(__, _as_short)(GPUSIM_T a) { return __builtin_bit_cast(short, a); }
GPUSIM_FN unsigned short GPUSIM_N(__, _as_ushort)(GPUSIM_T a) { return __builtin_bit_cast(unsigned short, a); }
GPUSIM_FN GPUSIM_T GPUSIM_N(__short_as_, )(short a) { return __builtin_bit_cast(GPUSIM_T, a); }
GPUSIM_FN GPUSIM_T GPUSIM_N(__ushort_as_, )(unsigned short a) { return __builtin_bit_cast(GPUSIM_T, a); }

// To integers: the exact float first, then its rounding.
#define GPUSIM_TO_INT(R)                                                                                        \
  GPUSIM_FN int GPUSIM_N(__, 2int_##R)(GPUSIM_T a) { return __float2int_##R(gpusim_wide(a)); }                  \
  GPUSIM_FN unsigned GPUSIM_N(__, 2uint_##R)(GPUSIM_T a) { return __float2uint_##R(gpusim_wide(a)); }           \
  GPUSIM_FN long long GPUSIM_N(__, 2ll_##R)(GPUSIM_T a) { return __float2ll_##R(gpusim_wide(a)); }              \
  GPUSIM_FN unsigned long long GPUSIM_N(__, 2ull_##R)(GPUSIM_T a) { return __float2ull_##R(gpusim_wide(a)); }
GPUSIM_TO_INT(rn)
GPUSIM_TO_INT(rz)
GPUSIM_TO_INT(rd)
GPUSIM_TO_INT(ru)
#undef GPUSIM_TO_INT

// --- arithmetic ----------------------------------------------------------------

#define GPUSIM_BINARY(NAME, OP)                                                                          \
  GPUSIM_FN GPUSIM_T __h##NAME(GPUSIM_T a, GPUSIM_T b) { return gpusim_##OP(a, b); }                     \
  GPUSIM_FN GPUSIM_T __h##NAME##_rn(GPUSIM_T a, GPUSIM_T b) { return gpusim_##OP(a, b); }                \
  GPUSIM_FN GPUSIM_T2 __h##NAME##2(GPUSIM_T2 a, GPUSIM_T2 b) { return gpusim_##OP(a, b); }               \
  GPUSIM_FN GPUSIM_T2 __h##NAME##2_rn(GPUSIM_T2 a, GPUSIM_T2 b) { return gpusim_##OP(a, b); }            \
  GPUSIM_FN GPUSIM_T __h##NAME##_sat(GPUSIM_T a, GPUSIM_T b) { return gpusim_sat(gpusim_##OP(a, b)); }   \
  GPUSIM_FN GPUSIM_T2 __h##NAME##2_sat(GPUSIM_T2 a, GPUSIM_T2 b) {                                       \
    GPUSIM_T2 r = gpusim_##OP(a, b);                                                                     \
    return {gpusim_sat(r.x), gpusim_sat(r.y)};                                                           \
  }
GPUSIM_FN GPUSIM_T gpusim_sat(GPUSIM_T a) { return GPUSIM_NARROW(__saturatef(gpusim_wide(a))); }
GPUSIM_FN GPUSIM_T gpusim_relu(GPUSIM_T a) {
  float f = gpusim_wide(a);
  return f > 0.0f || f != f ? a : GPUSIM_NARROW(0.0f);
}
GPUSIM_BINARY(add, add)
GPUSIM_BINARY(sub, sub)
GPUSIM_BINARY(mul, mul)
#undef GPUSIM_BINARY
GPUSIM_FN GPUSIM_T __hdiv(GPUSIM_T a, GPUSIM_T b) { return gpusim_div(a, b); }
GPUSIM_FN GPUSIM_T2 __h2div(GPUSIM_T2 a, GPUSIM_T2 b) { return {gpusim_div(a.x, b.x), gpusim_div(a.y, b.y)}; }
GPUSIM_FN GPUSIM_T __hfma(GPUSIM_T a, GPUSIM_T b, GPUSIM_T c) { return gpusim_fma(a, b, c); }
GPUSIM_FN GPUSIM_T2 __hfma2(GPUSIM_T2 a, GPUSIM_T2 b, GPUSIM_T2 c) { return gpusim_fma(a, b, c); }
GPUSIM_FN GPUSIM_T __hfma_sat(GPUSIM_T a, GPUSIM_T b, GPUSIM_T c) { return gpusim_sat(gpusim_fma(a, b, c)); }
GPUSIM_FN GPUSIM_T __hfma_relu(GPUSIM_T a, GPUSIM_T b, GPUSIM_T c) { return gpusim_relu(gpusim_fma(a, b, c)); }
GPUSIM_FN GPUSIM_T2 __hfma2_relu(GPUSIM_T2 a, GPUSIM_T2 b, GPUSIM_T2 c) {
  GPUSIM_T2 r = gpusim_fma(a, b, c);
  return {gpusim_relu(r.x), gpusim_relu(r.y)};
}
GPUSIM_FN GPUSIM_T __hneg(GPUSIM_T a) { return gpusim_neg(a); }
GPUSIM_FN GPUSIM_T2 __hneg2(GPUSIM_T2 a) { return {gpusim_neg(a.x), gpusim_neg(a.y)}; }
GPUSIM_FN GPUSIM_T __habs(GPUSIM_T a) {
  return __builtin_bit_cast(GPUSIM_T, (unsigned short)(__builtin_bit_cast(unsigned short, a) & 0x7fff));
}
GPUSIM_FN GPUSIM_T2 __habs2(GPUSIM_T2 a) { return {__habs(a.x), __habs(a.y)}; }

#define GPUSIM_OPERATOR(OP, NAME)                                                                       \
  GPUSIM_FN GPUSIM_T operator OP(const GPUSIM_T &a, const GPUSIM_T &b) { return gpusim_##NAME(a, b); }  \
  GPUSIM_FN GPUSIM_T2 operator OP(const GPUSIM_T2 &a, const GPUSIM_T2 &b) { return gpusim_##NAME(a, b); } \
  GPUSIM_FN GPUSIM_T &operator OP##=(GPUSIM_T &a, const GPUSIM_T &b) { return a = gpusim_##NAME(a, b); } \
  GPUSIM_FN GPUSIM_T2 &operator OP##=(GPUSIM_T2 &a, const GPUSIM_T2 &b) { return a = gpusim_##NAME(a, b); }
GPUSIM_FN GPUSIM_T2 gpusim_div(GPUSIM_T2 a, GPUSIM_T2 b) { return __h2div(a, b); }
GPUSIM_OPERATOR(+, add)
GPUSIM_OPERATOR(-, sub)
GPUSIM_OPERATOR(*, mul)
GPUSIM_OPERATOR(/, div)
#undef GPUSIM_OPERATOR
GPUSIM_FN GPUSIM_T operator-(const GPUSIM_T &a) { return gpusim_neg(a); }
GPUSIM_FN GPUSIM_T operator+(const GPUSIM_T &a) { return a; }
GPUSIM_FN GPUSIM_T2 operator-(const GPUSIM_T2 &a) { return __hneg2(a); }
GPUSIM_FN GPUSIM_T2 operator+(const GPUSIM_T2 &a) { return a; }
GPUSIM_FN GPUSIM_T &operator++(GPUSIM_T &a) { return a = gpusim_add(a, GPUSIM_NARROW(1.0f)); }
GPUSIM_FN GPUSIM_T &operator--(GPUSIM_T &a) { return a = gpusim_sub(a, GPUSIM_NARROW(1.0f)); }

// --- comparison ----------------------------------------------------------------

// Ordered ones are false for NaN, those with a u are true.
#define GPUSIM_COMPARE(NAME, EXPR)                                                                     \
  GPUSIM_FN bool __h##NAME(GPUSIM_T p, GPUSIM_T q) {                                                   \
    float a = gpusim_wide(p), b = gpusim_wide(q);                                                      \
    return EXPR;                                                                                       \
  }                                                                                                    \
  GPUSIM_FN bool __h##NAME##u(GPUSIM_T p, GPUSIM_T q) {                                                \
    float a = gpusim_wide(p), b = gpusim_wide(q);                                                      \
    return __builtin_isunordered(a, b) || (EXPR);                                                      \
  }                                                                                                    \
  GPUSIM_FN GPUSIM_T2 __h##NAME##2(GPUSIM_T2 a, GPUSIM_T2 b) {                                         \
    return {GPUSIM_NARROW(__h##NAME(a.x, b.x)), GPUSIM_NARROW(__h##NAME(a.y, b.y))};                   \
  }                                                                                                    \
  GPUSIM_FN unsigned __h##NAME##2_mask(GPUSIM_T2 a, GPUSIM_T2 b) {                                     \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);            \
  }                                                                                                    \
  GPUSIM_FN bool __hb##NAME##2(GPUSIM_T2 a, GPUSIM_T2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); } \
  GPUSIM_FN bool __hb##NAME##u2(GPUSIM_T2 a, GPUSIM_T2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }
GPUSIM_COMPARE(eq, a == b)
GPUSIM_COMPARE(ne, a < b || a > b)
GPUSIM_COMPARE(lt, a < b)
GPUSIM_COMPARE(le, a <= b)
GPUSIM_COMPARE(gt, a > b)
GPUSIM_COMPARE(ge, a >= b)
#undef GPUSIM_COMPARE
#define GPUSIM_RELATION(OP, NAME)                                                              \
  GPUSIM_FN bool operator OP(const GPUSIM_T &a, const GPUSIM_T &b) { return __h##NAME(a, b); } \
  GPUSIM_FN bool operator OP(const GPUSIM_T2 &a, const GPUSIM_T2 &b) { return __hb##NAME##2(a, b); }
GPUSIM_RELATION(==, eq)
GPUSIM_RELATION(<, lt)
GPUSIM_RELATION(<=, le)
GPUSIM_RELATION(>, gt)
GPUSIM_RELATION(>=, ge)
#undef GPUSIM_RELATION
GPUSIM_FN bool operator!=(const GPUSIM_T &a, const GPUSIM_T &b) { return __hneu(a, b); }
GPUSIM_FN bool operator!=(const GPUSIM_T2 &a, const GPUSIM_T2 &b) { return __hbneu2(a, b); }
GPUSIM_FN bool __hisnan(GPUSIM_T a) { return __builtin_isnan(gpusim_wide(a)); }
GPUSIM_FN int __hisinf(GPUSIM_T a) {
  float f = gpusim_wide(a);
  return !__builtin_isinf(f) ? 0 : f > 0 ? 1 : -1;
}
GPUSIM_FN GPUSIM_T __hmax(GPUSIM_T a, GPUSIM_T b) { return GPUSIM_NARROW(fmaxf(gpusim_wide(a), gpusim_wide(b))); }
GPUSIM_FN GPUSIM_T __hmin(GPUSIM_T a, GPUSIM_T b) { return GPUSIM_NARROW(fminf(gpusim_wide(a), gpusim_wide(b))); }
GPUSIM_FN GPUSIM_T __hmax_nan(GPUSIM_T a, GPUSIM_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
GPUSIM_FN GPUSIM_T __hmin_nan(GPUSIM_T a, GPUSIM_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
GPUSIM_FN GPUSIM_T2 __hmax2(GPUSIM_T2 a, GPUSIM_T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
GPUSIM_FN GPUSIM_T2 __hmin2(GPUSIM_T2 a, GPUSIM_T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// --- functions -----------------------------------------------------------------

// Computed in single precision and rounded once.
#define GPUSIM_MATH(NAME, F)                                                         \
  GPUSIM_FN GPUSIM_T h##NAME(GPUSIM_T a) { return GPUSIM_NARROW(F(gpusim_wide(a))); } \
  GPUSIM_FN GPUSIM_T2 h2##NAME(GPUSIM_T2 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
GPUSIM_MATH(exp, expf)
GPUSIM_MATH(exp2, exp2f)
GPUSIM_MATH(exp10, exp10f)
GPUSIM_MATH(log, logf)
GPUSIM_MATH(log2, log2f)
GPUSIM_MATH(log10, log10f)
GPUSIM_MATH(sqrt, sqrtf)
GPUSIM_MATH(rsqrt, rsqrtf)
GPUSIM_MATH(rcp, __frcp_rn)
GPUSIM_MATH(sin, sinf)
GPUSIM_MATH(cos, cosf)
GPUSIM_MATH(floor, floorf)
GPUSIM_MATH(ceil, ceilf)
GPUSIM_MATH(trunc, truncf)
GPUSIM_MATH(rint, rintf)
#undef GPUSIM_MATH
GPUSIM_FN GPUSIM_T htanh(GPUSIM_T a) { return GPUSIM_NARROW(tanhf(gpusim_wide(a))); }

// --- memory and warps ------------------------------------------------------------

GPUSIM_FN GPUSIM_T __ldg(const GPUSIM_T *p) { return __builtin_bit_cast(GPUSIM_T, __ldg((const unsigned short *)p)); }
GPUSIM_FN GPUSIM_T2 __ldg(const GPUSIM_T2 *p) { return __builtin_bit_cast(GPUSIM_T2, __ldg((const unsigned *)p)); }
#define GPUSIM_SHFL(NAME, L)                                                                              \
  GPUSIM_FN GPUSIM_T NAME(unsigned mask, GPUSIM_T v, L lane, int width = 32) {                            \
    return __builtin_bit_cast(GPUSIM_T, (unsigned short)NAME(mask, (unsigned)__builtin_bit_cast(unsigned short, v), lane, width)); \
  }                                                                                                       \
  GPUSIM_FN GPUSIM_T2 NAME(unsigned mask, GPUSIM_T2 v, L lane, int width = 32) {                          \
    return __builtin_bit_cast(GPUSIM_T2, NAME(mask, __builtin_bit_cast(unsigned, v), lane, width));       \
  }
GPUSIM_SHFL(__shfl_sync, int)
GPUSIM_SHFL(__shfl_up_sync, unsigned)
GPUSIM_SHFL(__shfl_down_sync, unsigned)
GPUSIM_SHFL(__shfl_xor_sync, int)
#undef GPUSIM_SHFL
