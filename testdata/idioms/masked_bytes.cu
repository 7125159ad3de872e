// Words of which only some bytes were written are loaded whole, and the rest is masked or shifted off.
#include "../include/gpusim.cuh"

__global__ void masked_bytes(const uchar *in, unsigned *out) {
  __shared__ unsigned words[32];
  int t = threadIdx.x;
  ((volatile uchar *)words)[4 * t + 1] = in[t];
  __syncwarp();
  unsigned w = ((volatile unsigned *)words)[31 - t];
  unsigned low = (w & 0xff00u) >> 8;
  unsigned byte = __byte_perm(w, 0, 0x4441);
  unsigned field;
  asm("bfe.u32 %0, %1, 8, 8;" : "=r"(field) : "r"(w));
  out[t] = low + byte + field;
}
