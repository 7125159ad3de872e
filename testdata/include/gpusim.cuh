// gpusim.cuh: the part of CUDA C++ that our kernels use, for clang without a CUDA toolkit.
//
// Everything is always_inline and nodebug, so that no call remains at -O0 and every
// instruction carries the line of the kernel that asked for it, as with nvcc's own headers.
//
// When gpusim itself compiles a kernel, its embedded headers (compile/include) come before and
// stand for all of this but the types and gpusim_ptx.cuh.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ull;

#ifndef GPUSIM_DEVICE_HEADERS

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define GPUSIM_FN static __attribute__((device, always_inline, nodebug)) inline

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;
typedef unsigned long uintptr_t;

// --- thread identity ---------------------------------------------------------

struct dim3 {
  unsigned x, y, z;
};

#define GPUSIM_SREG3(NAME, TYPE, PREFIX)                                            \
  struct TYPE {                                                                     \
    __declspec(property(get = get_x)) unsigned x;                                   \
    __declspec(property(get = get_y)) unsigned y;                                   \
    __declspec(property(get = get_z)) unsigned z;                                   \
    GPUSIM_FN unsigned get_x() { return __nvvm_read_ptx_sreg_##PREFIX##_x(); }      \
    GPUSIM_FN unsigned get_y() { return __nvvm_read_ptx_sreg_##PREFIX##_y(); }      \
    GPUSIM_FN unsigned get_z() { return __nvvm_read_ptx_sreg_##PREFIX##_z(); }      \
  };                                                                                \
  extern const __device__ __attribute__((weak)) TYPE NAME;

GPUSIM_SREG3(threadIdx, gpusim_threadIdx_t, tid)
GPUSIM_SREG3(blockIdx, gpusim_blockIdx_t, ctaid)
GPUSIM_SREG3(blockDim, gpusim_blockDim_t, ntid)
GPUSIM_SREG3(gridDim, gpusim_gridDim_t, nctaid)
enum { warpSize = 32 };

GPUSIM_FN unsigned __activemask() {
  unsigned r;
  asm volatile("activemask.b32 %0, ;" : "=r"(r));
  return r;
}
GPUSIM_FN unsigned clock() { return __nvvm_read_ptx_sreg_clock(); }
GPUSIM_FN ull clock64() { return __nvvm_read_ptx_sreg_clock64(); }
GPUSIM_FN void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

// --- vector types ------------------------------------------------------------

#define GPUSIM_VEC(T, N, A2, A4)                                                            \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                     \
  struct N##3 { T x, y, z; };                                                               \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                               \
  GPUSIM_FN N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                               \
  GPUSIM_FN N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }                       \
  GPUSIM_FN N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
GPUSIM_VEC(signed char, char, 2, 4)
GPUSIM_VEC(unsigned char, uchar, 2, 4)
GPUSIM_VEC(short, short, 4, 8)
GPUSIM_VEC(unsigned short, ushort, 4, 8)
GPUSIM_VEC(int, int, 8, 16)
GPUSIM_VEC(unsigned, uint, 8, 16)
GPUSIM_VEC(float, float, 8, 16)
GPUSIM_VEC(double, double, 16, 16)
GPUSIM_VEC(long long, longlong, 16, 16)
GPUSIM_VEC(unsigned long long, ulonglong, 16, 16)

// --- block and warp synchronisation --------------------------------------------

GPUSIM_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
GPUSIM_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
GPUSIM_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
GPUSIM_FN void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }


// --- warp shuffles, votes, matches, reductions -----------------------------------

// The third operand packs the segment mask and the clamp lane (PTX ISA, "shfl.sync").
#define GPUSIM_SHFL(NAME, MODE, CLAMP)                                                        \
  GPUSIM_FN int NAME(unsigned mask, int v, int lane, int width = 32) {                        \
    return __nvvm_shfl_sync_##MODE##_i32(mask, v, lane, ((32 - width) << 8) | CLAMP);         \
  }                                                                                           \
  GPUSIM_FN unsigned NAME(unsigned mask, unsigned v, int lane, int width = 32) {              \
    return __nvvm_shfl_sync_##MODE##_i32(mask, (int)v, lane, ((32 - width) << 8) | CLAMP);    \
  }                                                                                           \
  GPUSIM_FN float NAME(unsigned mask, float v, int lane, int width = 32) {                    \
    return __nvvm_shfl_sync_##MODE##_f32(mask, v, lane, ((32 - width) << 8) | CLAMP);         \
  }                                                                                           \
  GPUSIM_FN ull NAME(unsigned mask, ull v, int lane, int width = 32) {                        \
    unsigned lo = NAME(mask, (unsigned)v, lane, width);                                       \
    unsigned hi = NAME(mask, (unsigned)(v >> 32), lane, width);                               \
    return (ull)hi << 32 | lo;                                                                \
  }                                                                                           \
  GPUSIM_FN double NAME(unsigned mask, double v, int lane, int width = 32) {                  \
    return __builtin_bit_cast(double, NAME(mask, __builtin_bit_cast(ull, v), lane, width));   \
  }
GPUSIM_SHFL(__shfl_sync, idx, 31)
GPUSIM_SHFL(__shfl_up_sync, up, 0)
GPUSIM_SHFL(__shfl_down_sync, down, 31)
GPUSIM_SHFL(__shfl_xor_sync, bfly, 31)

GPUSIM_FN int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
GPUSIM_FN int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
GPUSIM_FN int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
GPUSIM_FN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
GPUSIM_FN unsigned __match_any_sync(unsigned mask, unsigned v) {
  return __nvvm_match_any_sync_i32(mask, v);
}
GPUSIM_FN unsigned __match_any_sync(unsigned mask, ull v) {
  return __nvvm_match_any_sync_i64(mask, v);
}
GPUSIM_FN unsigned __match_all_sync(unsigned mask, unsigned v, int *p) {
  return __nvvm_match_all_sync_i32p(mask, v, p);
}
GPUSIM_FN unsigned __match_all_sync(unsigned mask, ull v, int *p) {
  return __nvvm_match_all_sync_i64p(mask, v, p);
}
#define GPUSIM_REDUX(NAME, T, OP)                                                         \
  GPUSIM_FN T NAME(unsigned mask, T v) {                                                  \
    T r;                                                                                  \
    asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));          \
    return r;                                                                             \
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

// --- fences ------------------------------------------------------------------

GPUSIM_FN void __threadfence_block() { __nvvm_membar_cta(); }
GPUSIM_FN void __threadfence() { __nvvm_membar_gl(); }
GPUSIM_FN void __threadfence_system() { __nvvm_membar_sys(); }

// --- atomics -----------------------------------------------------------------

// CUDA's own functions: relaxed, device scope, plain `atom` without qualifiers.
#define GPUSIM_ATOMIC_INT(NAME, BUILTIN)                                                     \
  GPUSIM_FN int NAME(int *p, int v) { return BUILTIN(p, v, __ATOMIC_RELAXED); }              \
  GPUSIM_FN unsigned NAME(unsigned *p, unsigned v) { return BUILTIN(p, v, __ATOMIC_RELAXED); } \
  GPUSIM_FN ull NAME(ull *p, ull v) { return BUILTIN(p, v, __ATOMIC_RELAXED); }              \
  GPUSIM_FN long long NAME(long long *p, long long v) { return BUILTIN(p, v, __ATOMIC_RELAXED); }
GPUSIM_ATOMIC_INT(atomicAdd, __atomic_fetch_add)
GPUSIM_ATOMIC_INT(atomicSub, __atomic_fetch_sub)
GPUSIM_ATOMIC_INT(atomicMin, __atomic_fetch_min)
GPUSIM_ATOMIC_INT(atomicMax, __atomic_fetch_max)
GPUSIM_ATOMIC_INT(atomicAnd, __atomic_fetch_and)
GPUSIM_ATOMIC_INT(atomicOr, __atomic_fetch_or)
GPUSIM_ATOMIC_INT(atomicXor, __atomic_fetch_xor)
GPUSIM_ATOMIC_INT(atomicExch, __atomic_exchange_n)
GPUSIM_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
GPUSIM_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
GPUSIM_FN float atomicExch(float *p, float v) {
  return __builtin_bit_cast(float, __atomic_exchange_n((int *)p, __builtin_bit_cast(int, v), __ATOMIC_RELAXED));
}
GPUSIM_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
GPUSIM_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
GPUSIM_FN int atomicCAS(int *p, int cmp, int v) { return __nvvm_atom_cas_gen_i(p, cmp, v); }
GPUSIM_FN unsigned atomicCAS(unsigned *p, unsigned cmp, unsigned v) {
  return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)cmp, (int)v);
}
GPUSIM_FN ull atomicCAS(ull *p, ull cmp, ull v) {
  return (ull)__nvvm_atom_cas_gen_ll((long long *)p, (long long)cmp, (long long)v);
}
GPUSIM_FN int atomicAdd_block(int *p, int v) { return __nvvm_atom_cta_add_gen_i(p, v); }
GPUSIM_FN int atomicAdd_system(int *p, int v) { return __nvvm_atom_sys_add_gen_i(p, v); }
GPUSIM_FN unsigned atomicAdd_block(unsigned *p, unsigned v) {
  return (unsigned)__nvvm_atom_cta_add_gen_i((int *)p, (int)v);
}


// --- loads with cache operators -------------------------------------------------

GPUSIM_FN int __ldg(const int *p) { return __nvvm_ldg_i(p); }
GPUSIM_FN unsigned __ldg(const unsigned *p) { return __nvvm_ldg_ui(p); }
GPUSIM_FN float __ldg(const float *p) { return __nvvm_ldg_f(p); }
GPUSIM_FN double __ldg(const double *p) { return __nvvm_ldg_d(p); }

// A 32-bit shared-window address, as inline PTX wants it.
GPUSIM_FN unsigned __cvta_generic_to_shared(const void *p) {
  return (unsigned)(uintptr_t)(const __attribute__((address_space(3))) void *)p;
}
GPUSIM_FN size_t __cvta_generic_to_global(const void *p) {
  return (size_t)(const __attribute__((address_space(1))) void *)p;
}

#endif

#include "gpusim_ptx.cuh"

#ifndef GPUSIM_DEVICE_HEADERS

// --- integer intrinsics ---------------------------------------------------------

GPUSIM_FN int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
GPUSIM_FN int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((ull)v); }
GPUSIM_FN int __popc(unsigned v) { return __builtin_popcount(v); }
GPUSIM_FN int __popcll(ull v) { return __builtin_popcountll(v); }
GPUSIM_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
GPUSIM_FN ull __brevll(ull v) { return __builtin_bitreverse64(v); }
GPUSIM_FN int __ffs(int v) { return __builtin_ffs(v); }
GPUSIM_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
GPUSIM_FN int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
GPUSIM_FN unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
GPUSIM_FN long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
GPUSIM_FN ull __umul64hi(ull a, ull b) { return __nvvm_mulhi_ull(a, b); }
GPUSIM_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
GPUSIM_FN unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
GPUSIM_FN unsigned __sad(int a, int b, unsigned c) { return (unsigned)__nvvm_sad_i(a, b, (int)c); }
GPUSIM_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return __nvvm_sad_ui(a, b, c); }
GPUSIM_FN int min(int a, int b) { return a < b ? a : b; }
GPUSIM_FN int max(int a, int b) { return a > b ? a : b; }
GPUSIM_FN unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
GPUSIM_FN unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }

// --- floating-point intrinsics ------------------------------------------------------

GPUSIM_ROUNDED(rn)
GPUSIM_ROUNDED(rz)

GPUSIM_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GPUSIM_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GPUSIM_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
GPUSIM_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
GPUSIM_FN float fabsf(float a) { return __builtin_fabsf(a); }
GPUSIM_FN double fabs(double a) { return __builtin_fabs(a); }
GPUSIM_FN float fminf(float a, float b) { return __builtin_fminf(a, b); }
GPUSIM_FN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
GPUSIM_FN double fmin(double a, double b) { return __builtin_fmin(a, b); }
GPUSIM_FN double fmax(double a, double b) { return __builtin_fmax(a, b); }
GPUSIM_FN float floorf(float a) { return __builtin_floorf(a); }
GPUSIM_FN float ceilf(float a) { return __builtin_ceilf(a); }
GPUSIM_FN float truncf(float a) { return __builtin_truncf(a); }
GPUSIM_FN float rintf(float a) { return __builtin_rintf(a); }

GPUSIM_FN float __expf(float a) { return exp2_approx(a * 1.44269504f); }
GPUSIM_FN float __fdividef(float a, float b) {
  float r;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}

// --- output and failure ----------------------------------------------------------

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned,
                                                                  const char *, size_t);
#define assert(E) \
  ((E) ? (void)0 : __assertfail(#E, __FILE_NAME__, __LINE__, __func__, sizeof(char)))
GPUSIM_FN void __trap() { __builtin_trap(); }

#endif
