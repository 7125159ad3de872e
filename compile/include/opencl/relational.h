// Relational functions: 1 or 0 for scalars, -1 or 0 for the elements of vectors.
#pragma once

#define GPUSIM_TEST2(NAME, EXPR)                                           \
  GPUSIM_CL int NAME(float a, float b) { return EXPR; }                    \
  GPUSIM_CL int NAME(double a, double b) { return EXPR; }                  \
  GPUSIM_SIZES(GPUSIM_TEST2_V, float, int, NAME) GPUSIM_SIZES(GPUSIM_TEST2_V, double, long, NAME)
#define GPUSIM_TEST2_V(T, R, NAME, N)                                      \
  GPUSIM_CL R##N NAME(T##N a, T##N b) {                                    \
    R##N r;                                                                \
    for (int i = 0; i < N; i++) r[i] = -NAME(a[i], b[i]);                  \
    return r;                                                              \
  }
#define GPUSIM_TEST1(NAME, EXPR)                                           \
  GPUSIM_CL int NAME(float a) { return EXPR; }                             \
  GPUSIM_CL int NAME(double a) { return EXPR; }                            \
  GPUSIM_SIZES(GPUSIM_TEST1_V, float, int, NAME) GPUSIM_SIZES(GPUSIM_TEST1_V, double, long, NAME)
#define GPUSIM_TEST1_V(T, R, NAME, N)                                      \
  GPUSIM_CL R##N NAME(T##N a) {                                            \
    R##N r;                                                                \
    for (int i = 0; i < N; i++) r[i] = -NAME(a[i]);                        \
    return r;                                                              \
  }
GPUSIM_TEST2(isequal, a == b)
GPUSIM_TEST2(isnotequal, a != b)
GPUSIM_TEST2(isgreater, a > b)
GPUSIM_TEST2(isgreaterequal, a >= b)
GPUSIM_TEST2(isless, a < b)
GPUSIM_TEST2(islessequal, a <= b)
GPUSIM_TEST2(islessgreater, a < b || a > b)
GPUSIM_TEST2(isordered, a == a && b == b)
GPUSIM_TEST2(isunordered, a != a || b != b)
GPUSIM_TEST1(isnan, a != a)
GPUSIM_TEST1(isinf, __builtin_isinf(a) != 0)
GPUSIM_TEST1(isfinite, __builtin_isfinite(a) != 0)
GPUSIM_TEST1(isnormal, __builtin_isnormal(a) != 0)
GPUSIM_TEST1(signbit, __builtin_signbit(a) != 0)

#define GPUSIM_ANY_ALL(T)                                                  \
  GPUSIM_CL int any(T a) { return a < 0; }                                 \
  GPUSIM_CL int all(T a) { return a < 0; }                                 \
  GPUSIM_SIZES(GPUSIM_ANY_ALL_V, T)
#define GPUSIM_ANY_ALL_V(T, N)                                             \
  GPUSIM_CL int any(T##N a) {                                              \
    int r = 0;                                                             \
    for (int i = 0; i < N; i++) r |= a[i] < 0;                             \
    return r;                                                              \
  }                                                                        \
  GPUSIM_CL int all(T##N a) {                                              \
    int r = 1;                                                             \
    for (int i = 0; i < N; i++) r &= a[i] < 0;                             \
    return r;                                                              \
  }
GPUSIM_ANY_ALL(char)
GPUSIM_ANY_ALL(short)
GPUSIM_ANY_ALL(int)
GPUSIM_ANY_ALL(long)

// select: by any bit for scalars, by the top bit for elements. T is selected by S.
#define GPUSIM_SELECT(T, S)                                                \
  GPUSIM_CL T select(T a, T b, S c) { return c ? b : a; }                  \
  GPUSIM_SIZES(GPUSIM_SELECT_V, T, S)
#define GPUSIM_SELECT_V(T, S, N)                                           \
  GPUSIM_CL T##N select(T##N a, T##N b, S##N c) {                          \
    T##N r;                                                                \
    for (int i = 0; i < N; i++) r[i] = (c[i] >> (sizeof(S) * 8 - 1)) & 1 ? b[i] : a[i]; \
    return r;                                                              \
  }
#define GPUSIM_SELECTS(T, S, U) GPUSIM_SELECT(T, S) GPUSIM_SELECT(T, U)
GPUSIM_SELECTS(char, char, uchar)
GPUSIM_SELECTS(uchar, char, uchar)
GPUSIM_SELECTS(short, short, ushort)
GPUSIM_SELECTS(ushort, short, ushort)
GPUSIM_SELECTS(int, int, uint)
GPUSIM_SELECTS(uint, int, uint)
GPUSIM_SELECTS(float, int, uint)
GPUSIM_SELECTS(long, long, ulong)
GPUSIM_SELECTS(ulong, long, ulong)
GPUSIM_SELECTS(double, long, ulong)

#define GPUSIM_BITSELECT(T, U)                                             \
  GPUSIM_CL T bitselect(T a, T b, T c) {                                   \
    U m = __builtin_astype(c, U);                                          \
    return __builtin_astype((U)((__builtin_astype(a, U) & ~m) | (__builtin_astype(b, U) & m)), T); \
  }                                                                        \
  GPUSIM_SIZES(GPUSIM_V3, T, bitselect)
GPUSIM_BITSELECT(char, uchar)
GPUSIM_BITSELECT(uchar, uchar)
GPUSIM_BITSELECT(short, ushort)
GPUSIM_BITSELECT(ushort, ushort)
GPUSIM_BITSELECT(int, uint)
GPUSIM_BITSELECT(uint, uint)
GPUSIM_BITSELECT(long, ulong)
GPUSIM_BITSELECT(ulong, ulong)
GPUSIM_BITSELECT(float, uint)
GPUSIM_BITSELECT(double, ulong)
