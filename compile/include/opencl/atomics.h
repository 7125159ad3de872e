// Atomics: the relaxed functions of OpenCL 1.x, and those of 2.0 with order and scope, as inline PTX.
#pragma once

#define GPUSIM_RMW1(NAME, T, AS, PTX, C)                                                           \
  GPUSIM_CL T NAME(volatile AS T *p, T v) {                                                        \
    T r;                                                                                           \
    __asm__ volatile("atom." PTX " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory");           \
    return r;                                                                                      \
  }
#define GPUSIM_CAS1(NAME, T, AS, PTX, C)                                                           \
  GPUSIM_CL T NAME(volatile AS T *p, T c, T v) {                                                   \
    T r;                                                                                           \
    __asm__ volatile("atom." PTX " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(c), C(v) : "memory"); \
    return r;                                                                                      \
  }
#define GPUSIM_ATOMS(PREFIX, T, AS, S, K, A, M, C)                                                 \
  GPUSIM_RMW1(PREFIX##add, T, AS, S "add." A, C)                                                   \
  GPUSIM_RMW1(PREFIX##min, T, AS, S "min." M, C)                                                   \
  GPUSIM_RMW1(PREFIX##max, T, AS, S "max." M, C)                                                   \
  GPUSIM_RMW1(PREFIX##and, T, AS, S "and." K, C)                                                   \
  GPUSIM_RMW1(PREFIX##or, T, AS, S "or." K, C)                                                     \
  GPUSIM_RMW1(PREFIX##xor, T, AS, S "xor." K, C)                                                   \
  GPUSIM_RMW1(PREFIX##xchg, T, AS, S "exch." K, C)                                                 \
  GPUSIM_CAS1(PREFIX##cmpxchg, T, AS, S "cas." K, C)                                               \
  GPUSIM_CL T PREFIX##sub(volatile AS T *p, T v) { return PREFIX##add(p, (T)0 - v); }              \
  GPUSIM_CL T PREFIX##inc(volatile AS T *p) { return PREFIX##add(p, (T)1); }                       \
  GPUSIM_CL T PREFIX##dec(volatile AS T *p) { return PREFIX##sub(p, (T)1); }
#define GPUSIM_ATOMS_IN(AS, S)                                                                     \
  GPUSIM_ATOMS(atomic_, int, AS, S, "b32", "s32", "s32", "r")                                      \
  GPUSIM_ATOMS(atomic_, uint, AS, S, "b32", "u32", "u32", "r")                                     \
  GPUSIM_ATOMS(atom_, int, AS, S, "b32", "s32", "s32", "r")                                        \
  GPUSIM_ATOMS(atom_, uint, AS, S, "b32", "u32", "u32", "r")                                       \
  GPUSIM_ATOMS(atom_, long, AS, S, "b64", "u64", "s64", "l")                                       \
  GPUSIM_ATOMS(atom_, ulong, AS, S, "b64", "u64", "u64", "l")                                      \
  GPUSIM_RMW1(atomic_xchg, float, AS, S "exch.b32", "f")
GPUSIM_ATOMS_IN(__global, "global.")
GPUSIM_ATOMS_IN(__local, "shared.")

#ifdef __opencl_c_generic_address_space
#define GPUSIM_BY_SCOPE2(M, ORDER, ...)                 \
  if (scope == __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) {          \
    M(ORDER, "sys", __VA_ARGS__);                       \
  } else if (scope == memory_scope_device) {            \
    M(ORDER, "gpu", __VA_ARGS__);                       \
  } else {                                              \
    M(ORDER, "cta", __VA_ARGS__);                       \
  }
#define GPUSIM_FENCE2(ORDER, SCOPE, ...) __asm__ volatile("fence." ORDER "." SCOPE ";" ::: "memory")
#define GPUSIM_LD2(ORDER, SCOPE, T, C) __asm__ volatile("ld." ORDER "." SCOPE "." T " %0, [%1];" : "=" C(r) : "l"(p) : "memory")
#define GPUSIM_ST2(ORDER, SCOPE, T, C) __asm__ volatile("st." ORDER "." SCOPE "." T " [%0], %1;" ::"l"(p), C(v) : "memory")
#define GPUSIM_RMW2(ORDER, SCOPE, T, C) \
  __asm__ volatile("atom." ORDER "." SCOPE "." T " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory")
#define GPUSIM_CAS2(ORDER, SCOPE, T, C) \
  __asm__ volatile("atom." ORDER "." SCOPE "." T " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(c), C(v) : "memory")
GPUSIM_CL void gpusim_sc(memory_order order, memory_scope scope) {
  if (order == memory_order_seq_cst) {
    GPUSIM_BY_SCOPE2(GPUSIM_FENCE2, "sc", )
  }
}
GPUSIM_CL void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  if (order == memory_order_relaxed) return;
  gpusim_sc(order, scope);
  if (order != memory_order_seq_cst) {
    GPUSIM_BY_SCOPE2(GPUSIM_FENCE2, "acq_rel", )
  }
}
#define GPUSIM_BY_ORDER2(M, ...)                                              \
  gpusim_sc(order, scope);                                                    \
  if (order == memory_order_relaxed) {                                        \
    GPUSIM_BY_SCOPE2(M, "relaxed", __VA_ARGS__)                               \
  } else if (order == memory_order_release) {                                 \
    GPUSIM_BY_SCOPE2(M, "release", __VA_ARGS__)                               \
  } else if (order == memory_order_acq_rel) {                                 \
    GPUSIM_BY_SCOPE2(M, "acq_rel", __VA_ARGS__)                               \
  } else {                                                                    \
    GPUSIM_BY_SCOPE2(M, "acquire", __VA_ARGS__)                               \
  }
// The three forms of an operation: without order, with it, and with a scope too.
#define GPUSIM_FORMS(NAME, A, T, OP, C)                                                                       \
  GPUSIM_CL T NAME##_explicit(volatile A *q, T v, memory_order order, memory_scope scope) {                   \
    volatile T *p = (volatile T *)q;                                                                          \
    T r;                                                                                                      \
    GPUSIM_BY_ORDER2(GPUSIM_RMW2, OP, C)                                                                      \
    return r;                                                                                                 \
  }                                                                                                           \
  GPUSIM_CL T NAME##_explicit(volatile A *q, T v, memory_order order) {                                       \
    return NAME##_explicit(q, v, order, memory_scope_device);                                                 \
  }                                                                                                           \
  GPUSIM_CL T NAME(volatile A *q, T v) { return NAME##_explicit(q, v, memory_order_seq_cst, memory_scope_device); }
#define GPUSIM_LOAD_STORE2(A, T, K, C)                                                                        \
  GPUSIM_CL void atomic_init(volatile A *q, T v) { *(volatile T *)q = v; }                                    \
  GPUSIM_CL T atomic_load_explicit(volatile A *q, memory_order order, memory_scope scope) {                   \
    volatile T *p = (volatile T *)q;                                                                          \
    T r;                                                                                                      \
    gpusim_sc(order, scope);                                                                                  \
    if (order == memory_order_relaxed) {                                                                      \
      GPUSIM_BY_SCOPE2(GPUSIM_LD2, "relaxed", K, C)                                                           \
    } else {                                                                                                  \
      GPUSIM_BY_SCOPE2(GPUSIM_LD2, "acquire", K, C)                                                           \
    }                                                                                                         \
    return r;                                                                                                 \
  }                                                                                                           \
  GPUSIM_CL T atomic_load_explicit(volatile A *q, memory_order order) {                                       \
    return atomic_load_explicit(q, order, memory_scope_device);                                               \
  }                                                                                                           \
  GPUSIM_CL T atomic_load(volatile A *q) { return atomic_load_explicit(q, memory_order_seq_cst, memory_scope_device); } \
  GPUSIM_CL void atomic_store_explicit(volatile A *q, T v, memory_order order, memory_scope scope) {          \
    volatile T *p = (volatile T *)q;                                                                          \
    gpusim_sc(order, scope);                                                                                  \
    if (order == memory_order_release) {                                                                      \
      GPUSIM_BY_SCOPE2(GPUSIM_ST2, "release", K, C)                                                           \
    } else {                                                                                                  \
      GPUSIM_BY_SCOPE2(GPUSIM_ST2, "relaxed", K, C)                                                           \
    }                                                                                                         \
  }                                                                                                           \
  GPUSIM_CL void atomic_store_explicit(volatile A *q, T v, memory_order order) {                              \
    atomic_store_explicit(q, v, order, memory_scope_device);                                                  \
  }                                                                                                           \
  GPUSIM_CL void atomic_store(volatile A *q, T v) { atomic_store_explicit(q, v, memory_order_seq_cst, memory_scope_device); }
#define GPUSIM_EXCHANGE2(A, T, B, C)                                                                          \
  GPUSIM_FORMS(atomic_exchange, A, T, "exch." B, C)                                                           \
  GPUSIM_CL bool gpusim_cas(volatile A *q, T *e, T v, memory_order order, memory_scope scope) {               \
    volatile T *p = (volatile T *)q;                                                                          \
    T c = *e, r;                                                                                              \
    GPUSIM_BY_ORDER2(GPUSIM_CAS2, "cas." B, C)                                                                \
    if (r == c) return true;                                                                                  \
    *e = r;                                                                                                   \
    return false;                                                                                             \
  }                                                                                                           \
  GPUSIM_CASES(A, T, strong) GPUSIM_CASES(A, T, weak)
#define GPUSIM_CASES(A, T, KIND)                                                                              \
  GPUSIM_CL bool atomic_compare_exchange_##KIND##_explicit(volatile A *q, T *e, T v, memory_order s, memory_order f, memory_scope scope) { \
    return gpusim_cas(q, e, v, s, scope);                                                                     \
  }                                                                                                           \
  GPUSIM_CL bool atomic_compare_exchange_##KIND##_explicit(volatile A *q, T *e, T v, memory_order s, memory_order f) { \
    return gpusim_cas(q, e, v, s, memory_scope_device);                                                       \
  }                                                                                                           \
  GPUSIM_CL bool atomic_compare_exchange_##KIND(volatile A *q, T *e, T v) {                                   \
    return gpusim_cas(q, e, v, memory_order_seq_cst, memory_scope_device);                                    \
  }
#define GPUSIM_ATOMIC_INT(A, T, K, B, ADD, C)                                                                 \
  GPUSIM_LOAD_STORE2(A, T, K, C)                                                                              \
  GPUSIM_EXCHANGE2(A, T, B, C)                                                                                \
  GPUSIM_FORMS(atomic_fetch_add, A, T, "add." ADD, C)                                                         \
  GPUSIM_FORMS(atomic_fetch_min, A, T, "min." K, C)                                                           \
  GPUSIM_FORMS(atomic_fetch_max, A, T, "max." K, C)                                                           \
  GPUSIM_FORMS(atomic_fetch_and, A, T, "and." B, C)                                                           \
  GPUSIM_FORMS(atomic_fetch_or, A, T, "or." B, C)                                                             \
  GPUSIM_FORMS(atomic_fetch_xor, A, T, "xor." B, C)                                                           \
  GPUSIM_CL T atomic_fetch_sub_explicit(volatile A *q, T v, memory_order order, memory_scope scope) {         \
    return atomic_fetch_add_explicit(q, (T)0 - v, order, scope);                                              \
  }                                                                                                           \
  GPUSIM_CL T atomic_fetch_sub_explicit(volatile A *q, T v, memory_order order) {                             \
    return atomic_fetch_add_explicit(q, (T)0 - v, order, memory_scope_device);                                \
  }                                                                                                           \
  GPUSIM_CL T atomic_fetch_sub(volatile A *q, T v) { return atomic_fetch_add(q, (T)0 - v); }
GPUSIM_ATOMIC_INT(atomic_int, int, "s32", "b32", "s32", "r")
GPUSIM_ATOMIC_INT(atomic_uint, uint, "u32", "b32", "u32", "r")
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
GPUSIM_ATOMIC_INT(atomic_long, long, "s64", "b64", "u64", "l")
GPUSIM_ATOMIC_INT(atomic_ulong, ulong, "u64", "b64", "u64", "l")
#endif
GPUSIM_LOAD_STORE2(atomic_float, float, "f32", "f")
GPUSIM_FORMS(atomic_exchange, atomic_float, float, "exch.b32", "f")

GPUSIM_CL bool atomic_flag_test_and_set_explicit(volatile atomic_flag *q, memory_order order, memory_scope scope) {
  return atomic_exchange_explicit((volatile atomic_int *)q, 1, order, scope) != 0;
}
GPUSIM_CL bool atomic_flag_test_and_set_explicit(volatile atomic_flag *q, memory_order order) {
  return atomic_exchange_explicit((volatile atomic_int *)q, 1, order, memory_scope_device) != 0;
}
GPUSIM_CL bool atomic_flag_test_and_set(volatile atomic_flag *q) { return atomic_exchange((volatile atomic_int *)q, 1) != 0; }
GPUSIM_CL void atomic_flag_clear_explicit(volatile atomic_flag *q, memory_order order, memory_scope scope) {
  atomic_store_explicit((volatile atomic_int *)q, 0, order, scope);
}
GPUSIM_CL void atomic_flag_clear_explicit(volatile atomic_flag *q, memory_order order) {
  atomic_store_explicit((volatile atomic_int *)q, 0, order, memory_scope_device);
}
GPUSIM_CL void atomic_flag_clear(volatile atomic_flag *q) { atomic_store((volatile atomic_int *)q, 0); }
#endif
