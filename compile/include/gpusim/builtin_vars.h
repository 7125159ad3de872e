// threadIdx and its like: reading a field reads the special register.
#pragma once

#define GPUSIM_SREG3(NAME, PREFIX)                                                           \
  struct gpusim_##NAME##_t {                                                                 \
    __declspec(property(get = get_x)) unsigned x;                                            \
    __declspec(property(get = get_y)) unsigned y;                                            \
    __declspec(property(get = get_z)) unsigned z;                                            \
    static GPUSIM_MEM unsigned get_x() { return __nvvm_read_ptx_sreg_##PREFIX##_x(); }       \
    static GPUSIM_MEM unsigned get_y() { return __nvvm_read_ptx_sreg_##PREFIX##_y(); }       \
    static GPUSIM_MEM unsigned get_z() { return __nvvm_read_ptx_sreg_##PREFIX##_z(); }       \
    GPUSIM_MEM operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }           \
    GPUSIM_MEM operator dim3() const { return dim3(get_x(), get_y(), get_z()); }             \
  };                                                                                         \
  extern const __attribute__((device, weak)) gpusim_##NAME##_t NAME;
GPUSIM_SREG3(threadIdx, tid)
GPUSIM_SREG3(blockIdx, ctaid)
GPUSIM_SREG3(blockDim, ntid)
GPUSIM_SREG3(gridDim, nctaid)
#undef GPUSIM_SREG3
static constexpr int warpSize = 32;
