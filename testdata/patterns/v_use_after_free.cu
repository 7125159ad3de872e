// Pattern v: the first launch leaves a pointer in memory, the host frees what it points to, the second
// launch follows it.
#include "../include/gpusim.cuh"

__global__ void remember(int **where, int *data) {
  if (threadIdx.x == 0)
    *where = data;
}

__global__ void racy(int **where, int *out) {
  int *data = *where;
  out[threadIdx.x] = data[threadIdx.x]; // want: use-after-free
}

__global__ void fixed(int **where, int *out) {
  int *data = *where;
  out[threadIdx.x] = data[threadIdx.x];
}
