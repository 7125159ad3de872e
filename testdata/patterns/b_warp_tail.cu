// Pattern b: the last warp of a reduction goes on without __syncwarp, as was usual before sm_70.
// (From -O1 on the compiler keeps the intermediate sums in registers and stores only the last one:
// the same lines race, and the result is wrong.)
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int s[48];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 16)
    s[32 + t] = 0;
  __syncthreads();
  s[t] += s[t + 16]; // want: data-race
  s[t] += s[t + 8];  // want: data-race
  s[t] += s[t + 4];  // want: data-race
  s[t] += s[t + 2];  // want: data-race
  s[t] += s[t + 1];  // want: data-race
  if (t == 0)
    out[0] = s[0];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int s[48];
  int t = threadIdx.x;
  int v = in[t];
  if (t < 16)
    s[32 + t] = 0;
  for (int d = 16; d > 0; d >>= 1) {
    s[t] = v;
    __syncwarp();
    v += s[t + d];
    __syncwarp();
  }
  if (t == 0)
    out[0] = v;
}
