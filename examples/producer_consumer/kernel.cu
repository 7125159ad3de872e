// A producer warp hands tiles to two consumer warps through named barriers.
#include "../../testdata/include/gpusim.cuh"

enum { FULL = 1, EMPTY = 2, ROUNDS = 4 };

// The barriers are told how many threads take part in all: one warp arrives, two wait, or the reverse.
__device__ __forceinline__ void pipeline(const int *in, int *out, int threads) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (t < 32) {
    for (int r = 0; r < ROUNDS; ++r) {
      if (r > 0)
        bar_sync(EMPTY, threads); // want: deadlock, barrier-misuse
      tile[t] = in[r * 32 + t];
      bar_arrive(FULL, threads); // want: barrier-misuse
    }
  } else {
    int sum = 0;
    for (int r = 0; r < ROUNDS; ++r) {
      bar_sync(FULL, threads); // want: deadlock, barrier-misuse
      sum += tile[(t + 5) & 31];
      if (r + 1 < ROUNDS)
        bar_arrive(EMPTY, threads);
    }
    out[t - 32] = sum;
  }
}

// BUG: 128 threads were right when there was a third consumer warp.
__global__ void producer_consumer(const int *in, int *out) { pipeline(in, out, 128); }

__global__ void producer_consumer_fixed(const int *in, int *out) { pipeline(in, out, 96); }
