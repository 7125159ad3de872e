// Overloads and functions of the CUDA math API that clang's headers leave to the toolkit.
#pragma once

#define GPUSIM_UNARY(NAME, F)                                     \
  GPUSIM_FN float NAME(float a) { return F(a); }
GPUSIM_UNARY(rsqrt, rsqrtf)
GPUSIM_UNARY(rcbrt, rcbrtf)
GPUSIM_UNARY(sinpi, sinpif)
GPUSIM_UNARY(cospi, cospif)
GPUSIM_UNARY(erfinv, erfinvf)
GPUSIM_UNARY(erfcinv, erfcinvf)
GPUSIM_UNARY(erfcx, erfcxf)
GPUSIM_UNARY(normcdf, normcdff)
GPUSIM_UNARY(normcdfinv, normcdfinvf)
GPUSIM_UNARY(exp10, exp10f)
#undef GPUSIM_UNARY
GPUSIM_FN void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
GPUSIM_FN void sincos(float a, float *s, float *c) { sincosf(a, s, c); }

// min and max of mixed arguments, on host and device.
#define GPUSIM_MINMAX(T)                                                        \
  static __attribute__((host)) inline T min(T a, T b) { return b < a ? b : a; } \
  static __attribute__((host)) inline T max(T a, T b) { return a < b ? b : a; }
GPUSIM_MINMAX(int)
GPUSIM_MINMAX(unsigned)
GPUSIM_MINMAX(long)
GPUSIM_MINMAX(unsigned long)
GPUSIM_MINMAX(long long)
GPUSIM_MINMAX(unsigned long long)
GPUSIM_MINMAX(float)
GPUSIM_MINMAX(double)
#undef GPUSIM_MINMAX
