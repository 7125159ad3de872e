// gpusim_mbarrier.cuh: mbarrier objects of sm_80 in shared memory.
#pragma once
#include "gpusim_ptx.cuh"

GPUSIM_FN unsigned mbar_at(const void *p) { return (unsigned)(unsigned long long)(const __attribute__((address_space(3))) void *)p; }
GPUSIM_FN void mbar_init(ull *b, unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(mbar_at(b)), "r"(count) : "memory"); }
GPUSIM_FN void mbar_inval(ull *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(mbar_at(b)) : "memory"); }
GPUSIM_FN ull mbar_arrive(ull *b) {
  ull s;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(mbar_at(b)) : "memory");
  return s;
}
GPUSIM_FN bool mbar_test(ull *b, ull state) {
  int r;
  asm volatile("{ .reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p; }" : "=r"(r) : "r"(mbar_at(b)), "l"(state) : "memory");
  return r;
}
GPUSIM_FN bool mbar_test_parity(ull *b, unsigned parity) {
  int r;
  asm volatile("{ .reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, p; }" : "=r"(r) : "r"(mbar_at(b)), "r"(parity) : "memory");
  return r;
}
GPUSIM_FN void mbar_wait(ull *b, ull state) {
  while (!mbar_test(b, state)) {
  }
}
GPUSIM_FN void mbar_wait_parity(ull *b, unsigned parity) {
  while (!mbar_test_parity(b, parity)) {
  }
}
// The phase also waits for this thread's earlier asynchronous copies; noinc: instead of an arrival of its own.
GPUSIM_FN void mbar_copies(ull *b) { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(mbar_at(b)) : "memory"); }
GPUSIM_FN void mbar_copies_noinc(ull *b) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(mbar_at(b)) : "memory"); }
