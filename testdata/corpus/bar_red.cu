// Barriers that reduce a predicate, over the block and over named groups.
#include "../include/gpusim.cuh"

__global__ void bar_red(const int *in, int *out, int n) {
  int t = threadIdx.x, v = in[t];
  out[0 * n + t] = __syncthreads_count(v > 50);
  out[1 * n + t] = __syncthreads_and(v >= 0);
  out[2 * n + t] = __syncthreads_and(v != in[7]);
  out[3 * n + t] = __syncthreads_or(v == in[9]);
  out[4 * n + t] = __syncthreads_or(v < 0);
  int group = t / 64;
  out[5 * n + t] = bar_red_popc(1 + group, 64, v & 1);
  out[6 * n + t] = bar_red_and(3 + group, 64, group == 0);
  out[7 * n + t] = bar_red_or(5 + group, 64, t == 70);
}
