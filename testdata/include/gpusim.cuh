// gpusim.cuh: the part of CUDA C++ that our kernels use, for clang without a CUDA toolkit.
//
// Everything is always_inline and nodebug, so that no call remains at -O0 and every
// instruction carries the line of the kernel that asked for it, as with nvcc's own headers.
//
// Ordered atomics and fences are inline PTX: clang 19 weakens `__scoped_atomic` orders to
// relaxed and cannot select acquire loads for NVPTX.
#pragma once

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

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ull;
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

#define GPUSIM_SREG(NAME, TYPE, MOV, C, REG)      \
  GPUSIM_FN TYPE NAME() {                         \
    TYPE r;                                       \
    asm volatile(MOV " %0, " REG ";" : C(r));     \
    return r;                                     \
  }
GPUSIM_SREG(__laneid, unsigned, "mov.u32", "=r", "%%laneid")
GPUSIM_SREG(__warpid, unsigned, "mov.u32", "=r", "%%warpid")
GPUSIM_SREG(__nwarpid, unsigned, "mov.u32", "=r", "%%nwarpid")
GPUSIM_SREG(__smid, unsigned, "mov.u32", "=r", "%%smid")
GPUSIM_SREG(__nsmid, unsigned, "mov.u32", "=r", "%%nsmid")
GPUSIM_SREG(__gridid, ull, "mov.u64", "=l", "%%gridid")
GPUSIM_SREG(__lanemask_eq, unsigned, "mov.u32", "=r", "%%lanemask_eq")
GPUSIM_SREG(__lanemask_lt, unsigned, "mov.u32", "=r", "%%lanemask_lt")
GPUSIM_SREG(__lanemask_le, unsigned, "mov.u32", "=r", "%%lanemask_le")
GPUSIM_SREG(__lanemask_gt, unsigned, "mov.u32", "=r", "%%lanemask_gt")
GPUSIM_SREG(__lanemask_ge, unsigned, "mov.u32", "=r", "%%lanemask_ge")
GPUSIM_SREG(__dynamic_smem_size, unsigned, "mov.u32", "=r", "%%dynamic_smem_size")
GPUSIM_SREG(__total_smem_size, unsigned, "mov.u32", "=r", "%%total_smem_size")
GPUSIM_SREG(__activemask, unsigned, "activemask.b32", "=r", "")
GPUSIM_SREG(__globaltimer, ull, "mov.u64", "=l", "%%globaltimer")
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

// Named barriers (PTX ISA, "bar, barrier"); counts are in threads and multiples of 32.
GPUSIM_FN void bar_sync(int id, int n) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
GPUSIM_FN void bar_sync_all(int id) { asm volatile("bar.sync %0;" ::"r"(id) : "memory"); }
GPUSIM_FN void bar_arrive(int id, int n) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}
GPUSIM_FN void barrier_sync(int id, int n) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
GPUSIM_FN void barrier_arrive(int id, int n) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}
GPUSIM_FN int bar_red_popc(int id, int n, int p) {
  int r;
  asm volatile("{ .reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\tbar.red.popc.u32 %0, %1, %2, p; }"
               : "=r"(r) : "r"(id), "r"(n), "r"(p) : "memory");
  return r;
}
#define GPUSIM_BARRED(OP)                                                                 \
  GPUSIM_FN int bar_red_##OP(int id, int n, int p) {                                      \
    int r;                                                                                \
    asm volatile("{ .reg .pred p, q;\n\tsetp.ne.s32 p, %3, 0;\n\tbar.red." #OP            \
                 ".pred q, %1, %2, p;\n\tselp.s32 %0, 1, 0, q; }"                         \
                 : "=r"(r) : "r"(id), "r"(n), "r"(p) : "memory");                         \
    return r;                                                                             \
  }
GPUSIM_BARRED(and)
GPUSIM_BARRED(or)

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
#define GPUSIM_FENCE(ORDER, SCOPE) \
  GPUSIM_FN void fence_##ORDER##_##SCOPE() { asm volatile("fence." #ORDER "." #SCOPE ";" ::: "memory"); }
GPUSIM_FENCE(sc, cta)
GPUSIM_FENCE(sc, gpu)
GPUSIM_FENCE(sc, sys)
GPUSIM_FENCE(acq_rel, cta)
GPUSIM_FENCE(acq_rel, gpu)
GPUSIM_FENCE(acq_rel, sys)

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

// With order and scope, like cuda::atomic_ref: NAME_ORDER_SCOPE(generic pointer, ...).
#define GPUSIM_ATOM(ORDER, SCOPE)                                                               \
  GPUSIM_FN unsigned atom_add_##ORDER##_##SCOPE(unsigned *p, unsigned v) {                      \
    unsigned r;                                                                                 \
    asm volatile("atom." #ORDER "." #SCOPE ".add.u32 %0, [%1], %2;"                             \
                 : "=r"(r) : "l"(p), "r"(v) : "memory");                                        \
    return r;                                                                                   \
  }                                                                                             \
  GPUSIM_FN unsigned atom_exch_##ORDER##_##SCOPE(unsigned *p, unsigned v) {                     \
    unsigned r;                                                                                 \
    asm volatile("atom." #ORDER "." #SCOPE ".exch.b32 %0, [%1], %2;"                            \
                 : "=r"(r) : "l"(p), "r"(v) : "memory");                                        \
    return r;                                                                                   \
  }                                                                                             \
  GPUSIM_FN unsigned atom_cas_##ORDER##_##SCOPE(unsigned *p, unsigned c, unsigned v) {          \
    unsigned r;                                                                                 \
    asm volatile("atom." #ORDER "." #SCOPE ".cas.b32 %0, [%1], %2, %3;"                         \
                 : "=r"(r) : "l"(p), "r"(c), "r"(v) : "memory");                                \
    return r;                                                                                   \
  }
#define GPUSIM_RED(ORDER, SCOPE)                                                                \
  GPUSIM_FN void red_add_##ORDER##_##SCOPE(unsigned *p, unsigned v) {                           \
    asm volatile("red." #ORDER "." #SCOPE ".add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");    \
  }
#define GPUSIM_LD(ORDER, SCOPE)                                                                 \
  GPUSIM_FN unsigned ld_##ORDER##_##SCOPE(const unsigned *p) {                                  \
    unsigned r;                                                                                 \
    asm volatile("ld." #ORDER "." #SCOPE ".u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");       \
    return r;                                                                                   \
  }                                                                                             \
  GPUSIM_FN ull ld_##ORDER##_##SCOPE(const ull *p) {                                            \
    ull r;                                                                                      \
    asm volatile("ld." #ORDER "." #SCOPE ".u64 %0, [%1];" : "=l"(r) : "l"(p) : "memory");       \
    return r;                                                                                   \
  }
#define GPUSIM_ST(ORDER, SCOPE)                                                                 \
  GPUSIM_FN void st_##ORDER##_##SCOPE(unsigned *p, unsigned v) {                                \
    asm volatile("st." #ORDER "." #SCOPE ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");         \
  }                                                                                             \
  GPUSIM_FN void st_##ORDER##_##SCOPE(ull *p, ull v) {                                          \
    asm volatile("st." #ORDER "." #SCOPE ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");         \
  }
#define GPUSIM_SCOPES(M, ORDER) M(ORDER, cta) M(ORDER, gpu) M(ORDER, sys)
GPUSIM_SCOPES(GPUSIM_ATOM, relaxed)
GPUSIM_SCOPES(GPUSIM_ATOM, acquire)
GPUSIM_SCOPES(GPUSIM_ATOM, release)
GPUSIM_SCOPES(GPUSIM_ATOM, acq_rel)
GPUSIM_SCOPES(GPUSIM_RED, relaxed)
GPUSIM_SCOPES(GPUSIM_RED, release)
GPUSIM_SCOPES(GPUSIM_LD, relaxed)
GPUSIM_SCOPES(GPUSIM_LD, acquire)
GPUSIM_SCOPES(GPUSIM_ST, relaxed)
GPUSIM_SCOPES(GPUSIM_ST, release)

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

// --- cp.async ------------------------------------------------------------------

template <int N> GPUSIM_FN void cp_async_ca(void *shared, const void *global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(__cvta_generic_to_shared(shared)),
               "l"(__cvta_generic_to_global(global)), "n"(N) : "memory");
}
GPUSIM_FN void cp_async_cg16(void *shared, const void *global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(__cvta_generic_to_shared(shared)),
               "l"(__cvta_generic_to_global(global)) : "memory");
}
// Copies the first `bytes` and fills the rest of the N with zeros.
template <int N> GPUSIM_FN void cp_async_zfill(void *shared, const void *global, unsigned bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(__cvta_generic_to_shared(shared)),
               "l"(__cvta_generic_to_global(global)), "n"(N), "r"(bytes) : "memory");
}
GPUSIM_FN void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> GPUSIM_FN void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
GPUSIM_FN void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

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

typedef _Float16 half;
typedef _Float16 half2 __attribute__((ext_vector_type(2)));

#define GPUSIM_ROUNDED(MODE)                                                                    \
  GPUSIM_FN float __fadd_##MODE(float a, float b) { return __nvvm_add_##MODE##_f(a, b); }       \
  GPUSIM_FN float __fmul_##MODE(float a, float b) { return __nvvm_mul_##MODE##_f(a, b); }       \
  GPUSIM_FN float __fmaf_##MODE(float a, float b, float c) { return __nvvm_fma_##MODE##_f(a, b, c); } \
  GPUSIM_FN float __fdiv_##MODE(float a, float b) { return __nvvm_div_##MODE##_f(a, b); }       \
  GPUSIM_FN float __frcp_##MODE(float a) { return __nvvm_rcp_##MODE##_f(a); }                   \
  GPUSIM_FN float __fsqrt_##MODE(float a) { return __nvvm_sqrt_##MODE##_f(a); }                 \
  GPUSIM_FN double __dadd_##MODE(double a, double b) { return __nvvm_add_##MODE##_d(a, b); }    \
  GPUSIM_FN double __dmul_##MODE(double a, double b) { return __nvvm_mul_##MODE##_d(a, b); }    \
  GPUSIM_FN double __fma_##MODE(double a, double b, double c) { return __nvvm_fma_##MODE##_d(a, b, c); } \
  GPUSIM_FN double __ddiv_##MODE(double a, double b) { return __nvvm_div_##MODE##_d(a, b); }    \
  GPUSIM_FN double __drcp_##MODE(double a) { return __nvvm_rcp_##MODE##_d(a); }                 \
  GPUSIM_FN double __dsqrt_##MODE(double a) { return __nvvm_sqrt_##MODE##_d(a); }
GPUSIM_ROUNDED(rn)
GPUSIM_ROUNDED(rz)
GPUSIM_ROUNDED(rm)
GPUSIM_ROUNDED(rp)

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

#define GPUSIM_APPROX(NAME, INS)                                   \
  GPUSIM_FN float NAME(float a) {                                  \
    float r;                                                       \
    asm(INS ".f32 %0, %1;" : "=f"(r) : "f"(a));                    \
    return r;                                                      \
  }
GPUSIM_APPROX(exp2_approx, "ex2.approx")
GPUSIM_APPROX(exp2_approx_ftz, "ex2.approx.ftz")
GPUSIM_APPROX(log2_approx, "lg2.approx")
GPUSIM_APPROX(rcp_approx, "rcp.approx")
GPUSIM_APPROX(rsqrt_approx, "rsqrt.approx")
GPUSIM_APPROX(sqrt_approx, "sqrt.approx")
GPUSIM_APPROX(sin_approx, "sin.approx")
GPUSIM_APPROX(cos_approx, "cos.approx")
GPUSIM_APPROX(tanh_approx, "tanh.approx")
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
