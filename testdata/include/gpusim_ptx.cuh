// gpusim_ptx.cuh: PTX that CUDA C++ has no function for, for our kernels; gpusim.cuh includes it.
//
// Ordered atomics and fences are inline PTX: clang 19 weakens `__scoped_atomic` orders to
// relaxed and cannot select acquire loads for NVPTX.
#pragma once

// --- special registers ---------------------------------------------------------

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
GPUSIM_SREG(__globaltimer, ull, "mov.u64", "=l", "%%globaltimer")

// --- named barriers --------------------------------------------------------------

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

// --- fences ----------------------------------------------------------------------

#define GPUSIM_FENCE(ORDER, SCOPE) \
  GPUSIM_FN void fence_##ORDER##_##SCOPE() { asm volatile("fence." #ORDER "." #SCOPE ";" ::: "memory"); }
GPUSIM_FENCE(sc, cta)
GPUSIM_FENCE(sc, gpu)
GPUSIM_FENCE(sc, sys)
GPUSIM_FENCE(acq_rel, cta)
GPUSIM_FENCE(acq_rel, gpu)
GPUSIM_FENCE(acq_rel, sys)

// --- ordered atomics -----------------------------------------------------------------

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

// --- floating point -----------------------------------------------------------------

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
GPUSIM_ROUNDED(rm)
GPUSIM_ROUNDED(rp)

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
