// Bytes written in an order that a multiplication scrambles: no two neighbours by one warp.
#include "../../testdata/include/gpusim.cuh"

__global__ void scatter(const unsigned char *in, unsigned char *out, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i * 0x9E3779B1u) & mask] = in[i];
}
