// Persistent blocks: thread 0 draws the next piece of work into a shared variable, a barrier before and
// after all threads read it.
#include "../include/gpusim.cuh"

__global__ void work_queue(unsigned *next, const int *in, int *out, unsigned pieces) {
  __shared__ unsigned piece;
  int t = threadIdx.x;
  for (;;) {
    if (t == 0)
      piece = atomicAdd(next, 1u);
    __syncthreads();
    unsigned mine = piece;
    __syncthreads();
    if (mine >= pieces)
      break;
    out[mine * 64 + t] = in[mine * 64 + 63 - t] + 1;
  }
}
