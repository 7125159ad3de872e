// Integer functions.
#pragma once

#define GPUSIM_BITS(T) ((int)sizeof(T) * 8)
#define GPUSIM_SIGNED(T) ((T)-1 < (T)1)
#define GPUSIM_MOST(T) (GPUSIM_SIGNED(T) ? (T)(((ulong)1 << (GPUSIM_BITS(T) - 1)) - 1) : (T)-1)
#define GPUSIM_LEAST(T) (GPUSIM_SIGNED(T) ? (T)((ulong)1 << (GPUSIM_BITS(T) - 1)) : (T)0)
#define GPUSIM_INT(T, U, X)                                                                              \
  GPUSIM_CL U abs(T a) { return a < 0 ? (U)0 - (U)a : (U)a; }                                            \
  GPUSIM_CL U abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; }                           \
  GPUSIM_CL T min(T a, T b) { return b < a ? b : a; }                                                    \
  GPUSIM_CL T max(T a, T b) { return a < b ? b : a; }                                                    \
  GPUSIM_CL T clamp(T a, T low, T high) { return min(max(a, low), high); }                               \
  GPUSIM_CL T add_sat(T a, T b) {                                                                        \
    T r;                                                                                                 \
    return !__builtin_add_overflow(a, b, &r) ? r : GPUSIM_SIGNED(T) && a < 0 ? GPUSIM_LEAST(T) : GPUSIM_MOST(T); \
  }                                                                                                      \
  GPUSIM_CL T sub_sat(T a, T b) {                                                                        \
    T r;                                                                                                 \
    return !__builtin_sub_overflow(a, b, &r) ? r : !GPUSIM_SIGNED(T) || a < 0 ? GPUSIM_LEAST(T) : GPUSIM_MOST(T); \
  }                                                                                                      \
  GPUSIM_CL T hadd(T a, T b) { return (a >> 1) + (b >> 1) + (a & b & 1); }                               \
  GPUSIM_CL T rhadd(T a, T b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }                            \
  GPUSIM_CL T rotate(T a, T n) {                                                                         \
    uint k = (uint)n & (GPUSIM_BITS(T) - 1);                                                             \
    return k == 0 ? a : (T)((U)((U)a << k) | (U)((U)a >> (GPUSIM_BITS(T) - k)));                         \
  }                                                                                                      \
  GPUSIM_CL T clz(T a) { return a == 0 ? GPUSIM_BITS(T) : (T)(__builtin_clzl((ulong)(U)a) - (64 - GPUSIM_BITS(T))); } \
  GPUSIM_CL T ctz(T a) { return a == 0 ? GPUSIM_BITS(T) : (T)__builtin_ctzl((ulong)(U)a); }              \
  GPUSIM_CL T popcount(T a) { return (T)__builtin_popcountl((ulong)(U)a); }                              \
  GPUSIM_CL T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }                                         \
  GPUSIM_CL T mad_sat(T a, T b, T c) {                                                                   \
    T lo = (T)((U)a * (U)b), hi = mul_hi(a, b);                                                          \
    if (hi != (GPUSIM_SIGNED(T) && lo < 0 ? (T)-1 : (T)0)) {                                             \
      int negative = GPUSIM_SIGNED(T) && hi < 0;                                                         \
      return negative ? GPUSIM_LEAST(T) : GPUSIM_MOST(T);                                                \
    }                                                                                                    \
    return add_sat(lo, c);                                                                               \
  }                                                                                                      \
  GPUSIM_SIZES(GPUSIM_INT_V, T, U)
#define GPUSIM_INT_V(T, U, N)                                                                            \
  GPUSIM_CL U##N abs(T##N a) {                                                                           \
    U##N r;                                                                                              \
    for (int i = 0; i < N; i++) r[i] = abs(a[i]);                                                        \
    return r;                                                                                            \
  }                                                                                                      \
  GPUSIM_CL U##N abs_diff(T##N a, T##N b) {                                                              \
    U##N r;                                                                                              \
    for (int i = 0; i < N; i++) r[i] = abs_diff(a[i], b[i]);                                             \
    return r;                                                                                            \
  }                                                                                                      \
  GPUSIM_V2(T, min, N) GPUSIM_V2(T, max, N) GPUSIM_V2S(T, min, N) GPUSIM_V2S(T, max, N)                  \
  GPUSIM_V3(T, clamp, N)                                                                                 \
  GPUSIM_CL T##N clamp(T##N a, T low, T high) { return clamp(a, (T##N)low, (T##N)high); }                \
  GPUSIM_V2(T, add_sat, N) GPUSIM_V2(T, sub_sat, N) GPUSIM_V2(T, hadd, N) GPUSIM_V2(T, rhadd, N)         \
  GPUSIM_V2(T, rotate, N) GPUSIM_V1(T, clz, N) GPUSIM_V1(T, ctz, N) GPUSIM_V1(T, popcount, N)            \
  GPUSIM_V2(T, mul_hi, N) GPUSIM_V3(T, mad_hi, N) GPUSIM_V3(T, mad_sat, N)
GPUSIM_CL char mul_hi(char a, char b) { return (char)(((int)a * b) >> 8); }
GPUSIM_CL uchar mul_hi(uchar a, uchar b) { return (uchar)(((uint)a * b) >> 8); }
GPUSIM_CL short mul_hi(short a, short b) { return (short)(((int)a * b) >> 16); }
GPUSIM_CL ushort mul_hi(ushort a, ushort b) { return (ushort)(((uint)a * b) >> 16); }
GPUSIM_CL int mul_hi(int a, int b) { return __nvvm_mulhi_i(a, b); }
GPUSIM_CL uint mul_hi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }
GPUSIM_CL long mul_hi(long a, long b) { return __nvvm_mulhi_ll(a, b); }
GPUSIM_CL ulong mul_hi(ulong a, ulong b) { return __nvvm_mulhi_ull(a, b); }
GPUSIM_INTS(GPUSIM_INT, )

#define GPUSIM_24(T)                                                        \
  GPUSIM_CL T mad24(T a, T b, T c) { return mul24(a, b) + c; }              \
  GPUSIM_SIZES(GPUSIM_V2, T, mul24) GPUSIM_SIZES(GPUSIM_V3, T, mad24)
GPUSIM_CL int mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
GPUSIM_CL uint mul24(uint a, uint b) { return __nvvm_mul24_ui(a, b); }
GPUSIM_24(int)
GPUSIM_24(uint)

#define GPUSIM_UPSAMPLE(R, H, L)                                                            \
  GPUSIM_CL R upsample(H h, L l) { return (R)((R)((R)h << (GPUSIM_BITS(R) / 2)) | (R)l); }  \
  GPUSIM_SIZES(GPUSIM_UPSAMPLE_V, R, H, L)
#define GPUSIM_UPSAMPLE_V(R, H, L, N)                             \
  GPUSIM_CL R##N upsample(H##N h, L##N l) {                       \
    R##N r;                                                       \
    for (int i = 0; i < N; i++) r[i] = upsample(h[i], l[i]);      \
    return r;                                                     \
  }
GPUSIM_UPSAMPLE(short, char, uchar)
GPUSIM_UPSAMPLE(ushort, uchar, uchar)
GPUSIM_UPSAMPLE(int, short, ushort)
GPUSIM_UPSAMPLE(uint, ushort, ushort)
GPUSIM_UPSAMPLE(long, int, uint)
GPUSIM_UPSAMPLE(ulong, uint, uint)
