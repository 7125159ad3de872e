// cuda::barrier and a cuda::pipeline of a block, which are mbarriers in shared memory.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

template <bool Wait> __device__ void exchange(const int *in, int *out) {
  __shared__ block_barrier arrived;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&arrived, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&tile[t], &in[t], sizeof(int), arrived);
  block_barrier::arrival_token token = arrived.arrive();
  if (Wait) arrived.wait(std::move(token));
  out[t] = tile[63 - t];
}
__global__ void fixed(const int *in, int *out) { exchange<true>(in, out); }
__global__ void racy(const int *in, int *out) { exchange<false>(in, out); }

// Two stages: a stage is filled again only when all have read it.
__global__ void stages(const int *in, int *out, int tiles) {
  auto block = cooperative_groups::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[2][64];
  auto pipe = cuda::make_pipeline(block, &state);
  for (int next = 0, done = 0; done < tiles; done++) {
    for (; next < tiles && next < done + 2; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % 2], in + next * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[done * 64 + threadIdx.x] = tile[done % 2][63 - threadIdx.x] + 1;
    pipe.consumer_release();
  }
}

// A barrier of the device counts blocks.
__global__ void across(cuda::barrier<cuda::thread_scope_device> *meet, int *data) {
  if (blockIdx.x == 0) data[0] = 5;
  meet->arrive_and_wait();
  if (blockIdx.x == 1) data[1] = data[0];
}
__global__ void prepare(cuda::barrier<cuda::thread_scope_device> *meet) { init(meet, 2); }
