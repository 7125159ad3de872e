// clang's headers include a file of this name after their match functions, for these.
#pragma once
#define GPUSIM_MATCH(TYPE, AS, BITS)                                                                \
  GPUSIM_FN unsigned __match_any_sync(unsigned mask, TYPE v) {                                      \
    return __match##BITS##_any_sync(mask, __builtin_bit_cast(AS, v));                               \
  }                                                                                                 \
  GPUSIM_FN unsigned __match_all_sync(unsigned mask, TYPE v, int *pred) {                           \
    return __match##BITS##_all_sync(mask, __builtin_bit_cast(AS, v), pred);                         \
  }
GPUSIM_MATCH(int, unsigned, 32)
GPUSIM_MATCH(unsigned, unsigned, 32)
GPUSIM_MATCH(float, unsigned, 32)
GPUSIM_MATCH(long, unsigned long long, 64)
GPUSIM_MATCH(unsigned long, unsigned long long, 64)
GPUSIM_MATCH(long long, unsigned long long, 64)
GPUSIM_MATCH(unsigned long long, unsigned long long, 64)
GPUSIM_MATCH(double, unsigned long long, 64)
#undef GPUSIM_MATCH
GPUSIM_FN void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
