// Whole warps meet at one barrier from different instructions: it is the barrier that counts, not the
// line. Legal as long as no warp is divided.
#include "../include/gpusim.cuh"

__global__ void barrier_from_two_places(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    asm volatile("bar.sync 0;" ::: "memory");
    out[t] = s[t + 32];
  } else {
    s[t] = in[t] * 2;
    asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = s[t - 32] * 2;
  }
}
