// Neighbouring bytes and halfwords of one word written by different blocks and threads.
#include "../include/gpusim.cuh"

__global__ void neighbouring_bytes(uchar *bytes, ushort *halves) {
  __shared__ uchar s[64];
  int t = threadIdx.x;
  bytes[t * gridDim.x + blockIdx.x] = (uchar)(blockIdx.x + 1);
  halves[t * gridDim.x + blockIdx.x] = 9;
  s[t ^ 1] = (uchar)t;
  __syncthreads();
  if (s[t] != (t ^ 1))
    __trap();
}
