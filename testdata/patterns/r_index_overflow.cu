// arch: sm_80 flags: -fwrapv
// Pattern r: the product wraps in 32-bit arithmetic and turns negative, so the index points before the
// buffer.
#include "../include/gpusim.cuh"

__global__ void racy(const int *keys, int *slots) {
  int key = keys[threadIdx.x];
  int slot = key * 40503 % 64;
  atomicAdd(&slots[slot], 1); // want: out-of-bounds
}

__global__ void fixed(const int *keys, int *slots) {
  int key = keys[threadIdx.x];
  int slot = (int)((long long)key * 40503 % 64);
  atomicAdd(&slots[slot], 1);
}
