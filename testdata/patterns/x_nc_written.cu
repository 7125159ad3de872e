// ld.global.nc reads memory that another thread of the same launch has written, which no barrier
// makes right: "read-only for the whole launch".
#include "../include/gpusim.cuh"

__global__ void racy(int *data, int *out) {
  int t = threadIdx.x;
  data[t] = 5; // want: data-race
  __syncthreads();
  out[t] = __ldg(&data[t ^ 33]); // want: data-race
}

__global__ void fixed(int *data, int *out) {
  int t = threadIdx.x;
  data[t] = 5;
  __syncthreads();
  out[t] = data[t ^ 33];
}
