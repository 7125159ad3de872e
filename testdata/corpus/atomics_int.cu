// 32-bit atomics on global memory: every operation, signed and unsigned; results in memory, and
// returned values where one thread owns a word.
#include "../include/gpusim.cuh"

__global__ void atomics_int(int *s, unsigned *u, int *returned) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&s[0], t);
  atomicSub(&s[1], t);
  atomicMin(&s[2], 50 - t);
  atomicMax(&s[3], t - 100);
  atomicAnd(&s[4], ~(1 << (t & 15)));
  atomicOr(&s[5], 1 << (t & 31));
  atomicXor(&s[6], t * 77);
  atomicAdd(&u[0], 0x10000001u * t);
  atomicMin(&u[1], 0x80000000u + t);
  atomicMax(&u[2], 0xfffffff0u - t);
  atomicInc(&u[3], 10);
  atomicDec(&u[4], 10);
  int *mine = &s[16 + t];
  returned[4 * t + 0] = atomicExch(mine, t);
  returned[4 * t + 1] = atomicCAS(mine, t, -t);     // succeeds
  returned[4 * t + 2] = atomicCAS(mine, t + 1, 99); // fails
  returned[4 * t + 3] = (int)atomicInc((unsigned *)mine, 5);
}
