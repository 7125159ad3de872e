// Directives for the register allocator and loops that must not be unrolled: accepted, no effect.
#include "../include/gpusim.cuh"

__global__ void __launch_bounds__(128, 4) launch_bounds(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma nounroll
  for (int k = 0; k < 20; ++k)
    sum += in[(i + k) % n] * k;
  out[i] = sum;
}
