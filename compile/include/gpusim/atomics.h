// CUDA's atomic functions: relaxed, of device scope without a suffix.
#pragma once

#define GPUSIM_RMW(NAME, BUILTIN, T) \
  GPUSIM_FN T NAME(T *p, T v) { return BUILTIN(p, v, __ATOMIC_RELAXED); }
#define GPUSIM_RMW_INTS(NAME, BUILTIN)      \
  GPUSIM_RMW(NAME, BUILTIN, int)            \
  GPUSIM_RMW(NAME, BUILTIN, unsigned)       \
  GPUSIM_RMW(NAME, BUILTIN, long)           \
  GPUSIM_RMW(NAME, BUILTIN, unsigned long)  \
  GPUSIM_RMW(NAME, BUILTIN, long long)      \
  GPUSIM_RMW(NAME, BUILTIN, unsigned long long)
GPUSIM_RMW_INTS(atomicAdd, __atomic_fetch_add)
GPUSIM_RMW_INTS(atomicSub, __atomic_fetch_sub)
GPUSIM_RMW_INTS(atomicMin, __atomic_fetch_min)
GPUSIM_RMW_INTS(atomicMax, __atomic_fetch_max)
GPUSIM_RMW_INTS(atomicAnd, __atomic_fetch_and)
GPUSIM_RMW_INTS(atomicOr, __atomic_fetch_or)
GPUSIM_RMW_INTS(atomicXor, __atomic_fetch_xor)
GPUSIM_RMW_INTS(atomicExch, __atomic_exchange_n)
GPUSIM_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
GPUSIM_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
GPUSIM_FN float atomicExch(float *p, float v) {
  return __builtin_bit_cast(float, atomicExch((int *)p, __builtin_bit_cast(int, v)));
}
GPUSIM_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
GPUSIM_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
GPUSIM_FN int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
GPUSIM_FN unsigned atomicCAS(unsigned *p, unsigned c, unsigned v) {
  return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v);
}
#define GPUSIM_CAS64(T)                                                                        \
  GPUSIM_FN T atomicCAS(T *p, T c, T v) {                                                      \
    return (T)__nvvm_atom_cas_gen_ll((long long *)p, (long long)c, (long long)v);              \
  }
GPUSIM_CAS64(long)
GPUSIM_CAS64(unsigned long)
GPUSIM_CAS64(long long)
GPUSIM_CAS64(unsigned long long)
GPUSIM_FN unsigned short atomicCAS(unsigned short *p, unsigned short c, unsigned short v) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(c), "h"(v) : "memory");
  return r;
}

// Of other scopes: _block and _system.
#define GPUSIM_SCOPED(NAME, INS, T, C)                                                         \
  GPUSIM_FN T NAME(T *p, T v) {                                                                \
    T r;                                                                                       \
    asm volatile("atom." INS " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory");           \
    return r;                                                                                  \
  }
#define GPUSIM_SCOPED_CAS(NAME, INS, T, C)                                                     \
  GPUSIM_FN T NAME(T *p, T c, T v) {                                                           \
    T r;                                                                                       \
    asm volatile("atom." INS " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(c), C(v) : "memory"); \
    return r;                                                                                  \
  }
#define GPUSIM_SCOPED_INTS(NAME, SCOPE, OP, S32, S64)                                          \
  GPUSIM_SCOPED(NAME, SCOPE "." OP "." S32 "32", int, "r")                                     \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".u32", unsigned, "r")                                      \
  GPUSIM_SCOPED(NAME, SCOPE "." OP "." S64 "64", long long, "l")                               \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".u64", unsigned long long, "l")
#define GPUSIM_SCOPED_BITS(NAME, SCOPE, OP)                                                    \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".b32", int, "r")                                           \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".b32", unsigned, "r")                                      \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".b64", long long, "l")                                     \
  GPUSIM_SCOPED(NAME, SCOPE "." OP ".b64", unsigned long long, "l")
#define GPUSIM_SCOPE(SUFFIX, SCOPE)                                                            \
  GPUSIM_SCOPED_INTS(atomicAdd##SUFFIX, SCOPE, "add", "s", "u")                                \
  GPUSIM_SCOPED_INTS(atomicMin##SUFFIX, SCOPE, "min", "s", "s")                                \
  GPUSIM_SCOPED_INTS(atomicMax##SUFFIX, SCOPE, "max", "s", "s")                                \
  GPUSIM_SCOPED_BITS(atomicAnd##SUFFIX, SCOPE, "and")                                          \
  GPUSIM_SCOPED_BITS(atomicOr##SUFFIX, SCOPE, "or")                                            \
  GPUSIM_SCOPED_BITS(atomicXor##SUFFIX, SCOPE, "xor")                                          \
  GPUSIM_SCOPED_BITS(atomicExch##SUFFIX, SCOPE, "exch")                                        \
  GPUSIM_SCOPED(atomicExch##SUFFIX, SCOPE ".exch.b32", float, "f")                             \
  GPUSIM_SCOPED(atomicAdd##SUFFIX, SCOPE ".add.f32", float, "f")                               \
  GPUSIM_SCOPED(atomicAdd##SUFFIX, SCOPE ".add.f64", double, "d")                              \
  GPUSIM_SCOPED(atomicInc##SUFFIX, SCOPE ".inc.u32", unsigned, "r")                            \
  GPUSIM_SCOPED(atomicDec##SUFFIX, SCOPE ".dec.u32", unsigned, "r")                            \
  GPUSIM_SCOPED_CAS(atomicCAS##SUFFIX, SCOPE ".cas.b32", int, "r")                             \
  GPUSIM_SCOPED_CAS(atomicCAS##SUFFIX, SCOPE ".cas.b32", unsigned, "r")                        \
  GPUSIM_SCOPED_CAS(atomicCAS##SUFFIX, SCOPE ".cas.b64", unsigned long long, "l")              \
  GPUSIM_SCOPED_CAS(atomicCAS##SUFFIX, SCOPE ".cas.b16", unsigned short, "h")                  \
  GPUSIM_FN int atomicSub##SUFFIX(int *p, int v) { return atomicAdd##SUFFIX(p, -v); }          \
  GPUSIM_FN unsigned atomicSub##SUFFIX(unsigned *p, unsigned v) { return atomicAdd##SUFFIX(p, 0u - v); }
GPUSIM_SCOPE(_block, "cta")
GPUSIM_SCOPE(_system, "sys")
#undef GPUSIM_RMW
#undef GPUSIM_RMW_INTS
#undef GPUSIM_CAS64
#undef GPUSIM_SCOPED
#undef GPUSIM_SCOPED_CAS
#undef GPUSIM_SCOPED_INTS
#undef GPUSIM_SCOPED_BITS
#undef GPUSIM_SCOPE
