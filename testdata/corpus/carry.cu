// Carry chains: 128-bit addition and subtraction, a 64 x 64 -> 128 bit product of 32-bit limbs.
#include "../include/gpusim.cuh"

struct u128 {
  unsigned w[4];
};

__global__ void carry(const u128 *a, const u128 *b, u128 *sum, u128 *diff, u128 *prod, unsigned *flags) {
  int i = threadIdx.x;
  u128 x = a[i], y = b[i], r;
  unsigned c;
  asm("add.cc.u32 %0, %5, %9;\n\t"
      "addc.cc.u32 %1, %6, %10;\n\t"
      "addc.cc.u32 %2, %7, %11;\n\t"
      "addc.cc.u32 %3, %8, %12;\n\t"
      "addc.u32 %4, 0, 0;"
      : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(c)
      : "r"(x.w[0]), "r"(x.w[1]), "r"(x.w[2]), "r"(x.w[3]),
        "r"(y.w[0]), "r"(y.w[1]), "r"(y.w[2]), "r"(y.w[3]));
  sum[i] = r;
  flags[2 * i] = c;
  asm("sub.cc.u32 %0, %5, %9;\n\t"
      "subc.cc.u32 %1, %6, %10;\n\t"
      "subc.cc.u32 %2, %7, %11;\n\t"
      "subc.cc.u32 %3, %8, %12;\n\t"
      "subc.u32 %4, 0, 0;"
      : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(c)
      : "r"(x.w[0]), "r"(x.w[1]), "r"(x.w[2]), "r"(x.w[3]),
        "r"(y.w[0]), "r"(y.w[1]), "r"(y.w[2]), "r"(y.w[3]));
  diff[i] = r;
  flags[2 * i + 1] = c;
  // (x1:x0) * (y1:y0), schoolbook with multiply-add carries (PTX ISA, "mad.cc", "madc").
  asm("mul.lo.u32 %0, %4, %6;\n\t"
      "mul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
      "madc.hi.u32 %2, %4, %7, 0;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
      "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
      "addc.u32 %3, 0, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
      "madc.hi.u32 %3, %5, %7, %3;"
      : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3])
      : "r"(x.w[0]), "r"(x.w[1]), "r"(y.w[0]), "r"(y.w[1]));
  prod[i] = r;
}
