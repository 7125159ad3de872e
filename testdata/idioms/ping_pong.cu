// Two shared buffers used in turn: one barrier an iteration is enough, since the buffer that is written
// is not the one that slow threads still read.
#include "../include/gpusim.cuh"

__global__ void ping_pong(const int *in, int *out, int rounds) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const int *from = s[r & 1];
    int *to = s[(r & 1) ^ 1];
    to[t] = from[(t + 1) & 63] + from[(t + 33) & 63];
  }
  __syncthreads();
  out[t] = s[rounds & 1][63 - t];
}
