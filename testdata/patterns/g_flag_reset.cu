// Pattern g: a shared flag is tested at the end of an iteration and reset at the start of the next,
// with no barrier in between: a slow thread tests the flag after it was reset and leaves the loop late
// or early.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int changed;
  int t = threadIdx.x, v = in[t];
  for (int round = 0; round < 8; ++round) {
    if (t == 0)
      changed = 0; // want: data-race
    __syncthreads();
    if (v < 10) {
      ++v;
      atomicOr(&changed, 1);
    }
    __syncthreads();
    if (!changed) // want: data-race
      break;
  }
  out[t] = v;
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int changed;
  int t = threadIdx.x, v = in[t];
  for (int round = 0; round < 8; ++round) {
    if (t == 0)
      changed = 0;
    __syncthreads();
    if (v < 10) {
      ++v;
      atomicOr(&changed, 1);
    }
    __syncthreads();
    bool more = changed;
    __syncthreads();
    if (!more)
      break;
  }
  out[t] = v;
}
