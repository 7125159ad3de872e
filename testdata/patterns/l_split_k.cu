// Pattern l: split-K. The block that comes last adds up the partial products of all blocks; the
// __threadfence between the partial results and the counter is missing.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *partial, unsigned *done, int *out) {
  __shared__ bool last;
  int t = threadIdx.x;
  partial[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * 2; // want: data-race
  __syncthreads();
  if (t == 0)
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int b = 0; b < (int)gridDim.x; ++b)
      sum += partial[b * 64 + t]; // want: data-race
    out[t] = sum;
  }
}

__global__ void fixed(const int *in, int *partial, unsigned *done, int *out) {
  __shared__ bool last;
  int t = threadIdx.x;
  partial[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * 2;
  __threadfence();
  __syncthreads();
  if (t == 0)
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < (int)gridDim.x; ++b)
      sum += partial[b * 64 + t];
    out[t] = sum;
  }
}
