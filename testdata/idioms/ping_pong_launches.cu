// Two global buffers swapped between launches: a launch orders everything before the next.
#include "../include/gpusim.cuh"

__global__ void ping_pong_launches(const int *__restrict__ from, int *to) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[(i + 40) % n] * 2;
}
