// The tail of a reduction with volatile accesses and without __syncwarp: all accesses are strong and of
// one size, so there is no data race. The values may still be wrong: nothing is expected of them.
#include "../include/gpusim.cuh"

__global__ void volatile_warp_tail(const int *in, int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] = s[t] + s[t + 32];
    s[t] = s[t] + s[t + 16];
    s[t] = s[t] + s[t + 8];
    s[t] = s[t] + s[t + 4];
    s[t] = s[t] + s[t + 2];
    s[t] = s[t] + s[t + 1];
  }
  if (t == 0)
    out[0] = s[0];
}
