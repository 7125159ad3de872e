// Explicit conversions: convert_T, convert_T_sat and the rounding modes.
#pragma once

#define GPUSIM_CONVERT(T, S)                                              \
  GPUSIM_CL T convert_##T(S a) { return (T)a; }                           \
  GPUSIM_SIZES(GPUSIM_CONVERT_V, T, S)
#define GPUSIM_CONVERT_V(T, S, N) \
  GPUSIM_CL T##N convert_##T##N(S##N a) { return __builtin_convertvector(a, T##N); }
// A vector of a named conversion of its elements.
#define GPUSIM_CONVERT_AS(T, S, SUFFIX, N)                                \
  GPUSIM_CL T##N convert_##T##N##SUFFIX(S##N a) {                         \
    T##N r;                                                               \
    for (int i = 0; i < N; i++) r[i] = convert_##T##SUFFIX(a[i]);         \
    return r;                                                             \
  }
#define GPUSIM_FROM(M, T)                                                 \
  M(T, char) M(T, uchar) M(T, short) M(T, ushort) M(T, int) M(T, uint) M(T, long) M(T, ulong) M(T, float) M(T, double)
#define GPUSIM_ALL_CONVERSIONS(T, U, X) GPUSIM_FROM(GPUSIM_CONVERT, T)
GPUSIM_INTS(GPUSIM_ALL_CONVERSIONS, )
GPUSIM_FROM(GPUSIM_CONVERT, float)
GPUSIM_FROM(GPUSIM_CONVERT, double)

// To integers with saturation: of integers by comparison, of numbers after truncation; NaN gives 0.
#define GPUSIM_SAT_INT(T, S)                                              \
  GPUSIM_CL T convert_##T##_sat(S a) {                                    \
    if (GPUSIM_SIGNED(S) && a < 0) {                                      \
      return !GPUSIM_SIGNED(T) ? (T)0 : (long)a < (long)GPUSIM_LEAST(T) ? GPUSIM_LEAST(T) : (T)a; \
    }                                                                     \
    return (ulong)a > (ulong)GPUSIM_MOST(T) ? GPUSIM_MOST(T) : (T)a;      \
  }                                                                       \
  GPUSIM_SIZES(GPUSIM_CONVERT_AS, T, S, _sat)
#define GPUSIM_SAT_FLOAT(T, S)                                            \
  GPUSIM_CL T gpusim_sat_##T(S a) {                                       \
    if (a != a) return 0;                                                 \
    if (a <= (S)GPUSIM_LEAST(T)) return GPUSIM_LEAST(T);                  \
    return a >= (S)GPUSIM_MOST(T) ? GPUSIM_MOST(T) : (T)a;                \
  }                                                                       \
  GPUSIM_MODE(T, S, , a)                                                  \
  GPUSIM_MODE(T, S, _rtz, trunc(a))                                       \
  GPUSIM_MODE(T, S, _rte, rint(a))                                        \
  GPUSIM_MODE(T, S, _rtp, ceil(a))                                        \
  GPUSIM_MODE(T, S, _rtn, floor(a))
#define GPUSIM_MODE(T, S, R, EXPR)                                        \
  GPUSIM_CL T convert_##T##_sat##R(S a) { return gpusim_sat_##T(EXPR); }  \
  GPUSIM_SIZES(GPUSIM_CONVERT_AS, T, S, _sat##R)                          \
  GPUSIM_PLAIN_MODE##R(T, S, R, EXPR)
#define GPUSIM_PLAIN_MODE(T, S, R, EXPR)
#define GPUSIM_PLAIN_MODE_rtz(T, S, R, EXPR) GPUSIM_ROUNDED(T, S, _rtz, EXPR)
#define GPUSIM_PLAIN_MODE_rte(T, S, R, EXPR) GPUSIM_ROUNDED(T, S, _rte, EXPR)
#define GPUSIM_PLAIN_MODE_rtp(T, S, R, EXPR) GPUSIM_ROUNDED(T, S, _rtp, EXPR)
#define GPUSIM_PLAIN_MODE_rtn(T, S, R, EXPR) GPUSIM_ROUNDED(T, S, _rtn, EXPR)
#define GPUSIM_ROUNDED(T, S, R, EXPR)                                     \
  GPUSIM_CL T convert_##T##R(S a) { return (T)EXPR; }                     \
  GPUSIM_SIZES(GPUSIM_CONVERT_AS, T, S, R)
#define GPUSIM_SATURATING(T, U, X)                                        \
  GPUSIM_SAT_INT(T, char) GPUSIM_SAT_INT(T, uchar) GPUSIM_SAT_INT(T, short) GPUSIM_SAT_INT(T, ushort) \
  GPUSIM_SAT_INT(T, int) GPUSIM_SAT_INT(T, uint) GPUSIM_SAT_INT(T, long) GPUSIM_SAT_INT(T, ulong)     \
  GPUSIM_SAT_FLOAT(T, float) GPUSIM_SAT_FLOAT(T, double)
GPUSIM_INTS(GPUSIM_SATURATING, )

// To numbers: rounding matters for large integers and for double to float.
#define GPUSIM_TO_FLOAT(S, X)                                             \
  GPUSIM_ROUNDED_BY(float, S, _rte, X##2f_rn)                             \
  GPUSIM_ROUNDED_BY(float, S, _rtz, X##2f_rz)                             \
  GPUSIM_ROUNDED_BY(float, S, _rtp, X##2f_rp)                             \
  GPUSIM_ROUNDED_BY(float, S, _rtn, X##2f_rm)
#define GPUSIM_ROUNDED_BY(T, S, R, F)                                     \
  GPUSIM_CL T convert_##T##R(S a) { return __nvvm_##F(a); }               \
  GPUSIM_SIZES(GPUSIM_CONVERT_AS, T, S, R)
GPUSIM_TO_FLOAT(int, i)
GPUSIM_TO_FLOAT(uint, ui)
GPUSIM_TO_FLOAT(long, ll)
GPUSIM_TO_FLOAT(ulong, ull)
GPUSIM_TO_FLOAT(double, d)
