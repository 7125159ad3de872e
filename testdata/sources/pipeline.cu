// Double buffering by cuda::pipeline of one thread; without the wait the copy may not have arrived.
#include <cuda/pipeline>

template <bool Wait> __device__ void rotate(const int *in, int *out, int tiles) {
  __shared__ int stage[2][32];
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&stage[0][t], in + t, sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[(i + 1) % 2][t], in + (i + 1) * 32 + t, sizeof(int), pipe);
      pipe.producer_commit();
    }
    if (Wait) pipe.consumer_wait();
    __syncthreads();
    out[i * 32 + t] = stage[i % 2][(t + 1) % 32];
    __syncthreads();
    pipe.consumer_release();
  }
}

__global__ void fixed(const int *in, int *out, int tiles) { rotate<true>(in, out, tiles); }
__global__ void racy(const int *in, int *out, int tiles) { rotate<false>(in, out, tiles); }
