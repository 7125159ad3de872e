// prmt in its default form (with sign replication) and its six modes.
#include "../include/gpusim.cuh"

#define PRMT(K, MODE)                                                                  \
  asm("prmt.b32" MODE " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(s));          \
  out[K * n + i] = r;

__global__ void prmt(const unsigned *a, const unsigned *b, const unsigned *sel, unsigned *out, int n) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i], s = sel[i], r;
  PRMT(0, "")
  PRMT(1, ".f4e")
  PRMT(2, ".b4e")
  PRMT(3, ".rc8")
  PRMT(4, ".ecl")
  PRMT(5, ".ecr")
  PRMT(6, ".rc16")
  out[7 * n + i] = __byte_perm(x, y, 0x6521);
}
