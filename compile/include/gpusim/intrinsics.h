// Intrinsics that clang's headers leave to the toolkit.
#pragma once

// Loads and stores with cache operators (PTX ISA, "Cache Operators"), for every scalar and
// vector type: T is read as N registers of type R.
#define GPUSIM_CACHE_LD(NAME, OP, T, R, C)                                            \
  GPUSIM_FN T NAME(const T *p) {                                                      \
    R v;                                                                              \
    asm volatile("ld." OP " %0, [%1];" : C(v) : "l"(p) : "memory");                   \
    return (T)v;                                                                      \
  }
#define GPUSIM_CACHE_ST(NAME, OP, T, R, C)                                            \
  GPUSIM_FN void NAME(T *p, T v) { asm volatile("st." OP " [%0], %1;" ::"l"(p), C((R)v) : "memory"); }
#define GPUSIM_CACHE_LOADS(LD, LOP)                                                                  \
  GPUSIM_CACHE_LD(LD, LOP ".s8", char, short, "=h")                                                 \
  GPUSIM_CACHE_LD(LD, LOP ".s8", signed char, short, "=h")                                          \
  GPUSIM_CACHE_LD(LD, LOP ".u8", unsigned char, unsigned short, "=h")                               \
  GPUSIM_CACHE_LD(LD, LOP ".s16", short, short, "=h")                                               \
  GPUSIM_CACHE_LD(LD, LOP ".u16", unsigned short, unsigned short, "=h")                             \
  GPUSIM_CACHE_LD(LD, LOP ".s32", int, int, "=r")                                                   \
  GPUSIM_CACHE_LD(LD, LOP ".u32", unsigned, unsigned, "=r")                                         \
  GPUSIM_CACHE_LD(LD, LOP ".s64", long, long, "=l")                                                 \
  GPUSIM_CACHE_LD(LD, LOP ".u64", unsigned long, unsigned long, "=l")                               \
  GPUSIM_CACHE_LD(LD, LOP ".s64", long long, long long, "=l")                                       \
  GPUSIM_CACHE_LD(LD, LOP ".u64", unsigned long long, unsigned long long, "=l")                     \
  GPUSIM_CACHE_LD(LD, LOP ".f32", float, float, "=f")                                               \
  GPUSIM_CACHE_LD(LD, LOP ".f64", double, double, "=d")                                             \
  GPUSIM_CACHE_V(LD, LOP, float, "f32", "f")                                                        \
  GPUSIM_CACHE_V(LD, LOP, int, "s32", "r")                                                          \
  GPUSIM_CACHE_V(LD, LOP, uint, "u32", "r")                                                         \
  GPUSIM_CACHE_V2(LD, LOP, double, "f64", "d")                                                      \
  GPUSIM_CACHE_V2(LD, LOP, longlong, "s64", "l")                                                    \
  GPUSIM_CACHE_V2(LD, LOP, ulonglong, "u64", "l")
#define GPUSIM_CACHE_STORES(ST, SOP)                                                                \
  GPUSIM_CACHE_ST(ST, SOP ".s8", char, short, "h")                                                  \
  GPUSIM_CACHE_ST(ST, SOP ".u8", unsigned char, unsigned short, "h")                                \
  GPUSIM_CACHE_ST(ST, SOP ".s16", short, short, "h")                                                \
  GPUSIM_CACHE_ST(ST, SOP ".u16", unsigned short, unsigned short, "h")                              \
  GPUSIM_CACHE_ST(ST, SOP ".s32", int, int, "r")                                                    \
  GPUSIM_CACHE_ST(ST, SOP ".u32", unsigned, unsigned, "r")                                          \
  GPUSIM_CACHE_ST(ST, SOP ".s64", long long, long long, "l")                                        \
  GPUSIM_CACHE_ST(ST, SOP ".u64", unsigned long long, unsigned long long, "l")                      \
  GPUSIM_CACHE_ST(ST, SOP ".f32", float, float, "f")                                                \
  GPUSIM_CACHE_ST(ST, SOP ".f64", double, double, "d")                                              \
  GPUSIM_CACHE_SV(ST, SOP, float, "f32", "f")                                                       \
  GPUSIM_CACHE_SV(ST, SOP, int, "s32", "r")                                                         \
  GPUSIM_CACHE_SV(ST, SOP, uint, "u32", "r")                                                        \
  GPUSIM_CACHE_SV2(ST, SOP, double, "f64", "d")
#define GPUSIM_CACHE_V2(LD, OP, T, R, C)                                                            \
  GPUSIM_FN T##2 LD(const T##2 *p) {                                                                \
    T##2 v;                                                                                         \
    asm volatile("ld." OP ".v2." R " {%0, %1}, [%2];" : "=" C(v.x), "=" C(v.y) : "l"(p) : "memory"); \
    return v;                                                                                       \
  }
#define GPUSIM_CACHE_V(LD, OP, T, R, C)                                                             \
  GPUSIM_CACHE_V2(LD, OP, T, R, C)                                                                  \
  GPUSIM_FN T##4 LD(const T##4 *p) {                                                                \
    T##4 v;                                                                                         \
    asm volatile("ld." OP ".v4." R " {%0, %1, %2, %3}, [%4];"                                       \
                 : "=" C(v.x), "=" C(v.y), "=" C(v.z), "=" C(v.w) : "l"(p) : "memory");             \
    return v;                                                                                       \
  }
#define GPUSIM_CACHE_SV2(ST, OP, T, R, C)                                                           \
  GPUSIM_FN void ST(T##2 *p, T##2 v) {                                                              \
    asm volatile("st." OP ".v2." R " [%0], {%1, %2};" ::"l"(p), C(v.x), C(v.y) : "memory");         \
  }
#define GPUSIM_CACHE_SV(ST, OP, T, R, C)                                                            \
  GPUSIM_CACHE_SV2(ST, OP, T, R, C)                                                                 \
  GPUSIM_FN void ST(T##4 *p, T##4 v) {                                                              \
    asm volatile("st." OP ".v4." R " [%0], {%1, %2, %3, %4};"                                       \
                 ::"l"(p), C(v.x), C(v.y), C(v.z), C(v.w) : "memory");                              \
  }
GPUSIM_CACHE_LOADS(__ldcg, "cg")
GPUSIM_CACHE_LOADS(__ldcs, "cs")
GPUSIM_CACHE_LOADS(__ldca, "ca")
GPUSIM_CACHE_LOADS(__ldcv, "cv")
GPUSIM_CACHE_LOADS(__ldlu, "lu")
GPUSIM_CACHE_STORES(__stcg, "cg")
GPUSIM_CACHE_STORES(__stcs, "cs")
GPUSIM_CACHE_STORES(__stwb, "wb")
GPUSIM_CACHE_STORES(__stwt, "wt")

// SIMD within a word: dot products (PTX ISA, "dp4a", "dp2a").
#define GPUSIM_DP(NAME, INS, T, A, B)                                                               \
  GPUSIM_FN T NAME(A a, B b, T c) {                                                                 \
    T r;                                                                                            \
    asm(INS " %0, %1, %2, %3;" : "=r"(r)                                                            \
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(c));      \
    return r;                                                                                       \
  }
GPUSIM_DP(__dp4a, "dp4a.s32.s32", int, int, int)
GPUSIM_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
GPUSIM_DP(__dp4a, "dp4a.s32.s32", int, char4, char4)
GPUSIM_DP(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
GPUSIM_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
GPUSIM_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
GPUSIM_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
GPUSIM_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)

#if __CUDA_ARCH__ >= 800
// redux.sync d, value, mask (PTX ISA, "redux.sync").
#define GPUSIM_REDUX(NAME, T, OP)                                                        \
  GPUSIM_FN T NAME(unsigned mask, T v) {                                                 \
    T r;                                                                                 \
    asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));         \
    return r;                                                                            \
  }
GPUSIM_REDUX(__reduce_add_sync, unsigned, "add.u32")
GPUSIM_REDUX(__reduce_add_sync, int, "add.s32")
GPUSIM_REDUX(__reduce_min_sync, unsigned, "min.u32")
GPUSIM_REDUX(__reduce_min_sync, int, "min.s32")
GPUSIM_REDUX(__reduce_max_sync, unsigned, "max.u32")
GPUSIM_REDUX(__reduce_max_sync, int, "max.s32")
GPUSIM_REDUX(__reduce_and_sync, unsigned, "and.b32")
GPUSIM_REDUX(__reduce_or_sync, unsigned, "or.b32")
GPUSIM_REDUX(__reduce_xor_sync, unsigned, "xor.b32")
#undef GPUSIM_REDUX
#endif
