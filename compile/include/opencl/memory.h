// Vector loads and stores, copies by a work-group.
#pragma once

#define GPUSIM_SPACES(M, ...) M(__VA_ARGS__, __global) M(__VA_ARGS__, __local) M(__VA_ARGS__, __private)
#define GPUSIM_VLOAD(T, N, AS)                                            \
  GPUSIM_CL T##N vload##N(size_t k, const AS T *p) {                      \
    T##N r;                                                               \
    for (int i = 0; i < N; i++) r[i] = p[k * N + i];                      \
    return r;                                                             \
  }
#define GPUSIM_VSTORE(T, N, AS)                                           \
  GPUSIM_CL void vstore##N(T##N v, size_t k, AS T *p) {                   \
    for (int i = 0; i < N; i++) p[k * N + i] = v[i];                      \
  }
#define GPUSIM_VMEM_N(T, N) GPUSIM_SPACES(GPUSIM_VLOAD, T, N) GPUSIM_VLOAD(T, N, __constant) GPUSIM_SPACES(GPUSIM_VSTORE, T, N)
#define GPUSIM_VMEM(T, U, X) GPUSIM_SIZES(GPUSIM_VMEM_N, T)
GPUSIM_INTS(GPUSIM_VMEM, )
GPUSIM_VMEM(float, , )
GPUSIM_VMEM(double, , )

// Half precision in memory only.
#define GPUSIM_HALF(X, AS)                                                \
  GPUSIM_CL float vload_half(size_t k, const AS half *p) { return __builtin_load_halff((const half *)(p + k)); } \
  GPUSIM_CL void vstore_half(float v, size_t k, AS half *p) { __builtin_store_halff(v, (half *)(p + k)); }       \
  GPUSIM_CL void vstore_half_rte(float v, size_t k, AS half *p) { __builtin_store_halff(v, (half *)(p + k)); }
#define GPUSIM_HALF_N(N, AS)                                              \
  GPUSIM_CL float##N vload_half##N(size_t k, const AS half *p) {          \
    float##N r;                                                           \
    for (int i = 0; i < N; i++) r[i] = vload_half(k * N + i, p);          \
    return r;                                                             \
  }                                                                       \
  GPUSIM_CL void vstore_half##N(float##N v, size_t k, AS half *p) {       \
    for (int i = 0; i < N; i++) vstore_half(v[i], k * N + i, p);          \
  }
#ifdef __opencl_c_generic_address_space
GPUSIM_SPACES(GPUSIM_HALF, )
GPUSIM_SPACES(GPUSIM_HALF_N, 2)
GPUSIM_SPACES(GPUSIM_HALF_N, 3)
GPUSIM_SPACES(GPUSIM_HALF_N, 4)
GPUSIM_SPACES(GPUSIM_HALF_N, 8)
GPUSIM_SPACES(GPUSIM_HALF_N, 16)
#endif

// All work-items of a group copy together, and wait_group_events is where they meet: until then nothing is promised.
#define GPUSIM_COPY(T)                                                                                             \
  GPUSIM_CL event_t async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t e) { \
    for (size_t i = get_local_linear_id(); i < n; i += gpusim_group_size()) to[i] = from[i * stride];              \
    return e;                                                                                                      \
  }                                                                                                                \
  GPUSIM_CL event_t async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t e) { \
    for (size_t i = get_local_linear_id(); i < n; i += gpusim_group_size()) to[i * stride] = from[i];              \
    return e;                                                                                                      \
  }                                                                                                                \
  GPUSIM_CL event_t async_work_group_copy(__local T *to, const __global T *from, size_t n, event_t e) {            \
    return async_work_group_strided_copy(to, from, n, 1, e);                                                       \
  }                                                                                                                \
  GPUSIM_CL event_t async_work_group_copy(__global T *to, const __local T *from, size_t n, event_t e) {            \
    return async_work_group_strided_copy(to, from, n, 1, e);                                                       \
  }                                                                                                                \
  GPUSIM_CL void prefetch(const __global T *p, size_t n) {}
#define GPUSIM_COPY_V(T, N) GPUSIM_COPY(T##N)
#define GPUSIM_COPIES(T, U, X) GPUSIM_COPY(T) GPUSIM_COPY_V(T, 2) GPUSIM_COPY_V(T, 4) GPUSIM_COPY_V(T, 8) GPUSIM_COPY_V(T, 16)
GPUSIM_CL size_t gpusim_group_size(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }
GPUSIM_INTS(GPUSIM_COPIES, )
GPUSIM_COPIES(float, , )
GPUSIM_COPIES(double, , )
GPUSIM_CL void wait_group_events(int n, event_t *list) { __syncthreads(); }
