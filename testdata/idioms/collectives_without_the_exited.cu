// Lanes have returned; the rest of the warp shuffles and votes with a mask that still names them.
#include "../include/gpusim.cuh"

__global__ void collectives_without_the_exited(const int *in, int *out, int n) {
  int t = threadIdx.x;
  if (t >= n)
    return;
  int v = in[t] + __shfl_sync(0xffffffffu, in[t], 3);
  __syncwarp();
  out[t] = v + (__any_sync(0xffffffffu, v > 100) ? 1000 : 0);
}
