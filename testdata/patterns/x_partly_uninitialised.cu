// A word of which only three bytes were ever written is added to: a warning, since the programmer may
// mean to mask the fourth.
#include "../include/gpusim.cuh"

__global__ void racy(uchar *scratch, unsigned *out) {
  int t = threadIdx.x;
  for (int k = 0; k < 3; ++k)
    scratch[4 * t + k] = (uchar)k;
  out[t] = ((volatile unsigned *)scratch)[t] + 1; // want: uninitialized-read warning
}

__global__ void fixed(uchar *scratch, unsigned *out) {
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    scratch[4 * t + k] = (uchar)k;
  out[t] = ((volatile unsigned *)scratch)[t] + 1;
}
