// Math functions: instructions where there is one, else libdevice's functions, which the simulator answers.
#pragma once

float __nv_acosf(float);
double __nv_acos(double);
float __nv_acoshf(float);
double __nv_acosh(double);
float __nv_asinf(float);
double __nv_asin(double);
float __nv_asinhf(float);
double __nv_asinh(double);
float __nv_atanf(float);
double __nv_atan(double);
float __nv_atanhf(float);
double __nv_atanh(double);
float __nv_cbrtf(float);
double __nv_cbrt(double);
float __nv_cosf(float);
double __nv_cos(double);
float __nv_coshf(float);
double __nv_cosh(double);
float __nv_cospif(float);
double __nv_cospi(double);
float __nv_erff(float);
double __nv_erf(double);
float __nv_erfcf(float);
double __nv_erfc(double);
float __nv_expf(float);
double __nv_exp(double);
float __nv_exp2f(float);
double __nv_exp2(double);
float __nv_exp10f(float);
double __nv_exp10(double);
float __nv_expm1f(float);
double __nv_expm1(double);
float __nv_lgammaf(float);
double __nv_lgamma(double);
float __nv_logf(float);
double __nv_log(double);
float __nv_log10f(float);
double __nv_log10(double);
float __nv_log1pf(float);
double __nv_log1p(double);
float __nv_log2f(float);
double __nv_log2(double);
float __nv_logbf(float);
double __nv_logb(double);
float __nv_roundf(float);
double __nv_round(double);
float __nv_sinf(float);
double __nv_sin(double);
float __nv_sinhf(float);
double __nv_sinh(double);
float __nv_sinpif(float);
double __nv_sinpi(double);
float __nv_tanf(float);
double __nv_tan(double);
float __nv_tanhf(float);
double __nv_tanh(double);
float __nv_tgammaf(float);
double __nv_tgamma(double);
float __nv_atan2f(float, float);
double __nv_atan2(double, double);
float __nv_fdimf(float, float);
double __nv_fdim(double, double);
float __nv_fmodf(float, float);
double __nv_fmod(double, double);
float __nv_hypotf(float, float);
double __nv_hypot(double, double);
float __nv_nextafterf(float, float);
double __nv_nextafter(double, double);
float __nv_powf(float, float);
double __nv_pow(double, double);
float __nv_remainderf(float, float);
double __nv_remainder(double, double);
float __nv_ldexpf(float, int);
double __nv_ldexp(double, int);
float __nv_powif(float, int);
double __nv_powi(double, int);
int __nv_ilogbf(float);
int __nv_ilogb(double);
double __nv_rsqrt(double);
// Their pointers are generic ones: a copy in private memory is what they get.
float __nv_frexpf(float, int *);
double __nv_frexp(double, int *);
float __nv_modff(float, float *);
double __nv_modf(double, double *);
float __nv_remquof(float, float, int *);
double __nv_remquo(double, double, int *);

// A function of T applied to the elements of a vector.
#define GPUSIM_V1(T, F, N)                     \
  GPUSIM_CL T##N F(T##N a) {                   \
    T##N r;                                    \
    for (int i = 0; i < N; i++) r[i] = F(a[i]); \
    return r;                                  \
  }
#define GPUSIM_V2(T, F, N)                           \
  GPUSIM_CL T##N F(T##N a, T##N b) {                 \
    T##N r;                                          \
    for (int i = 0; i < N; i++) r[i] = F(a[i], b[i]); \
    return r;                                        \
  }
#define GPUSIM_V2S(T, F, N) \
  GPUSIM_CL T##N F(T##N a, T b) { return F(a, (T##N)b); }
#define GPUSIM_V3(T, F, N)                                 \
  GPUSIM_CL T##N F(T##N a, T##N b, T##N c) {               \
    T##N r;                                                \
    for (int i = 0; i < N; i++) r[i] = F(a[i], b[i], c[i]); \
    return r;                                              \
  }
#define GPUSIM_V2I(T, F, N)                          \
  GPUSIM_CL T##N F(T##N a, int##N b) {               \
    T##N r;                                          \
    for (int i = 0; i < N; i++) r[i] = F(a[i], b[i]); \
    return r;                                        \
  }                                                  \
  GPUSIM_CL T##N F(T##N a, int b) { return F(a, (int##N)b); }
#define GPUSIM_UNARY(NAME, FLOAT, DOUBLE)        \
  GPUSIM_CL float NAME(float a) { return FLOAT; }   \
  GPUSIM_CL double NAME(double a) { return DOUBLE; } \
  GPUSIM_SIZES(GPUSIM_V1, float, NAME)           \
  GPUSIM_SIZES(GPUSIM_V1, double, NAME)
#define GPUSIM_BINARY(NAME, FLOAT, DOUBLE)                 \
  GPUSIM_CL float NAME(float a, float b) { return FLOAT; }    \
  GPUSIM_CL double NAME(double a, double b) { return DOUBLE; } \
  GPUSIM_SIZES(GPUSIM_V2, float, NAME)                     \
  GPUSIM_SIZES(GPUSIM_V2, double, NAME)
#define GPUSIM_TERNARY(NAME, FLOAT, DOUBLE)                          \
  GPUSIM_CL float NAME(float a, float b, float c) { return FLOAT; }     \
  GPUSIM_CL double NAME(double a, double b, double c) { return DOUBLE; } \
  GPUSIM_SIZES(GPUSIM_V3, float, NAME)                               \
  GPUSIM_SIZES(GPUSIM_V3, double, NAME)
#define GPUSIM_WITH_INT(NAME, FLOAT, DOUBLE)             \
  GPUSIM_CL float NAME(float a, int b) { return FLOAT; }    \
  GPUSIM_CL double NAME(double a, int b) { return DOUBLE; } \
  GPUSIM_SIZES(GPUSIM_V2I, float, NAME)                  \
  GPUSIM_SIZES(GPUSIM_V2I, double, NAME)

GPUSIM_UNARY(acos, __nv_acosf(a), __nv_acos(a))
GPUSIM_UNARY(acosh, __nv_acoshf(a), __nv_acosh(a))
GPUSIM_UNARY(asin, __nv_asinf(a), __nv_asin(a))
GPUSIM_UNARY(asinh, __nv_asinhf(a), __nv_asinh(a))
GPUSIM_UNARY(atan, __nv_atanf(a), __nv_atan(a))
GPUSIM_UNARY(atanh, __nv_atanhf(a), __nv_atanh(a))
GPUSIM_UNARY(cbrt, __nv_cbrtf(a), __nv_cbrt(a))
GPUSIM_UNARY(cos, __nv_cosf(a), __nv_cos(a))
GPUSIM_UNARY(cosh, __nv_coshf(a), __nv_cosh(a))
GPUSIM_UNARY(cospi, __nv_cospif(a), __nv_cospi(a))
GPUSIM_UNARY(erf, __nv_erff(a), __nv_erf(a))
GPUSIM_UNARY(erfc, __nv_erfcf(a), __nv_erfc(a))
GPUSIM_UNARY(exp, __nv_expf(a), __nv_exp(a))
GPUSIM_UNARY(exp2, __nv_exp2f(a), __nv_exp2(a))
GPUSIM_UNARY(exp10, __nv_exp10f(a), __nv_exp10(a))
GPUSIM_UNARY(expm1, __nv_expm1f(a), __nv_expm1(a))
GPUSIM_UNARY(lgamma, __nv_lgammaf(a), __nv_lgamma(a))
GPUSIM_UNARY(log, __nv_logf(a), __nv_log(a))
GPUSIM_UNARY(log10, __nv_log10f(a), __nv_log10(a))
GPUSIM_UNARY(log1p, __nv_log1pf(a), __nv_log1p(a))
GPUSIM_UNARY(log2, __nv_log2f(a), __nv_log2(a))
GPUSIM_UNARY(logb, __nv_logbf(a), __nv_logb(a))
GPUSIM_UNARY(round, __nv_roundf(a), __nv_round(a))
GPUSIM_UNARY(sin, __nv_sinf(a), __nv_sin(a))
GPUSIM_UNARY(sinh, __nv_sinhf(a), __nv_sinh(a))
GPUSIM_UNARY(sinpi, __nv_sinpif(a), __nv_sinpi(a))
GPUSIM_UNARY(tan, __nv_tanf(a), __nv_tan(a))
GPUSIM_UNARY(tanh, __nv_tanhf(a), __nv_tanh(a))
GPUSIM_UNARY(tgamma, __nv_tgammaf(a), __nv_tgamma(a))
GPUSIM_BINARY(atan2, __nv_atan2f(a, b), __nv_atan2(a, b))
GPUSIM_BINARY(fdim, __nv_fdimf(a, b), __nv_fdim(a, b))
GPUSIM_BINARY(fmod, __nv_fmodf(a, b), __nv_fmod(a, b))
GPUSIM_BINARY(hypot, __nv_hypotf(a, b), __nv_hypot(a, b))
GPUSIM_BINARY(nextafter, __nv_nextafterf(a, b), __nv_nextafter(a, b))
GPUSIM_BINARY(pow, __nv_powf(a, b), __nv_pow(a, b))
GPUSIM_BINARY(remainder, __nv_remainderf(a, b), __nv_remainder(a, b))
GPUSIM_UNARY(fabs, __builtin_fabsf(a), __builtin_fabs(a))
GPUSIM_UNARY(ceil, __builtin_ceilf(a), __builtin_ceil(a))
GPUSIM_UNARY(floor, __builtin_floorf(a), __builtin_floor(a))
GPUSIM_UNARY(trunc, __builtin_truncf(a), __builtin_trunc(a))
GPUSIM_UNARY(rint, __builtin_rintf(a), __builtin_rint(a))
GPUSIM_UNARY(sqrt, __nvvm_sqrt_rn_f(a), __nvvm_sqrt_rn_d(a))
GPUSIM_UNARY(rsqrt, __nvvm_rsqrt_approx_f(a), __nv_rsqrt(a))
GPUSIM_UNARY(acospi, __nv_acosf(a) * M_1_PI_F, __nv_acos(a) * M_1_PI)
GPUSIM_UNARY(asinpi, __nv_asinf(a) * M_1_PI_F, __nv_asin(a) * M_1_PI)
GPUSIM_UNARY(atanpi, __nv_atanf(a) * M_1_PI_F, __nv_atan(a) * M_1_PI)
GPUSIM_UNARY(tanpi, __nv_sinpif(a) / __nv_cospif(a), __nv_sinpi(a) / __nv_cospi(a))
GPUSIM_BINARY(atan2pi, __nv_atan2f(a, b) * M_1_PI_F, __nv_atan2(a, b) * M_1_PI)
GPUSIM_BINARY(powr, __nv_powf(a, b), __nv_pow(a, b))
GPUSIM_BINARY(copysign, __builtin_copysignf(a, b), __builtin_copysign(a, b))
GPUSIM_BINARY(fmax, __builtin_fmaxf(a, b), __builtin_fmax(a, b))
GPUSIM_BINARY(fmin, __builtin_fminf(a, b), __builtin_fmin(a, b))
GPUSIM_SIZES(GPUSIM_V2S, float, fmax)
GPUSIM_SIZES(GPUSIM_V2S, float, fmin)
GPUSIM_SIZES(GPUSIM_V2S, double, fmax)
GPUSIM_SIZES(GPUSIM_V2S, double, fmin)
GPUSIM_BINARY(maxmag, fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b), fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b))
GPUSIM_BINARY(minmag, fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b), fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b))
GPUSIM_TERNARY(fma, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
GPUSIM_TERNARY(mad, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
GPUSIM_WITH_INT(ldexp, __nv_ldexpf(a, b), __nv_ldexp(a, b))
GPUSIM_WITH_INT(pown, __nv_powif(a, b), __nv_powi(a, b))
GPUSIM_CL float gpusim_rootn(float a, int n) {
  float r = __nv_powf(__builtin_fabsf(a), 1.0f / (float)n);
  return a < 0 && (n & 1) ? -r : a < 0 ? NAN : r;
}
GPUSIM_CL double gpusim_rootn(double a, int n) {
  double r = __nv_pow(__builtin_fabs(a), 1.0 / (double)n);
  return a < 0 && (n & 1) ? -r : a < 0 ? (double)NAN : r;
}
GPUSIM_WITH_INT(rootn, gpusim_rootn(a, b), gpusim_rootn(a, b))
GPUSIM_CL int ilogb(float a) { return __nv_ilogbf(a); }
GPUSIM_CL int ilogb(double a) { return __nv_ilogb(a); }
GPUSIM_CL float nan(uint code) { return as_float(0x7fc00000u | (code & 0x3fffffu)); }

// native_ and half_ functions are the approximate instructions.
#define GPUSIM_NATIVE(NAME, EXPR)                      \
  GPUSIM_CL float native_##NAME(float a) { return EXPR; } \
  GPUSIM_CL float half_##NAME(float a) { return EXPR; }   \
  GPUSIM_SIZES(GPUSIM_V1, float, native_##NAME)        \
  GPUSIM_SIZES(GPUSIM_V1, float, half_##NAME)
#define GPUSIM_NATIVE2(NAME, EXPR)                              \
  GPUSIM_CL float native_##NAME(float a, float b) { return EXPR; } \
  GPUSIM_CL float half_##NAME(float a, float b) { return EXPR; }   \
  GPUSIM_SIZES(GPUSIM_V2, float, native_##NAME)                 \
  GPUSIM_SIZES(GPUSIM_V2, float, half_##NAME)
GPUSIM_NATIVE(cos, __nvvm_cos_approx_f(a))
GPUSIM_NATIVE(sin, __nvvm_sin_approx_f(a))
GPUSIM_NATIVE(tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)))
GPUSIM_NATIVE(exp, __nvvm_ex2_approx_f(a * 1.44269504f))
GPUSIM_NATIVE(exp2, __nvvm_ex2_approx_f(a))
GPUSIM_NATIVE(exp10, __nvvm_ex2_approx_f(a * 3.32192809f))
GPUSIM_NATIVE(log, __nvvm_lg2_approx_f(a) * 0.693147181f)
GPUSIM_NATIVE(log2, __nvvm_lg2_approx_f(a))
GPUSIM_NATIVE(log10, __nvvm_lg2_approx_f(a) * 0.301029996f)
GPUSIM_NATIVE(sqrt, __nvvm_sqrt_approx_f(a))
GPUSIM_NATIVE(rsqrt, __nvvm_rsqrt_approx_f(a))
GPUSIM_NATIVE(recip, __nvvm_rcp_approx_ftz_f(a))
GPUSIM_NATIVE2(divide, __nvvm_div_approx_f(a, b))
GPUSIM_NATIVE2(powr, __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)))

// With a second result through a pointer into any address space.
#define GPUSIM_SECOND(AS, T, S)                                                                                   \
  GPUSIM_CL T sincos(T a, AS T *c) { *c = cos(a); return sin(a); }                                                \
  GPUSIM_CL T fract(T a, AS T *p) { *p = floor(a); return fmin(a - floor(a), (T)GPUSIM_ONE_##S); }                \
  GPUSIM_CL T modf(T a, AS T *p) { T t = trunc(a); *p = t; return copysign(__builtin_isinf(a) ? (T)0 : a - t, a); }         \
  GPUSIM_CL T frexp(T a, AS int *e) { int n; T r = gpusim_frexp(a, &n); *e = n; return r; }                       \
  GPUSIM_CL T remquo(T a, T b, AS int *q) { int n; T r = gpusim_remquo(a, b, &n); *q = n; return r; }
#define GPUSIM_ONE_f 0x1.fffffep-1f
#define GPUSIM_ONE_d 0x1.fffffffffffffp-1
GPUSIM_CL float gpusim_frexp(float a, int *n) { return __nv_frexpf(a, n); }
GPUSIM_CL double gpusim_frexp(double a, int *n) { return __nv_frexp(a, n); }
GPUSIM_CL float gpusim_remquo(float a, float b, int *n) { return __nv_remquof(a, b, n); }
GPUSIM_CL double gpusim_remquo(double a, double b, int *n) { return __nv_remquo(a, b, n); }
GPUSIM_SECOND(__private, float, f)
GPUSIM_SECOND(__private, double, d)
GPUSIM_SECOND(__global, float, f)
GPUSIM_SECOND(__global, double, d)
GPUSIM_SECOND(__local, float, f)
GPUSIM_SECOND(__local, double, d)
