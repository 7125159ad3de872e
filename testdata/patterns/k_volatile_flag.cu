// Pattern k: a volatile flag is strong but orders nothing else.
#include "../include/gpusim.cuh"

__global__ void racy(volatile unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 9; // want: data-race
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    *out = *data; // want: data-race
  }
}

__global__ void fixed(volatile unsigned *flag, int *data, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 9;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    __threadfence();
    *out = *data;
  }
}
