// kind: wrong-result
// The kernel is free of races and computes something else than the launch file expects.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] / 2 * 2;
}

__global__ void fixed(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] * 2 / 2;
}
