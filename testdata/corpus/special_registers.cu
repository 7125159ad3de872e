// Special registers: identity in three dimensions, lane and warp, masks, sizes of shared memory.
#include "../include/gpusim.cuh"

extern __shared__ int dynamic[];

__global__ void special_registers(unsigned *out, unsigned *sizes) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned per_block = blockDim.x * blockDim.y * blockDim.z;
  unsigned i = block * per_block + thread;
  unsigned lane = __laneid();
  unsigned ok = lane == thread % 32;
  ok |= (__lanemask_eq() == 1u << lane) << 1;
  ok |= (__lanemask_lt() == (1u << lane) - 1) << 2;
  ok |= ((__lanemask_le() & ~__lanemask_lt()) == __lanemask_eq()) << 3;
  ok |= (__lanemask_gt() == ~__lanemask_le()) << 4;
  ok |= (__lanemask_ge() == (__lanemask_gt() | __lanemask_eq())) << 5;
  ok |= (__nwarpid() >= (per_block + 31) / 32 && __warpid() < __nwarpid()) << 6;
  ok |= (__smid() < __nsmid()) << 7;
  ok |= (warpSize == 32) << 8;
  out[i] = ok;
  dynamic[thread] = (int)thread;
  if (i == 0) {
    sizes[0] = __dynamic_smem_size();
    sizes[1] = __total_smem_size() >= __dynamic_smem_size();
    sizes[2] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
    sizes[3] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
    unsigned a;
    asm volatile("mov.u32 %0, WARP_SZ;" : "=r"(a));
    sizes[4] = a;
  }
}
