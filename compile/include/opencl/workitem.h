// Work-item functions, barriers and fences.
#pragma once

#define GPUSIM_DIM(NAME, PREFIX)                                    \
  GPUSIM_CL size_t NAME(uint d) {                                   \
    switch (d) {                                                    \
      case 0: return (uint)__nvvm_read_ptx_sreg_##PREFIX##_x();     \
      case 1: return (uint)__nvvm_read_ptx_sreg_##PREFIX##_y();     \
      case 2: return (uint)__nvvm_read_ptx_sreg_##PREFIX##_z();     \
    }                                                               \
    return GPUSIM_OUTSIDE;                                          \
  }
#define GPUSIM_OUTSIDE 0
GPUSIM_DIM(get_local_id, tid)
GPUSIM_DIM(get_group_id, ctaid)
#undef GPUSIM_OUTSIDE
#define GPUSIM_OUTSIDE 1
GPUSIM_DIM(get_local_size, ntid)
GPUSIM_DIM(get_num_groups, nctaid)
#undef GPUSIM_OUTSIDE
GPUSIM_CL size_t get_enqueued_local_size(uint d) { return get_local_size(d); }
GPUSIM_CL size_t get_global_offset(uint d) { return 0; }
GPUSIM_CL size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
GPUSIM_CL size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
GPUSIM_CL size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
GPUSIM_CL size_t get_global_linear_id(void) {
  return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}
GPUSIM_CL uint get_work_dim(void) { return get_global_size(2) > 1 ? 3 : get_global_size(1) > 1 ? 2 : 1; }

GPUSIM_CL void barrier(cl_mem_fence_flags flags) { __syncthreads(); }
// Of one work-item's accesses: within the work-group for local memory, of the device for global memory.
GPUSIM_CL void mem_fence(cl_mem_fence_flags flags) {
  if (flags & CLK_GLOBAL_MEM_FENCE) {
    __nvvm_membar_gl();
  } else {
    __nvvm_membar_cta();
  }
}
GPUSIM_CL void read_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }
GPUSIM_CL void write_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }
#if __OPENCL_C_VERSION__ >= 200
GPUSIM_CL void work_group_barrier(cl_mem_fence_flags flags) { __syncthreads(); }
GPUSIM_CL void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  if (scope == memory_scope_device) __nvvm_membar_gl();
#ifdef __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES
  if (scope == __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) __nvvm_membar_sys();
#endif
  __syncthreads();
}
#endif

// clang packs variable arguments as vprintf wants them. Vectors (%v4f) are not among what vprintf knows.
int __gpusim_printf(__constant char *format, ...) __asm__("vprintf");
#define printf __gpusim_printf
