// A producer warp and two consumer warps with a ring of two buffers: a full and an empty barrier for
// each, arrive on one side, sync on the other.
#include "../include/gpusim.cuh"

enum { STAGES = 2, ROUNDS = 7, THREADS = 96 };

__global__ void named_barrier_pipeline(const int *in, int *out) {
  __shared__ int ring[STAGES][32];
  int t = threadIdx.x;
  if (t < 32) {
    for (int r = 0; r < ROUNDS; ++r) {
      int stage = r % STAGES;
      if (r >= STAGES)
        bar_sync(3 + stage, THREADS); // empty
      ring[stage][t] = in[r * 32 + t];
      bar_arrive(1 + stage, THREADS); // full
    }
  } else {
    int sum = 0;
    for (int r = 0; r < ROUNDS; ++r) {
      int stage = r % STAGES;
      bar_sync(1 + stage, THREADS);
      sum += ring[stage][(t * 7) & 31];
      if (r + STAGES < ROUNDS)
        bar_arrive(3 + stage, THREADS);
    }
    out[t - 32] = sum;
  }
}
