// brx.idx through a table of branch targets, in a scoped block with labels of its own.
#include "../include/gpusim.cuh"

__global__ void brx(const unsigned *in, unsigned *out) {
  unsigned i = threadIdx.x;
  unsigned x = in[i], r = x;
  for (int k = 0; k < 3; ++k)
    asm volatile("{\n\t"
                 ".reg .u32 t;\n\t"
                 "and.b32 t, %0, 3;\n"
                 "table: .branchtargets zero, one, two, three;\n\t"
                 "brx.idx t, table;\n"
                 "zero:\n\tadd.u32 %0, %0, 101;\n\tbra join;\n"
                 "one:\n\tmul.lo.u32 %0, %0, 3;\n\tbra join;\n"
                 "two:\n\tshr.u32 %0, %0, 1;\n\tbra join;\n"
                 "three:\n\txor.b32 %0, %0, 0xff;\n"
                 "join:\n\t}"
                 : "+r"(r));
  out[i] = r;
}
