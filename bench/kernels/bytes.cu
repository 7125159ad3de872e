// Every byte of the input plus one: the smallest elements that a kernel can have.
#include "../../testdata/include/gpusim.cuh"

__global__ void increment(const unsigned char *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
