// archs: 80 90
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void atomic_flag(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (threadIdx.x) return;
  if (blockIdx.x == 0) { *data = 42; f.store(1, cuda::memory_order_release); }
  else { while (f.load(cuda::memory_order_acquire) == 0) {} *out = *data; }
}
extern "C" __global__ void block_barrier(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int r = 0; r < 3; r++) {
    s[threadIdx.x] = threadIdx.x + r;
    bar.arrive_and_wait();
    int v = s[127 - threadIdx.x];
    bar.arrive_and_wait();
    out[threadIdx.x] = v;
  }
}
extern "C" __global__ void split_barrier(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  auto token = bar.arrive();
  int private_work = threadIdx.x * 2;
  bar.wait(std::move(token));
  out[threadIdx.x] = s[127 - threadIdx.x] + private_work;
}
extern "C" __global__ void pipelined(const int* in, int* out, int tiles) {
  __shared__ int s[2][128];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], sizeof(int), pipe);
      pipe.producer_commit();
    } else { pipe.producer_acquire(); pipe.producer_commit(); }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    sum += s[i & 1][127 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[t] = sum;
}
extern "C" __global__ void block_pipeline(const int* in, int* out, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][128];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(block, s[0], in, sizeof(int) * 128, pipe);
  pipe.producer_commit();
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[(i + 1) & 1], in + (i + 1) * 128, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[i & 1][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void barrier_copy(const int4* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int s[512];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&s[threadIdx.x * 4], &in[threadIdx.x], cuda::aligned_size_t<16>(16), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[511 - threadIdx.x];
}
extern "C" __global__ void atomics(unsigned* u, double* d, unsigned long long* l, float* f) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*u).fetch_max(threadIdx.x);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_add(1.0, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block>(*l).fetch_xor(1ull << (threadIdx.x & 63), cuda::memory_order_acq_rel);
  float old = cuda::atomic_ref<float>(*f).load();
  while (!cuda::atomic_ref<float>(*f).compare_exchange_weak(old, old + 1)) {}
}
extern "C" __global__ void latched(int* data, int* out) {
  __shared__ alignas(8) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
  auto& l = *reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (&l) cuda::latch<cuda::thread_scope_block>(blockDim.x);
  __syncthreads();
  data[threadIdx.x] = threadIdx.x;
  l.arrive_and_wait();
  out[threadIdx.x] = data[(threadIdx.x + 5) % blockDim.x];
}
extern "C" __global__ void complexes(const float2* a, float2* out) {
  cuda::std::complex<float> z(a[threadIdx.x].x, a[threadIdx.x].y);
  z = z * z / (z + 1.0f);
  out[threadIdx.x] = make_float2(z.real(), z.imag());
}
extern "C" __global__ void semaphore(int* counter) {
  __shared__ alignas(8) char room[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)];
  auto& s = *reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block>*>(room);
  if (threadIdx.x == 0) new (&s) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  __syncthreads();
  if (threadIdx.x % 32 == 0) { s.acquire(); *counter += 1; s.release(); }
}
