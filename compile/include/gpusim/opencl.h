// Included before every .cl source: the built-in functions of OpenCL C for NVPTX.
//
// clang knows the declarations of all of them and looks at them only for names that are not found here; one that is missing here
// stays a call, which is refused by its name when the kernel is launched.
#pragma once

#define GPUSIM_CL static inline __attribute__((overloadable, always_inline, nodebug, unused))
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// M with each vector length, after other arguments.
#define GPUSIM_SIZES(M, ...) M(__VA_ARGS__, 2) M(__VA_ARGS__, 3) M(__VA_ARGS__, 4) M(__VA_ARGS__, 8) M(__VA_ARGS__, 16)
// M with each integer type and its unsigned one.
#define GPUSIM_INTS(M, ...)                                                                       \
  M(char, uchar, __VA_ARGS__) M(uchar, uchar, __VA_ARGS__) M(short, ushort, __VA_ARGS__)          \
  M(ushort, ushort, __VA_ARGS__) M(int, uint, __VA_ARGS__) M(uint, uint, __VA_ARGS__)             \
  M(long, ulong, __VA_ARGS__) M(ulong, ulong, __VA_ARGS__)

#include "opencl/workitem.h"
#include "opencl/math.h"
#include "opencl/common.h"
#include "opencl/integer.h"
#include "opencl/relational.h"
#include "opencl/convert.h"
#include "opencl/memory.h"
#include "opencl/atomics.h"
