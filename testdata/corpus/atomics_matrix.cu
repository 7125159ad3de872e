// Every type and operation of atom and red with orders and scopes, in global, shared and generic
// addressing. Each thread works on a cell of its own, so that all values are known.
#include "../include/gpusim.cuh"

// The result of each atom is folded into a running hash.
#define ATOM(INS, T, C, P, V)                                                                   \
  {                                                                                             \
    T old;                                                                                      \
    asm volatile("atom." INS " %0, [%1], %2;" : "=" C(old) : "l"(P), C((T)(V)) : "memory");     \
    hash = hash * 31 + (ull)old;                                                                \
  }
#define CAS(INS, T, C, P, X, V)                                                                 \
  {                                                                                             \
    T old;                                                                                      \
    asm volatile("atom." INS " %0, [%1], %2, %3;"                                               \
                 : "=" C(old) : "l"(P), C((T)(X)), C((T)(V)) : "memory");                       \
    hash = hash * 31 + (ull)old;                                                                \
  }
#define RED(INS, T, C, P, V) asm volatile("red." INS " [%0], %1;" ::"l"(P), C((T)(V)) : "memory");

// SPACE is empty, or .global or .shared.
#define OPS32(SPACE, P)                                   \
  ATOM("relaxed.cta" SPACE ".add.u32", unsigned, "r", P, x) \
  ATOM("acquire.gpu" SPACE ".add.s32", unsigned, "r", P, -3) \
  ATOM("release.sys" SPACE ".min.s32", unsigned, "r", P, x - 40) \
  ATOM("acq_rel.cta" SPACE ".max.s32", unsigned, "r", P, -x) \
  ATOM("relaxed.gpu" SPACE ".min.u32", unsigned, "r", P, x * 7) \
  ATOM("acquire.sys" SPACE ".max.u32", unsigned, "r", P, x * 5) \
  ATOM("release.cta" SPACE ".and.b32", unsigned, "r", P, 0xfffe) \
  ATOM("acq_rel.gpu" SPACE ".or.b32", unsigned, "r", P, 0x10001) \
  ATOM("relaxed.sys" SPACE ".xor.b32", unsigned, "r", P, x << 3) \
  ATOM("acquire.cta" SPACE ".inc.u32", unsigned, "r", P, 100000) \
  ATOM("release.gpu" SPACE ".dec.u32", unsigned, "r", P, 100000) \
  ATOM("acq_rel.sys" SPACE ".exch.b32", unsigned, "r", P, x + 1000) \
  CAS("acq_rel.gpu" SPACE ".cas.b32", unsigned, "r", P, x + 1000, x + 5) \
  CAS("relaxed.cta" SPACE ".cas.b32", unsigned, "r", P, x + 1000, x + 6) \
  RED("relaxed.gpu" SPACE ".add.u32", unsigned, "r", P, 9) \
  RED("release.cta" SPACE ".max.s32", unsigned, "r", P, 20) \
  RED("relaxed.sys" SPACE ".xor.b32", unsigned, "r", P, 0x70)

#define OPS64(SPACE, P)                                   \
  ATOM("relaxed.gpu" SPACE ".add.u64", ull, "l", P, (ull)x << 35) \
  ATOM("acquire.cta" SPACE ".min.s64", ull, "l", P, (ull)((long long)x - 40)) \
  ATOM("release.gpu" SPACE ".max.s64", ull, "l", P, (ull)x << 34) \
  ATOM("acq_rel.sys" SPACE ".min.u64", ull, "l", P, (ull)x << 33) \
  ATOM("relaxed.cta" SPACE ".max.u64", ull, "l", P, (ull)x << 32) \
  ATOM("acquire.gpu" SPACE ".and.b64", ull, "l", P, ~6ull) \
  ATOM("release.sys" SPACE ".or.b64", ull, "l", P, 1ull << 60) \
  ATOM("acq_rel.cta" SPACE ".xor.b64", ull, "l", P, (ull)x << 50) \
  ATOM("relaxed.sys" SPACE ".exch.b64", ull, "l", P, (ull)x + 77) \
  CAS("acquire.gpu" SPACE ".cas.b64", ull, "l", P, (ull)x + 77, 88) \
  CAS("release.sys" SPACE ".cas.b64", ull, "l", P, (ull)x + 77, 99) \
  RED("relaxed.cta" SPACE ".add.u64", ull, "l", P, 1ull << 40) \
  RED("release.gpu" SPACE ".min.u64", ull, "l", P, (1ull << 40) + x)

__global__ void atomics_matrix(unsigned *words, ull *wide, float *singles, double *doubles, ull *out) {
  __shared__ unsigned word;
  __shared__ ull pair;
  int x = threadIdx.x;
  ull hash = 1;
  unsigned *p = words + x;
  ull *q = wide + x;
  OPS32(".global", p)
  OPS32("", p)
  OPS64(".global", q)
  OPS64("", q)
  if (x == 7) {
    word = 3;
    pair = 4;
    OPS32(".shared", (ull)__cvta_generic_to_shared(&word))
    OPS64(".shared", (ull)__cvta_generic_to_shared(&pair))
    hash = hash * 31 + word;
    hash = hash * 31 + pair;
  }
  float f;
  double d;
  asm volatile("atom.acq_rel.gpu.global.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(singles + x), "f"(0.5f) : "memory");
  asm volatile("red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(singles + x), "f"(f) : "memory");
  asm volatile("atom.release.cta.global.add.f64 %0, [%1], %2;" : "=d"(d) : "l"(doubles + x), "d"(0.25) : "memory");
  asm volatile("red.release.gpu.global.add.f64 [%0], %1;" ::"l"(doubles + x), "d"(d) : "memory");
  out[x] = hash;
}
