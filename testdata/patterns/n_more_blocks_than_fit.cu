// Pattern n: a hand-made grid barrier waits for blocks that cannot start before the waiting ones end:
// with 100 KiB of shared memory, one or two blocks fit on a multiprocessor, and no device has 500.
// The fixed twin is the same kernel in a grid that fits.
#include "../include/gpusim.cuh"

extern __shared__ int big[];

__global__ void racy(unsigned *arrived, int *out) {
  big[threadIdx.x] = 1;
  if (threadIdx.x == 0) {
    atom_add_acq_rel_gpu(arrived, 1);
    while (ld_acquire_gpu(arrived) < gridDim.x) // want: deadlock
      ;
    out[blockIdx.x] = (int)ld_relaxed_gpu(arrived);
  }
}

__global__ void fixed(unsigned *arrived, int *out) {
  big[threadIdx.x] = 1;
  if (threadIdx.x == 0) {
    atom_add_acq_rel_gpu(arrived, 1);
    while (ld_acquire_gpu(arrived) < gridDim.x)
      ;
    out[blockIdx.x] = (int)ld_relaxed_gpu(arrived);
  }
}
