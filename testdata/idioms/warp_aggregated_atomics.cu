// One lane of the active ones does the atomic for all of them and hands out the places by a shuffle.
#include "../include/gpusim.cuh"

__global__ void warp_aggregated_atomics(const int *in, int *out, unsigned *count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned takers = __ballot_sync(0xffffffffu, in[t] > 0);
  if (in[t] > 0) {
    int leader = __ffs((int)takers) - 1;
    unsigned base = 0;
    if (lane == leader)
      base = atomicAdd(count, (unsigned)__popc(takers));
    base = __shfl_sync(takers, base, leader);
    out[base + __popc(takers & ((1u << lane) - 1))] = 7;
  }
}
