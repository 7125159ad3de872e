// Pattern f: producers arrive at a named barrier at which nobody ever waits; the consumer waits at
// another one. Its own barrier is complete, so nothing hangs.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32)
    s[t] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = in[t]; // want: data-race
    bar_arrive(1, 64); // want: barrier-misuse
  } else {
    bar_sync(2, 32);
    out[t - 32] = s[63 - t]; // want: data-race
  }
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32)
    s[t] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = in[t];
    bar_arrive(1, 64);
  } else {
    bar_sync(1, 64);
    out[t - 32] = s[63 - t];
  }
}
