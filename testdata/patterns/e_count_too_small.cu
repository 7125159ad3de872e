// Pattern e: a named barrier for two warps that four use: it opens for the first two to come.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = in[t]; // want: data-race
  bar_sync(1, 64);
  int sum = 0;
  for (int w = 0; w < 128; w += 32)
    sum += s[w + (t & 31)]; // want: data-race
  out[t] = sum;
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = in[t];
  bar_sync(1, 128);
  int sum = 0;
  for (int w = 0; w < 128; w += 32)
    sum += s[w + (t & 31)];
  out[t] = sum;
}
