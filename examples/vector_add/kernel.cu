// Vector addition, one element a thread.
#include "../../testdata/include/gpusim.cuh"

// BUG: `<=` lets the thread with i == n through.
__global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    c[i] = a[i] + b[i]; // want: out-of-bounds
}

__global__ void vector_add_fixed(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
