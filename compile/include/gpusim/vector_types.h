// The vector types of CUDA C++ with their alignments ("Built-in Vector Types").
#pragma once

#define GPUSIM_VEC(T, N, A2, A4)                                                             \
  struct __attribute__((aligned(sizeof(T)))) N##1 { T x; };                                  \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                      \
  struct N##3 { T x, y, z; };                                                                \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                                \
  GPUSIM_BOTH constexpr N##1 make_##N##1(T x) { return N##1{x}; }                            \
  GPUSIM_BOTH constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                    \
  GPUSIM_BOTH constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }            \
  GPUSIM_BOTH constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
GPUSIM_VEC(signed char, char, 2, 4)
GPUSIM_VEC(unsigned char, uchar, 2, 4)
GPUSIM_VEC(short, short, 4, 8)
GPUSIM_VEC(unsigned short, ushort, 4, 8)
GPUSIM_VEC(int, int, 8, 16)
GPUSIM_VEC(unsigned, uint, 8, 16)
GPUSIM_VEC(long, long, 16, 16)
GPUSIM_VEC(unsigned long, ulong, 16, 16)
GPUSIM_VEC(long long, longlong, 16, 16)
GPUSIM_VEC(unsigned long long, ulonglong, 16, 16)
GPUSIM_VEC(float, float, 8, 16)
GPUSIM_VEC(double, double, 16, 16)
#undef GPUSIM_VEC

struct dim3 {
  unsigned x, y, z;
  GPUSIM_MEMBOTH constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  GPUSIM_MEMBOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  GPUSIM_MEMBOTH constexpr operator uint3() const { return uint3{x, y, z}; }
};
