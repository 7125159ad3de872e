// Split-K: the inner dimension is divided among blocks; the block that finishes last adds up the
// partial products of all.
#include "../../testdata/include/gpusim.cuh"

// BUG: nothing orders the partial products before the counter, nor the counter before their readers.
__global__ void split_k(const float *a, const float *b, float *partial, unsigned *done, float *c, int k) {
  __shared__ bool last;
  int t = threadIdx.x, slice = k / gridDim.x, first = blockIdx.x * slice;
  float sum = 0;
  for (int j = first; j < first + slice; ++j)
    sum += a[j] * b[j * 64 + t];
  partial[blockIdx.x * 64 + t] = sum; // want: data-race
  __syncthreads();
  if (t == 0)
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    float total = 0;
    for (int s = 0; s < (int)gridDim.x; ++s)
      total += partial[s * 64 + t]; // want: data-race
    c[t] = total;
  }
}

__global__ void split_k_fixed(const float *a, const float *b, float *partial, unsigned *done, float *c, int k) {
  __shared__ bool last;
  int t = threadIdx.x, slice = k / gridDim.x, first = blockIdx.x * slice;
  float sum = 0;
  for (int j = first; j < first + slice; ++j)
    sum += a[j] * b[j * 64 + t];
  partial[blockIdx.x * 64 + t] = sum;
  __threadfence();
  __syncthreads();
  if (t == 0)
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    float total = 0;
    for (int s = 0; s < (int)gridDim.x; ++s)
      total += partial[s * 64 + t];
    c[t] = total;
  }
}
