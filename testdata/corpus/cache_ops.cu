// Cache operators, eviction priorities, prefetch sizes and hints: accepted, without effect on values.
#include "../include/gpusim.cuh"

#define LOAD(INS)                                                       \
  asm volatile(INS ".u32 %0, [%1];" : "=r"(r) : "l"(in + i) : "memory"); \
  sum = sum * 3 + r;
#define STORE(K, INS) asm volatile(INS ".u32 [%0], %1;" ::"l"(out + K * n + i), "r"(sum + K) : "memory");

__global__ void cache_ops(const unsigned *in, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned r, sum = 1;
  LOAD("ld.global.ca")
  LOAD("ld.global.cg")
  LOAD("ld.global.cs")
  LOAD("ld.global.lu")
  LOAD("ld.global.cv")
  LOAD("ld.ca")
  LOAD("ld.global.L1::evict_last")
  LOAD("ld.global.L1::no_allocate")
  LOAD("ld.global.L2::128B")
  LOAD("ld.global.nc.L1::no_allocate.L2::256B")
  STORE(0, "st.global.wb")
  STORE(1, "st.global.cg")
  STORE(2, "st.global.cs")
  STORE(3, "st.global.wt")
  STORE(4, "st.global.L1::evict_first")
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
  ull policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r) : "l"(in + i), "l"(policy) : "memory");
  out[5 * n + i] = r;
}
