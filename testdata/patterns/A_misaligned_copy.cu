// Pattern A: cp.async of 16 bytes to a shared address that is a multiple of 4 only.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ __attribute__((aligned(16))) int s[132];
  int t = threadIdx.x;
  cp_async_cg16(&s[4 * t + 1], &in[4 * t]); // want: misaligned
  cp_async_commit();
  cp_async_wait<0>();
  out[t] = t;
}

__global__ void fixed(const int *in, int *out) {
  __shared__ __attribute__((aligned(16))) int s[132];
  int t = threadIdx.x;
  cp_async_cg16(&s[4 * t], &in[4 * t]);
  cp_async_commit();
  cp_async_wait<0>();
  out[t] = s[4 * t] + s[4 * t + 3];
}
