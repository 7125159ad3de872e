// Inclusive prefix sum of a block: warp scans by shuffles, warp totals through shared memory; and an
// exclusive one by the Blelloch tree.
#include "../include/gpusim.cuh"

__global__ void scan_warp(const int *in, int *out) {
  __shared__ int totals[8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int v = in[blockIdx.x * 256 + t];
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d)
      v += other;
  }
  if (lane == 31)
    totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int w = lane < 8 ? totals[lane] : 0;
    for (int d = 1; d < 8; d <<= 1) {
      int other = __shfl_up_sync(0xffffffffu, w, d);
      if (lane >= d)
        w += other;
    }
    if (lane < 8)
      totals[lane] = w;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = v + (warp ? totals[warp - 1] : 0);
}

__global__ void scan_tree(const int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[2 * t] = in[2 * t];
  s[2 * t + 1] = in[2 * t + 1];
  int offset = 1;
  for (int d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0)
    s[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int left = s[a];
      s[a] = s[b];
      s[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t];
  out[2 * t + 1] = s[2 * t + 1];
}
