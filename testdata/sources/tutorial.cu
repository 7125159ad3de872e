// What a tutorial's first program looks like, host code included.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    cudaError_t status = (call);                                                           \
    if (status != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));      \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)

__constant__ float scale[2];

template <typename T> __device__ T square(T v) { return v * v; }

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void norm(const float2 *v, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 p = v[i];
    out[i] = sqrtf(square(p.x) + square(p.y)) * scale[0] + std::max(p.x, p.y) + fminf(p.x, 1.0f) + min(i, 3);
  }
}

int main(int argc, char **argv) {
  const int n = 1 << 10;
  std::vector<float> h(n);
  std::generate(h.begin(), h.end(), [] { return (float)rand() / RAND_MAX; });
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc((void **)&b, n * sizeof(float)));
  CHECK(cudaMallocManaged(&c, n * sizeof(float)));
  CHECK(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(scale, h.data(), sizeof scale));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  dim3 block(256), grid((n + block.x - 1) / block.x);
  CHECK(cudaEventRecord(start));
  vectorAdd<<<grid, block>>>(a, b, c, n);
  norm<<<grid, block, 0, stream>>>(reinterpret_cast<float2 *>(a), c, n / 2);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  std::cout << prop.name << ": " << ms << " ms, " << std::sqrt(c[0]) << ", " << max(1, 2) << std::endl;
  printf("%d\n", argc);
  cudaFree(a);
  return EXIT_SUCCESS;
}
