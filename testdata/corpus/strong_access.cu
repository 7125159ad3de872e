// Message passing between blocks by st.release and ld.acquire, and by relaxed accesses with fences.
#include "../include/gpusim.cuh"

__global__ void strong_access(unsigned *flags, unsigned *data, unsigned *out) {
  unsigned b = blockIdx.x, t = threadIdx.x;
  if (t != 0)
    return;
  if (b == 0) {
    data[0] = 123;
    st_release_gpu(&flags[0], 1);
    data[1] = 456;
    fence_acq_rel_gpu();
    st_relaxed_gpu(&flags[1], 1);
    data[2] = 789;
    fence_sc_gpu();
    st_relaxed_sys(&flags[2], 5);
  } else {
    while (ld_acquire_gpu(&flags[0]) == 0)
      ;
    out[0] = data[0];
    while (ld_relaxed_gpu(&flags[1]) == 0)
      ;
    fence_acq_rel_gpu();
    out[1] = data[1];
    while (ld_relaxed_sys(&flags[2]) != 5)
      ;
    fence_sc_gpu();
    out[2] = data[2];
  }
}

// Within a block the scope may be that of the block.
__global__ void strong_block(unsigned *out) {
  __shared__ unsigned flag, value;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 77;
    st_release_cta(&flag, 1);
  } else if (threadIdx.x == 32) {
    while (ld_acquire_cta(&flag) == 0)
      ;
    out[0] = value;
  }
}
