// Pattern i: all lanes execute a ballot whose mask names only the first sixteen.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, unsigned *out) {
  int t = threadIdx.x;
  out[t] = __ballot_sync(0x0000ffffu, in[t] > 0); // want: barrier-misuse
}

__global__ void fixed(const int *in, unsigned *out) {
  int t = threadIdx.x;
  out[t] = __ballot_sync(0xffffffffu, in[t] > 0) & 0xffffu;
}
