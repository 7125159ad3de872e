// Random scatter. The index buffer is filled by the first kernel: a bit-mixing bijection on
// [0, 2^bits), each step of which (odd multiplication, xor-shift) is invertible.
#include "../include/gpusim.cuh"

__global__ void permute(unsigned *idx, unsigned bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = (1u << bits) - 1;
  unsigned x = i;
  x = (x * 0x9E3779B1u) & mask;
  x ^= x >> (bits / 2);
  x = (x * 0x85EBCA6Bu) & mask;
  x ^= x >> (bits / 2);
  x = (x * 0xC2B2AE35u) & mask;
  idx[i] = x;
}

__global__ void scatter(const float *in, const unsigned *idx, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[idx[i]] = in[i];
}
