// __syncwarp: the whole warp, and halves of it that run different code.
#include "../include/gpusim.cuh"

__global__ void warp_sync(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t & 31, warp = t & ~31;
  s[t] = in[t];
  __syncwarp();
  int v = s[warp + (31 - lane)];
  __syncwarp();
  if (lane < 16) {
    s[t] = v * 2;
    __syncwarp(0x0000ffff);
    v += s[warp + ((lane + 1) & 15)];
  } else {
    s[t] = v * 3;
    __syncwarp(0xffff0000);
    v += s[warp + 16 + ((lane + 5) & 15)];
  }
  __syncwarp();
  for (int offset = 16; offset > 0; offset >>= 1) {
    s[t] = v;
    __syncwarp();
    v += s[t ^ offset];
    __syncwarp();
  }
  out[t] = v;
}
