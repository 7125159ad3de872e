// Atomic operations with an order and a scope as inline PTX: clang 19 weakens ordered __scoped_atomic builtins to relaxed and cannot
// select acquire loads for NVPTX. Sequential consistency is a fence.sc before an acquire operation or a relaxed store (PTX ISA,
// "Memory Consistency Model"; the mapping of C++ atomics that NVIDIA documents).
#pragma once
#include "gpusim/runtime.h"

namespace gpusim_ordered {
// The orders have C++'s values, the scopes those of cuda::thread_scope.
enum { relaxed = 0, consume = 1, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5 };
enum { system_scope = 0, device_scope = 1, block_scope = 2, thread_scope = 3 };

#define GPUSIM_BY_SCOPE(M, ORDER, ...)                              \
  if constexpr (S == system_scope) {                                \
    M(ORDER, "sys", __VA_ARGS__);                                   \
  } else if constexpr (S == device_scope) {                         \
    M(ORDER, "gpu", __VA_ARGS__);                                   \
  } else {                                                          \
    M(ORDER, "cta", __VA_ARGS__);                                   \
  }
#define GPUSIM_FENCE_ASM(ORDER, SCOPE, ...) asm volatile("fence." ORDER "." SCOPE ";" ::: "memory")
template <int S> GPUSIM_FN void fence(int order) {
  if (order == seq_cst) {
    GPUSIM_BY_SCOPE(GPUSIM_FENCE_ASM, "sc", )
  } else if (order != relaxed) {
    GPUSIM_BY_SCOPE(GPUSIM_FENCE_ASM, "acq_rel", )
  }
}

#define GPUSIM_LD_ASM(ORDER, SCOPE, T, C) \
  asm volatile("ld." ORDER "." SCOPE "." T " %0, [%1];" : "=" C(r) : "l"(p) : "memory")
#define GPUSIM_ST_ASM(ORDER, SCOPE, T, C) \
  asm volatile("st." ORDER "." SCOPE "." T " [%0], %1;" ::"l"(p), C(r) : "memory")
#define GPUSIM_LOAD_STORE(U, R, T, C)                                 \
  template <int S> GPUSIM_FN U load(const U *p, int order) {          \
    R r;                                                              \
    if (order == seq_cst) fence<S>(seq_cst);                          \
    if (order == relaxed) {                                           \
      GPUSIM_BY_SCOPE(GPUSIM_LD_ASM, "relaxed", T, C)                 \
    } else {                                                          \
      GPUSIM_BY_SCOPE(GPUSIM_LD_ASM, "acquire", T, C)                 \
    }                                                                 \
    return (U)r;                                                      \
  }                                                                   \
  template <int S> GPUSIM_FN void store(U *p, U v, int order) {       \
    R r = v;                                                          \
    if (order == seq_cst) fence<S>(seq_cst);                          \
    if (order == release) {                                           \
      GPUSIM_BY_SCOPE(GPUSIM_ST_ASM, "release", T, C)                 \
    } else {                                                          \
      GPUSIM_BY_SCOPE(GPUSIM_ST_ASM, "relaxed", T, C)                 \
    }                                                                 \
  }
GPUSIM_LOAD_STORE(unsigned short, unsigned short, "u16", "h")
GPUSIM_LOAD_STORE(unsigned, unsigned, "u32", "r")
GPUSIM_LOAD_STORE(unsigned long long, unsigned long long, "u64", "l")
#undef GPUSIM_LOAD_STORE

#define GPUSIM_BY_ORDER(M, ...)                       \
  if (order == seq_cst) fence<S>(seq_cst);            \
  switch (order) {                                    \
    case relaxed:                                     \
      GPUSIM_BY_SCOPE(M, "relaxed", __VA_ARGS__)      \
      break;                                          \
    case release:                                     \
      GPUSIM_BY_SCOPE(M, "release", __VA_ARGS__)      \
      break;                                          \
    case acq_rel:                                     \
      GPUSIM_BY_SCOPE(M, "acq_rel", __VA_ARGS__)      \
      break;                                          \
    default:                                          \
      GPUSIM_BY_SCOPE(M, "acquire", __VA_ARGS__)      \
  }
#define GPUSIM_RMW_ASM(ORDER, SCOPE, OP, C) \
  asm volatile("atom." ORDER "." SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory")
#define GPUSIM_CAS_ASM(ORDER, SCOPE, OP, C) \
  asm volatile("atom." ORDER "." SCOPE "." OP " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(c), C(v) : "memory")
#define GPUSIM_RMW(NAME, U, OP, C)                              \
  template <int S> GPUSIM_FN U NAME(U *p, U v, int order) {     \
    U r;                                                        \
    GPUSIM_BY_ORDER(GPUSIM_RMW_ASM, OP, C)                      \
    return r;                                                   \
  }
#define GPUSIM_CAS(U, OP, C)                                       \
  template <int S> GPUSIM_FN U cas(U *p, U c, U v, int order) {    \
    U r;                                                           \
    GPUSIM_BY_ORDER(GPUSIM_CAS_ASM, OP, C)                         \
    return r;                                                      \
  }
#define GPUSIM_RMW_BITS(NAME, OP)                       \
  GPUSIM_RMW(NAME, unsigned, OP ".b32", "r")            \
  GPUSIM_RMW(NAME, unsigned long long, OP ".b64", "l")
#define GPUSIM_RMW_ARITH(NAME, OP, S64)                 \
  GPUSIM_RMW(NAME, int, OP ".s32", "r")                 \
  GPUSIM_RMW(NAME, unsigned, OP ".u32", "r")            \
  GPUSIM_RMW(NAME, long long, OP "." S64, "l")          \
  GPUSIM_RMW(NAME, unsigned long long, OP ".u64", "l")
GPUSIM_RMW_BITS(exchange, "exch")
GPUSIM_RMW_BITS(fetch_and, "and")
GPUSIM_RMW_BITS(fetch_or, "or")
GPUSIM_RMW_BITS(fetch_xor, "xor")
GPUSIM_RMW_ARITH(fetch_add, "add", "u64")
GPUSIM_RMW_ARITH(fetch_min, "min", "s64")
GPUSIM_RMW_ARITH(fetch_max, "max", "s64")
GPUSIM_RMW(fetch_add, float, "add.f32", "f")
GPUSIM_RMW(fetch_add, double, "add.f64", "d")
GPUSIM_CAS(unsigned, "cas.b32", "r")
GPUSIM_CAS(unsigned long long, "cas.b64", "l")
GPUSIM_CAS(unsigned short, "cas.b16", "h")
// A byte: always by the aligned word that holds it, since there is no cas of a byte, and accesses of different widths are not
// morally strong with each other.
template <int S> GPUSIM_FN unsigned char load(const unsigned char *p, int order) {
  return (unsigned char)(load<S>((const unsigned *)((size_t)p & ~(size_t)3), order) >> ((size_t)p & 3) * 8);
}
template <int S> GPUSIM_FN unsigned char cas(unsigned char *p, unsigned char c, unsigned char v, int order) {
  unsigned *word = (unsigned *)((size_t)p & ~(size_t)3), shift = (unsigned)((size_t)p & 3) * 8, mask = 0xffu << shift;
  unsigned old = load<S>(word, relaxed);
  for (;;) {
    unsigned want = (old & ~mask) | (unsigned)c << shift;
    unsigned seen = cas<S>(word, want, (old & ~mask) | (unsigned)v << shift, order);
    if (seen == want || (unsigned char)(seen >> shift) != c) return (unsigned char)(seen >> shift);
    old = seen;
  }
}
template <int S> GPUSIM_FN void store(unsigned char *p, unsigned char v, int order) {
  unsigned char old = load<S>(p, relaxed), seen;
  while ((seen = cas<S>(p, old, v, order)) != old) old = seen;
}
#undef GPUSIM_RMW
#undef GPUSIM_CAS
#undef GPUSIM_RMW_BITS
#undef GPUSIM_RMW_ARITH
#undef GPUSIM_RMW_ASM
#undef GPUSIM_CAS_ASM
#undef GPUSIM_LD_ASM
#undef GPUSIM_ST_ASM
#undef GPUSIM_BY_ORDER
}  // namespace gpusim_ordered
