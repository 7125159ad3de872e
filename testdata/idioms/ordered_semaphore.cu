// The semaphore of split-K in CUTLASS: block k adds its part to the output after block k - 1; thread 0
// polls with ld.acquire, the block agrees by a reducing barrier, thread 0 releases.
#include "../include/gpusim.cuh"

__global__ void ordered_semaphore(unsigned *semaphore, const int *in, int *out) {
  int t = threadIdx.x;
  unsigned state = ~0u;
  if (t == 0)
    state = ld_acquire_gpu(semaphore);
  while (__syncthreads_and(t != 0 || state != blockIdx.x))
    if (t == 0)
      state = ld_acquire_gpu(semaphore);
  __syncthreads();
  int old = blockIdx.x == 0 ? 0 : out[t];
  out[t] = old * 2 + in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0)
    st_release_gpu(semaphore, blockIdx.x + 1);
}
