// A cell of a local array is set for some inputs only and used for all.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  int t = threadIdx.x;
  int history[4];
  for (int k = 0; k < in[t]; ++k)
    history[k & 3] = k;
  out[t] = *(volatile int *)&history[(in[t] + 3) & 3] + 1; // want: uninitialized-read
}

__global__ void fixed(const int *in, int *out) {
  int t = threadIdx.x;
  int history[4] = {-1, -1, -1, -1};
  for (int k = 0; k < in[t]; ++k)
    history[k & 3] = k;
  out[t] = *(volatile int *)&history[(in[t] + 3) & 3] + 1;
}
