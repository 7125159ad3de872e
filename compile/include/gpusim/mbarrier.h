// mbarrier objects and asynchronous copies as sm_80 has them (PTX ISA, "mbarrier", "cp.async").
#pragma once
#include "gpusim/runtime.h"

namespace gpusim_mbarrier {
GPUSIM_FN unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
GPUSIM_FN void init(void *b, unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory"); }
GPUSIM_FN void inval(void *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(b)) : "memory"); }
GPUSIM_FN unsigned long long arrive(void *b) {
  unsigned long long s;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
  return s;
}
// Several arrivals that do not complete the phase: before sm_90 a count exists with .noComplete only.
GPUSIM_FN unsigned long long arrive_no_complete(void *b, unsigned n) {
  unsigned long long s;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory");
  return s;
}
GPUSIM_FN unsigned long long arrive_drop(void *b) {
  unsigned long long s;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
  return s;
}
GPUSIM_FN bool test_wait(void *b, unsigned long long state) {
  int r;
  asm volatile("{ .reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p; }"
               : "=r"(r) : "r"(at(b)), "l"(state) : "memory");
  return r;
}
GPUSIM_FN bool test_wait_parity(void *b, unsigned parity) {
  int r;
  asm volatile("{ .reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p; }"
               : "=r"(r) : "r"(at(b)), "r"(parity) : "memory");
  return r;
}
// The barrier's phase also waits for the asynchronous copies that this thread has started.
GPUSIM_FN void cp_async_arrive(void *b) { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(b)) : "memory"); }
GPUSIM_FN void cp_async_arrive_noinc(void *b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(b)) : "memory");
}
}  // namespace gpusim_mbarrier

namespace gpusim_async {
#if __CUDA_ARCH__ >= 800
// Copies `size` bytes, of which the first `from` come from global memory and the others are zero.
template <int N> GPUSIM_FN void copy(void *shared, const void *global, unsigned from) {
  if constexpr (N == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(gpusim_mbarrier::at(shared)), "l"(__cvta_generic_to_global(global)), "r"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 ::"r"(gpusim_mbarrier::at(shared)), "l"(__cvta_generic_to_global(global)), "n"(N), "r"(from) : "memory");
  }
}
template <int N> GPUSIM_FN void copy(void *shared, const void *global) {
  if constexpr (N == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 ::"r"(gpusim_mbarrier::at(shared)), "l"(__cvta_generic_to_global(global)) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 ::"r"(gpusim_mbarrier::at(shared)), "l"(__cvta_generic_to_global(global)), "n"(N) : "memory");
  }
}
GPUSIM_FN void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> GPUSIM_FN void wait_prior() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
GPUSIM_FN void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
// Before sm_80 the copy is done at once.
template <int N> GPUSIM_FN void copy(void *shared, const void *global, unsigned from) {
  for (unsigned i = 0; i < N; i++) ((char *)shared)[i] = i < from ? ((const char *)global)[i] : 0;
}
template <int N> GPUSIM_FN void copy(void *shared, const void *global) { __builtin_memcpy(shared, global, N); }
GPUSIM_FN void commit() {}
template <int N> GPUSIM_FN void wait_prior() {}
GPUSIM_FN void wait_all() {}
#endif
// At most `n` of the latest groups stay pending; n above 7 waits for more than it must.
GPUSIM_FN void wait_prior(unsigned n) {
  switch (n) {
    case 0: wait_prior<0>(); break;
    case 1: wait_prior<1>(); break;
    case 2: wait_prior<2>(); break;
    case 3: wait_prior<3>(); break;
    case 4: wait_prior<4>(); break;
    case 5: wait_prior<5>(); break;
    case 6: wait_prior<6>(); break;
    default: wait_prior<7>();
  }
}
// Copies by thread `rank` of `threads` that share the work, in the largest pieces that the addresses and the size allow. A copy that
// is not from global to shared memory is an ordinary one.
GPUSIM_FN void copy_share(void *to, const void *from, size_t size, unsigned rank, unsigned threads) {
  char *d = (char *)to;
  const char *s = (const char *)from;
  size_t low = (size_t)d | (size_t)s | size;
  if (!__isShared(d) || !__isGlobal(s) || (low & 3) != 0) {
    for (size_t i = rank; i < size; i += threads) d[i] = s[i];
  } else if ((low & 15) == 0) {
    for (size_t i = (size_t)rank * 16; i < size; i += (size_t)threads * 16) copy<16>(d + i, s + i);
  } else if ((low & 7) == 0) {
    for (size_t i = (size_t)rank * 8; i < size; i += (size_t)threads * 8) copy<8>(d + i, s + i);
  } else {
    for (size_t i = (size_t)rank * 4; i < size; i += (size_t)threads * 4) copy<4>(d + i, s + i);
  }
}
}  // namespace gpusim_async
