// Conway's Life on bits: a row is a 64-bit word, one thread a row, two buffers swapped by the kernel
// between block barriers.
#include "../include/gpusim.cuh"

GPUSIM_FN void add_bit(ull &b0, ull &b1, ull &b2, ull v) {
  ull c0 = b0 & v;
  b0 ^= v;
  ull c1 = b1 & c0;
  b1 ^= c0;
  b2 ^= c1;
}

__global__ void life(const ull *in, ull *out, int rows, int steps) {
  __shared__ ull board[2][64];
  int r = threadIdx.x;
  board[0][r] = in[r];
  for (int s = 0; s < steps; ++s) {
    __syncthreads();
    const ull *now = board[s & 1];
    ull up = now[(r + rows - 1) % rows], mid = now[r], down = now[(r + 1) % rows];
    ull b0 = 0, b1 = 0, b2 = 0;
    ull line[3] = {up, mid, down};
    for (int k = 0; k < 3; ++k) {
      add_bit(b0, b1, b2, line[k] << 1 | line[k] >> 63);
      add_bit(b0, b1, b2, line[k] >> 1 | line[k] << 63);
      if (k != 1)
        add_bit(b0, b1, b2, line[k]);
    }
    board[(s + 1) & 1][r] = ~b2 & b1 & (b0 | mid);
  }
  out[r] = board[steps & 1][r];
}
