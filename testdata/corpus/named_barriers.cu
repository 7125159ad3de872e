// Named barriers with counts: two warps of producers hand buffers to two warps of consumers by
// arrive and sync, and the consumers hand them back.
#include "../include/gpusim.cuh"

enum { FULL = 1, EMPTY = 2, ROUNDS = 6 };

__global__ void named_barriers(const int *in, int *out) {
  __shared__ int buffer[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int r = 0; r < ROUNDS; ++r) {
      if (r > 0)
        bar_sync(EMPTY, 128);
      buffer[t] = in[r * 64 + t] + r;
      bar_arrive(FULL, 128);
    }
  } else {
    int k = t - 64, sum = 0;
    for (int r = 0; r < ROUNDS; ++r) {
      bar_sync(FULL, 128);
      sum = sum * 5 + buffer[63 - k];
      if (r + 1 < ROUNDS)
        bar_arrive(EMPTY, 128);
    }
    out[k] = sum;
  }
}

// Groups of two warps, each with a barrier of its own, in the unaligned form.
__global__ void group_barriers(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x, group = t / 64;
  for (int step = 1; step <= 3 + group; ++step) {
    s[t] = t * step;
    barrier_sync(3 + group, 64);
    out[t] = s[t ^ 33];
    barrier_sync(3 + group, 64);
  }
  bar_sync_all(0);
  if (t == 0)
    out[128] = s[64] + s[127];
}
