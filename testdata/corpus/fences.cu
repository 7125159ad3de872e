// The fences of CUDA C++ and of PTX, each handing data from block to block along a chain.
#include "../include/gpusim.cuh"

#define STEP(K, RELEASE, ACQUIRE)                           \
  if (b == K) {                                             \
    while (K > 0 && ld_relaxed_sys(&flags[K - 1]) == 0)     \
      ;                                                     \
    ACQUIRE();                                              \
    data[K] = K > 0 ? data[K - 1] * 2 + 1 : 1;              \
    RELEASE();                                              \
    st_relaxed_sys(&flags[K], 1);                           \
  }

__global__ void fences(unsigned *flags, int *data) {
  int b = blockIdx.x;
  if (threadIdx.x != 0)
    return;
  STEP(0, __threadfence, __threadfence)
  STEP(1, __threadfence_system, __threadfence)
  STEP(2, fence_acq_rel_gpu, __threadfence_system)
  STEP(3, fence_acq_rel_sys, fence_acq_rel_gpu)
  STEP(4, fence_sc_gpu, fence_acq_rel_sys)
  STEP(5, fence_sc_sys, fence_sc_gpu)
}

__global__ void block_fences(int *out) {
  __shared__ int value;
  __shared__ unsigned flag[3];
  int t = threadIdx.x;
  if (t < 3)
    flag[t] = 0;
  __syncthreads();
  if (t == 0) {
    value = 5;
    __threadfence_block();
    st_relaxed_cta(&flag[0], 1);
  } else if (t == 32) {
    while (ld_relaxed_cta(&flag[0]) == 0)
      ;
    fence_acq_rel_cta();
    value = value + 6;
    fence_sc_cta();
    st_relaxed_cta(&flag[1], 1);
  } else if (t == 64) {
    while (ld_relaxed_cta(&flag[1]) == 0)
      ;
    __threadfence_block();
    out[0] = value;
  }
}
