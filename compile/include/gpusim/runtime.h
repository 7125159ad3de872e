// Included before every .cu source: the language of CUDA C++ for clang without a toolkit.
//
// Math and intrinsics come from clang's own headers, which want a toolkit's headers around
// them; the files of this folder stand in for those. Every function is always_inline and
// nodebug, so that instructions carry the line of the source that asked for them.
#pragma once

#define GPUSIM_DEVICE_HEADERS 1
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

// GPUSIM_FN is a device function of these headers, GPUSIM_BOTH one of host and device.
#define GPUSIM_INLINE __attribute__((always_inline, nodebug, unused)) inline
#define GPUSIM_FN static __attribute__((device)) GPUSIM_INLINE
#define GPUSIM_BOTH static __attribute__((host, device)) GPUSIM_INLINE
// The same for members.
#define GPUSIM_MEM __attribute__((device)) GPUSIM_INLINE
#define GPUSIM_MEMBOTH __attribute__((host, device)) GPUSIM_INLINE

// clang's headers are written with these words; here they also say nodebug.
#pragma push_macro("__inline__")
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#define __inline__ inline __attribute__((always_inline, nodebug))
#define __forceinline__ inline __attribute__((always_inline, nodebug))
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#include <__clang_cuda_math_forward_declares.h>
#pragma clang attribute pop
#pragma pop_macro("__device__")
#pragma pop_macro("__inline__")

#define __CUDACC__ 1
#if __has_include(<cmath>)
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#endif
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include "gpusim/system.h"

// clang wraps these two: std::min and std::max, new and delete also on the device.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, always_inline, nodebug))
#if __has_include(<cmath>)
#include <algorithm>
#include <new>
#endif
#pragma pop_macro("__device__")

#define cuuint32_t uint32_t
#define cuuint64_t uint64_t

#include "gpusim/vector_types.h"
#include "gpusim/builtin_vars.h"

#pragma push_macro("__inline__")
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#define __inline__ inline __attribute__((always_inline, nodebug))
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#include <__clang_cuda_libdevice_declares.h>
#include "gpusim/native.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#if __has_include(<cmath>)
#include <__clang_cuda_cmath.h>
#endif
#include "gpusim/addresses.h"
// clang 19's __reduce_*_sync give redux.sync its operands in the wrong order: they are put aside under other names.
#define __reduce_add_sync gpusim_clang_reduce_add
#define __reduce_min_sync gpusim_clang_reduce_min
#define __reduce_max_sync gpusim_clang_reduce_max
#define __reduce_and_sync gpusim_clang_reduce_and
#define __reduce_or_sync gpusim_clang_reduce_or
#define __reduce_xor_sync gpusim_clang_reduce_xor
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#if __has_include(<cmath>)
#include <__clang_cuda_complex_builtins.h>
#endif
#pragma clang attribute pop
#pragma pop_macro("__device__")
#pragma pop_macro("__inline__")

// A source's own inline functions have lines.
#undef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))

#include "gpusim/intrinsics.h"
#include "gpusim/atomics.h"
#include "gpusim/math.h"
#include "gpusim/host.h"
