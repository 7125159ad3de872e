// A store beyond one shared array lands in the next one, where it looks like any other.
#include "../include/gpusim.cuh"


__global__ void racy(const int *in, int *out) {
  __shared__ int first[32];
  __shared__ int second[32];
  int t = threadIdx.x;
  first[t] = 7;
  second[t] = 0;
  __syncwarp();
  first[in[t]] = 9; // want: out-of-bounds
  __syncwarp();
  out[t] = first[t] - second[t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ int first[32];
  __shared__ int second[32];
  int t = threadIdx.x;
  first[t] = 7;
  second[t] = 0;
  __syncwarp();
  first[in[t] & 31] = 9;
  __syncwarp();
  out[t] = first[t] - second[t];
}
