// Pattern t: the kernel needs an int of dynamic shared memory a thread, the launch passes half of that.
#include "../include/gpusim.cuh"

extern __shared__ int pool[];

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  pool[t] = in[t]; // want: out-of-bounds
  __syncthreads();
  out[t] = pool[(t + 1) & 31];
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  pool[t] = in[t];
  __syncthreads();
  out[t] = pool[(t + 1) & 31];
}
