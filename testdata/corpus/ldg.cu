// ld.global.nc: __ldg, and what the compiler makes of const __restrict__.
#include "../include/gpusim.cuh"

__global__ void ldg(const float *__restrict__ in, const int *__restrict__ index, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]] + __ldg(&in[i]) + (float)__ldg(&index[n - 1 - i]);
}
