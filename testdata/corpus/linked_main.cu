// arch: sm_80 flags: -fgpu-rdc
// A program of two modules: this one uses variables and functions that linked_lib.cu defines, and
// overrides its weak function.
#include "../include/gpusim.cuh"

extern __device__ int lib_values[4];
extern __device__ int lib_weight(int v);
extern __device__ int lib_total(const int *v, int n);
extern __constant__ int lib_bias;

__device__ int lib_hook(int v) { return v + 500; }

__global__ void linked_main(int *out) {
  int i = threadIdx.x;
  int v[3] = {i, i + 1, lib_values[i & 3]};
  out[i] = lib_weight(lib_total(v, 3)) + lib_bias;
}
