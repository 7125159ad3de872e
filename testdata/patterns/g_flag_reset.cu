// Pattern g: a shared flag is tested at the end of an iteration and reset at the start of the next,
// with no barrier in between: a slow thread tests the flag after it was reset.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int changed;
  int t = threadIdx.x, v = in[t], rounds = 0;
  for (int round = 0; round < 8; ++round) {
    if (t == 0)
      changed = 0; // want: data-race
    __syncthreads();
    if (v < 10) {
      ++v;
      atomicOr(&changed, 1);
    }
    __syncthreads();
    rounds += changed; // want: data-race
  }
  out[t] = rounds;
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int changed;
  int t = threadIdx.x, v = in[t], rounds = 0;
  for (int round = 0; round < 8; ++round) {
    if (t == 0)
      changed = 0;
    __syncthreads();
    if (v < 10) {
      ++v;
      atomicOr(&changed, 1);
    }
    __syncthreads();
    rounds += changed;
    __syncthreads();
  }
  out[t] = rounds;
}
