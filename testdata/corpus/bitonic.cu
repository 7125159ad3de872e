// arch: sm_75 flags:
// Bitonic sort of pairs in dynamic shared memory.
#include "../include/gpusim.cuh"

struct Pair {
  unsigned key;
  ushort value;
};

extern __shared__ Pair pairs[];

__global__ void bitonic(unsigned *keys, ushort *values) {
  unsigned t = threadIdx.x, n = blockDim.x;
  pairs[t].key = keys[t];
  pairs[t].value = values[t];
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned other = t ^ stride;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((pairs[t].key > pairs[other].key) == up) {
          Pair swap = pairs[t];
          pairs[t] = pairs[other];
          pairs[other] = swap;
        }
      }
    }
  __syncthreads();
  keys[t] = pairs[t].key;
  values[t] = pairs[t].value;
}
