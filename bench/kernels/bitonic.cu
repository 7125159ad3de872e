// Bitonic sort in shared memory, 512 keys a block of 256 threads.
#include "../../testdata/include/gpusim.cuh"

#define KEYS 512

__global__ void bitonic(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[KEYS];
  unsigned t = threadIdx.x;
  unsigned first = blockIdx.x * KEYS + t;
  s[t] = in[first];
  s[t + KEYS / 2] = in[first + KEYS / 2];
  for (unsigned size = 2; size <= KEYS; size <<= 1)
    for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned i = 2 * t - (t & (stride - 1)), j = i + stride;
      unsigned a = s[i], b = s[j];
      if ((a > b) == ((i & size) == 0)) {
        s[i] = b;
        s[j] = a;
      }
    }
  __syncthreads();
  out[first] = s[t];
  out[first + KEYS / 2] = s[t + KEYS / 2];
}
