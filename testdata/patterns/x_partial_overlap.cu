// A 64-bit store and a 32-bit load overlap in part.
#include "../include/gpusim.cuh"

__global__ void racy(ull *data, unsigned *out) {
  int t = threadIdx.x;
  if (t < 32)
    data[t] = 0x100000001ull; // want: data-race
  else
    out[t - 32] = ((unsigned *)data)[2 * (t - 32) + 1]; // want: data-race
}

__global__ void fixed(ull *data, unsigned *out) {
  int t = threadIdx.x;
  if (t < 32)
    data[t] = 0x100000001ull;
  __syncthreads();
  if (t >= 32)
    out[t - 32] = ((unsigned *)data)[2 * (t - 32) + 1];
}
