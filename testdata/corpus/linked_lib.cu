// arch: sm_80 flags: -fgpu-rdc
// The library of linked_main.cu: external definitions, a weak function that is overridden, a weak
// variable that is not, and a tentative (.common) variable of a third module.
#include "../include/gpusim.cuh"

__device__ int lib_values[4] = {1000, 2000, 3000, 4000};
__constant__ int lib_bias = 9;
__device__ __attribute__((weak)) int lib_factor = 3;
extern __device__ int lib_common[2]; // linked_common.ptx

__device__ __attribute__((weak)) __noinline__ int lib_hook(int v) { return v - 1; }

__device__ __noinline__ int lib_weight(int v) {
  return lib_hook(v) * lib_factor + lib_common[1];
}

__device__ __noinline__ int lib_total(const int *v, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += v[k];
  return sum;
}
