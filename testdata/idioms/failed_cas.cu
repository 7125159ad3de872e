// A compare-and-swap that fails writes nothing: it does not conflict with plain reads of the word.
#include "../include/gpusim.cuh"

__global__ void failed_cas(unsigned *word, unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t & 1)
    out[t] = atomicCAS(word, 1u, 2u);
  else
    out[t] = *word;
}
