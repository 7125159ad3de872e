// Module variables: initialisers of all types, structures, strings, addresses of other variables and
// of functions, zero-initialised ones, state that lasts from launch to launch.
#include "../include/gpusim.cuh"

struct Entry {
  char letter;
  const int *where;
  float weight;
};

__device__ int table[6] = {10, -20, 30, -40, 50, -60};
__device__ short shorts[3] = {-1, 2, -3};
__device__ uchar bytes[5] = {1, 2, 253, 254, 255};
__device__ float floats[2] = {1.5f, -0.25f};
__device__ double doubles[2] = {1e100, -2.5};
__device__ long long wide = -1234567890123ll;
__device__ int *inside = &table[2];
__device__ Entry entries[2] = {{'a', &table[1], 2.0f}, {'b', table + 5, 3.0f}};
__device__ const char *text = "hello";
__device__ int zeroed[4];
__device__ int **deep = &inside;

__global__ void module_vars(int *out, double *fp, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  out[0 * n + i] = table[i % 6];
  out[1 * n + i] = shorts[i % 3] * 1000 + bytes[i % 5];
  out[2 * n + i] = inside[i % 3];
  out[3 * n + i] = *entries[i & 1].where + entries[i & 1].letter;
  out[4 * n + i] = text[i % 6];
  out[5 * n + i] = zeroed[i & 3];
  out[6 * n + i] = **deep + (int)(wide >> 32);
  fp[i] = doubles[i & 1] * entries[i & 1].weight + floats[i & 1];
}

__global__ void module_step(void) {
  zeroed[threadIdx.x] += (int)threadIdx.x + 1;
  if (threadIdx.x == 0)
    inside = &table[3];
}
