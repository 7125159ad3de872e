// Addresses within a window (PTX ISA, "isspacep", "cvta").
#pragma once

GPUSIM_FN unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
GPUSIM_FN unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
GPUSIM_FN unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
GPUSIM_FN unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

#define GPUSIM_WINDOW(NAME, SPACE)                                                                  \
  GPUSIM_FN size_t __cvta_generic_to_##NAME(const void *p) {                                        \
    return (size_t)(const __attribute__((address_space(SPACE))) void *)p;                           \
  }                                                                                                 \
  GPUSIM_FN void *__cvta_##NAME##_to_generic(size_t p) {                                            \
    return (void *)(__attribute__((address_space(SPACE))) void *)p;                                 \
  }
GPUSIM_WINDOW(global, 1)
GPUSIM_WINDOW(shared, 3)
GPUSIM_WINDOW(constant, 4)
GPUSIM_WINDOW(local, 5)
#undef GPUSIM_WINDOW
