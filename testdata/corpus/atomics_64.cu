// arch: sm_70 flags:
// 64-bit atomics.
#include "../include/gpusim.cuh"

__global__ void atomics_64(long long *s, ull *u, ull *returned) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&u[0], (ull)t << 33);
  atomicMin(&s[0], (long long)-t * 0x100000000ll);
  atomicMax(&s[1], (long long)t * 0x100000001ll);
  atomicMin(&u[1], 0x8000000000000000ull + t);
  atomicMax(&u[2], 0xffffffffffffff00ull + t);
  atomicAnd(&u[3], ~(1ull << (t & 63)));
  atomicOr(&u[4], 1ull << (t & 63));
  atomicXor(&u[5], (ull)t * 0x100000001b3ull);
  ull *mine = &u[16 + t];
  returned[3 * t + 0] = atomicExch(mine, (ull)t << 40);
  returned[3 * t + 1] = atomicCAS(mine, (ull)t << 40, 5ull);
  returned[3 * t + 2] = atomicCAS(mine, 6ull, 7ull);
}
