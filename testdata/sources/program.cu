// A whole program in the manner of tutorials and blogs: what of the host it uses has to compile, and is skipped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <chrono>
#include <random>
#include <string>
#include <memory>
#include <fstream>
#include <iostream>
#include <iomanip>
#include <numeric>
#include <functional>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#define TILE 16
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); if (abort) exit(code); }
}
__managed__ int managed = 3;
__device__ __managed__ float mf[4];
struct Particle { float3 pos, vel; float mass; };
__device__ __host__ inline float3 operator+(const float3 &a, const float3 &b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ float lerp1(float a, float b, float t) { return fmaf(t, b, fmaf(-t, a, a)); }
extern "C" __global__ void matMul(const float *A, const float *B, float *C, int N) {
  __shared__ float As[TILE][TILE]; __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y; int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < N / TILE; ++m) {
    As[ty][tx] = A[row * N + m * TILE + tx]; Bs[ty][tx] = B[(m * TILE + ty) * N + col];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
__global__ void step(Particle *p, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 acc = {0, 0, 0};
  for (int j = 0; j < n; j++) { float dx = p[j].pos.x - p[i].pos.x; float inv = rsqrtf(dx * dx + 1e-9f); acc.x += dx * inv * inv * inv; }
  p[i].vel = p[i].vel + acc; 
  if (i == 0) { managed++; mf[0] = lerp1(0, 1, 0.5f); printf("hello from %d of %d\n", threadIdx.x, blockDim.x); }
}
template <unsigned int blockSize, class T, class Op> __global__ void reduceT(const T *in, T *out, unsigned n, Op op) {
  extern __shared__ __align__(sizeof(T)) unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  unsigned tid = threadIdx.x; s[tid] = tid < n ? in[tid] : T(); __syncthreads();
  if constexpr (blockSize >= 64) { if (tid < 32) s[tid] = op(s[tid], s[tid + 32]); __syncthreads(); }
  if (tid < 32) { volatile T *v = s; for (int o = 16; o; o >>= 1) v[tid] = op(v[tid], v[tid + o]); }
  if (tid == 0) out[0] = s[0];
}
struct Add { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
template <class F> __global__ void forEach(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
class Timer { cudaEvent_t a, b; public: Timer() { cudaEventCreate(&a); cudaEventCreate(&b); } ~Timer() { cudaEventDestroy(a); } };
int main(int argc, char *argv[]) {
  int N = argc > 1 ? atoi(argv[1]) : 64; size_t bytes = N * N * sizeof(float);
  auto t0 = std::chrono::high_resolution_clock::now();
  std::mt19937 gen(42); std::uniform_real_distribution<float> dist(0.f, 1.f);
  float *h = (float *)malloc(bytes); for (int i = 0; i < N * N; ++i) h[i] = dist(gen);
  std::unique_ptr<float[]> own(new float[N]); memset(h, 0, bytes);
  float *dA, *dB, *dC; gpuErrchk(cudaMalloc((void **)&dA, bytes)); gpuErrchk(cudaMalloc(&dB, bytes)); cudaMalloc(&dC, bytes);
  cudaMemcpyAsync(dA, h, bytes, cudaMemcpyHostToDevice, 0); cudaMemset(dC, 0, bytes);
  dim3 threads(TILE, TILE); dim3 blocks(N / TILE, N / TILE, 1);
  matMul<<<blocks, threads>>>(dA, dB, dC, N);
  Particle *p; cudaMallocManaged(&p, 10 * sizeof(Particle)); p[0].mass = 1; managed = 4;
  step<<<1, 10>>>(p, 10, 0.01f);
  int *di; cudaMalloc(&di, 4); reduceT<64><<<1, 64, 64 * sizeof(int)>>>(di, di, 64u, Add());
  forEach<<<1, 32>>>(32, [=] __device__ (int i) { dC[i] = i * 2.0f; });
  void *args[] = {&dA, &dB, &dC, &N}; cudaLaunchKernel((void *)matMul, blocks, threads, args, 0, nullptr);
  cudaFuncSetAttribute(matMul, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  int nb; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, matMul, 256, 0); int mg, bs; cudaOccupancyMaxPotentialBlockSize(&mg, &bs, matMul, 0, 0);
  cudaError_t err = cudaDeviceSynchronize(); if (err != cudaSuccess) { printf("%s\n", cudaGetErrorName(err)); return 1; }
  std::cout.precision(3);
  cudaFree(dA); cudaFree(dB); free(h); cudaDeviceReset();
  double el = std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - t0).count(); printf("%.3f %f\n", el, fabs(-1.0) + sqrt(2.0) + pow(2, 3) + std::accumulate(h, h + 1, 0.f));
  return 0;
}
