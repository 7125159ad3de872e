// Bit counting and reversal: brev, clz, popc, ffs, and logical operations with cnot.
#include "../include/gpusim.cuh"

__global__ void bits(const unsigned *a, unsigned *out, ull *out64, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], r;
  ull w = (ull)x * 0x100000001b3ull;
  out[0 * n + i] = __brev(x);
  out[1 * n + i] = (unsigned)__clz((int)x);
  out[2 * n + i] = (unsigned)__popc(x);
  out[3 * n + i] = (unsigned)__ffs((int)x);
  out[4 * n + i] = (unsigned)__clzll((long long)w);
  out[5 * n + i] = (unsigned)__popcll(w);
  asm("clz.b32 %0, %1;" : "=r"(r) : "r"(x));
  out[6 * n + i] = r;
  asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(x));
  out[7 * n + i] = r;
  asm("not.b32 %0, %1;" : "=r"(r) : "r"(x));
  out[8 * n + i] = r;
  asm("clz.b64 %0, %1;" : "=r"(r) : "l"(w));
  out[9 * n + i] = r;
  out64[0 * n + i] = __brevll(w);
  out64[1 * n + i] = w << 7 | w >> 57;
}
