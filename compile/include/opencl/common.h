// Common and geometric functions.
#pragma once

#define GPUSIM_COMMON(T)                                                                             \
  GPUSIM_CL T min(T a, T b) { return b < a ? b : a; }                                                \
  GPUSIM_CL T max(T a, T b) { return a < b ? b : a; }                                                \
  GPUSIM_CL T clamp(T a, T low, T high) { return fmin(fmax(a, low), high); }                         \
  GPUSIM_CL T mix(T a, T b, T t) { return a + (b - a) * t; }                                         \
  GPUSIM_CL T step(T edge, T a) { return a < edge ? (T)0 : (T)1; }                                   \
  GPUSIM_CL T smoothstep(T low, T high, T a) {                                                       \
    T t = clamp((a - low) / (high - low), (T)0, (T)1);                                               \
    return t * t * (3 - 2 * t);                                                                      \
  }                                                                                                  \
  GPUSIM_CL T sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? a : (T)0; }                 \
  GPUSIM_CL T degrees(T a) { return a * (T)57.29577951308232; }                                      \
  GPUSIM_CL T radians(T a) { return a * (T)0.017453292519943295; }                                   \
  GPUSIM_SIZES(GPUSIM_V2, T, min) GPUSIM_SIZES(GPUSIM_V2, T, max) GPUSIM_SIZES(GPUSIM_V2, T, step)   \
  GPUSIM_SIZES(GPUSIM_V2S, T, min) GPUSIM_SIZES(GPUSIM_V2S, T, max)                                  \
  GPUSIM_SIZES(GPUSIM_V3, T, clamp) GPUSIM_SIZES(GPUSIM_V3, T, mix) GPUSIM_SIZES(GPUSIM_V3, T, smoothstep) \
  GPUSIM_SIZES(GPUSIM_V1, T, sign) GPUSIM_SIZES(GPUSIM_V1, T, degrees) GPUSIM_SIZES(GPUSIM_V1, T, radians) \
  GPUSIM_SIZES(GPUSIM_CLAMP_MIX, T)                                                                  \
  GPUSIM_CL T dot(T a, T b) { return a * b; }                                                        \
  GPUSIM_CL T length(T a) { return fabs(a); }                                                        \
  GPUSIM_CL T distance(T a, T b) { return fabs(a - b); }                                             \
  GPUSIM_CL T normalize(T a) { return sign(a); }                                                     \
  GPUSIM_GEOMETRIC(T, 2) GPUSIM_GEOMETRIC(T, 3) GPUSIM_GEOMETRIC(T, 4)                               \
  GPUSIM_CL T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                     \
  GPUSIM_CL T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); }
#define GPUSIM_CLAMP_MIX(T, N)                                                                       \
  GPUSIM_CL T##N clamp(T##N a, T low, T high) { return clamp(a, (T##N)low, (T##N)high); }            \
  GPUSIM_CL T##N mix(T##N a, T##N b, T t) { return mix(a, b, (T##N)t); }                             \
  GPUSIM_CL T##N step(T edge, T##N a) { return step((T##N)edge, a); }                                \
  GPUSIM_CL T##N smoothstep(T low, T high, T##N a) { return smoothstep((T##N)low, (T##N)high, a); }
#define GPUSIM_GEOMETRIC(T, N)                                                                       \
  GPUSIM_CL T dot(T##N a, T##N b) {                                                                  \
    T r = a[0] * b[0];                                                                               \
    for (int i = 1; i < N; i++) r = fma(a[i], b[i], r);                                              \
    return r;                                                                                        \
  }                                                                                                  \
  GPUSIM_CL T length(T##N a) { return sqrt(dot(a, a)); }                                             \
  GPUSIM_CL T distance(T##N a, T##N b) { return length(a - b); }                                     \
  GPUSIM_CL T##N normalize(T##N a) {                                                                 \
    T n = length(a);                                                                                 \
    return n == 0 ? a : a / n;                                                                       \
  }
GPUSIM_COMMON(float)
GPUSIM_COMMON(double)
#define GPUSIM_FAST(N)                                                     \
  GPUSIM_CL float fast_length(float##N a) { return length(a); }            \
  GPUSIM_CL float fast_distance(float##N a, float##N b) { return distance(a, b); } \
  GPUSIM_CL float##N fast_normalize(float##N a) { return normalize(a); }
GPUSIM_FAST()
GPUSIM_FAST(2)
GPUSIM_FAST(3)
GPUSIM_FAST(4)
