// Constant memory: scalars, arrays, structures, and data that the host writes by symbol.
#include "../include/gpusim.cuh"

struct Filter {
  float taps[5];
  int centre;
  uchar name[3];
};

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Filter filter = {{0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f}, 2, {'g', 'a', 'u'}};
__constant__ double scale = 16.0;
__constant__ float coefficients[4];

__global__ void const_memory(const float *in, float *out, int *ints, int n) {
  int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 5; ++k) {
    int j = i + k - filter.centre;
    if (j >= 0 && j < n)
      sum += filter.taps[k] * in[j];
  }
  out[0 * n + i] = sum * (float)scale;
  out[1 * n + i] = coefficients[i & 3] * in[i];
  ints[i] = primes[i & 7] * 1000 + filter.name[i % 3];
}
