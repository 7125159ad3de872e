// The primitives of asynchronous copies and of barriers in shared memory.
#pragma once
#include "gpusim/mbarrier.h"

GPUSIM_FN void __pipeline_memcpy_async(void *shared, const void *global, size_t size, size_t zfill = 0) {
  unsigned from = (unsigned)(size - zfill);
  switch (size) {
    case 4: zfill == 0 ? gpusim_async::copy<4>(shared, global) : gpusim_async::copy<4>(shared, global, from); break;
    case 8: zfill == 0 ? gpusim_async::copy<8>(shared, global) : gpusim_async::copy<8>(shared, global, from); break;
    case 16: zfill == 0 ? gpusim_async::copy<16>(shared, global) : gpusim_async::copy<16>(shared, global, from); break;
    default: __trap();
  }
}
GPUSIM_FN void __pipeline_commit() { gpusim_async::commit(); }
GPUSIM_FN void __pipeline_wait_prior(size_t n) { gpusim_async::wait_prior((unsigned)n); }

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
GPUSIM_FN void __pipeline_arrive_on(__mbarrier_t *b) { gpusim_mbarrier::cp_async_arrive_noinc(b); }
GPUSIM_FN void __mbarrier_init(__mbarrier_t *b, unsigned count) { gpusim_mbarrier::init(b, count); }
GPUSIM_FN void __mbarrier_inval(__mbarrier_t *b) { gpusim_mbarrier::inval(b); }
GPUSIM_FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) { return gpusim_mbarrier::arrive(b); }
GPUSIM_FN __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) { return gpusim_mbarrier::arrive_drop(b); }
GPUSIM_FN bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t t) { return gpusim_mbarrier::test_wait(b, t); }
GPUSIM_FN unsigned __mbarrier_token_pending_count(__mbarrier_token_t t) {
  unsigned n;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(t));
  return n;
}
