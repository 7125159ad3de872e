// Dynamic shared memory, divided by hand into arrays of different types.
#include "../include/gpusim.cuh"

extern __shared__ __attribute__((aligned(16))) uchar pool[];

__global__ void shared_dynamic(const int *in, int *out, int n) {
  int *keys = (int *)pool;
  double *weights = (double *)(pool + n * sizeof(int));
  short *order = (short *)(weights + n);
  int t = threadIdx.x;
  keys[t] = in[blockIdx.x * n + t];
  weights[t] = keys[t] * 1.5;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < n; ++k)
    rank += keys[k] < keys[t] || (keys[k] == keys[t] && k < t);
  order[rank] = (short)t;
  __syncthreads();
  out[blockIdx.x * n + t] = (int)weights[order[t]];
}
