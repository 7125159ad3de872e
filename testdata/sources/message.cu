// cuda::atomic_ref passes a message between blocks; a relaxed store does not.
#include <cuda/atomic>

using flag_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;

template <cuda::memory_order Order> __device__ void pass(int *data, int *flag, int *out) {
  flag_ref ready(*flag);
  if (blockIdx.x == 0) {
    data[0] = 42;
    ready.store(1, Order);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[0];
  }
}

__global__ void fixed(int *data, int *flag, int *out) { pass<cuda::memory_order_release>(data, flag, out); }
__global__ void racy(int *data, int *flag, int *out) { pass<cuda::memory_order_relaxed>(data, flag, out); }

__device__ cuda::atomic<unsigned, cuda::thread_scope_device> tickets;

// Every operation once, of every size.
__global__ void operations(int *i, unsigned long long *u, float *f, double *d, unsigned char *c, short *s, int *out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
  if (threadIdx.x == 0) count.store(0, cuda::std::memory_order_relaxed);
  __syncthreads();
  count.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> a(*i);
  a.fetch_max((int)threadIdx.x);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> b(*u);
  b.fetch_or(1ull << threadIdx.x, cuda::memory_order_acq_rel);
  cuda::atomic_ref<float, cuda::thread_scope_device> e(*f);
  e.fetch_add(0.5f);
  cuda::atomic_ref<double, cuda::thread_scope_block> g(*d);
  g += 0.25;
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device> h(*c);
  h.fetch_add(3);
  cuda::atomic_ref<short, cuda::thread_scope_device> k(*s);
  k.fetch_sub(2);
  tickets++;
  int expected = -1;
  cuda::atomic_ref<int> once(out[1]);
  once.compare_exchange_strong(expected, 7);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = count;
    out[2] = (int)tickets.load();
  }
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  atomicAdd_block(out + 3, 2);
  atomicMax_system(out + 3, 1);
  atomicCAS(out + 4, 0, 9);
}
