// Inline assembly in scoped blocks: registers and labels of its own, names that hide outer ones, the
// same block expanded twice, loops inside, guarded instructions, volatile state.
#include "../include/gpusim.cuh"

#define COLLATZ(STEPS, START)                      \
  asm volatile("{\n\t"                             \
               ".reg .pred %%p, done;\n\t"         \
               ".reg .u32 x, low;\n\t"             \
               "mov.u32 x, %1;\n\t"                \
               "mov.u32 %0, 0;\n"                  \
               "loop:\n\t"                         \
               "setp.le.u32 done, x, 1;\n\t"       \
               "@done bra end;\n\t"                \
               "and.b32 low, x, 1;\n\t"            \
               "setp.eq.u32 %%p, low, 0;\n\t"      \
               "@%%p shr.u32 x, x, 1;\n\t"         \
               "@!%%p mad.lo.u32 x, x, 3, 1;\n\t"  \
               "add.u32 %0, %0, 1;\n\t"            \
               "bra loop;\n"                       \
               "end:\n\t}"                         \
               : "=&r"(STEPS)                      \
               : "r"(START))

__global__ void asm_scopes(unsigned *out, int n) {
  unsigned i = threadIdx.x, a, b, c;
  COLLATZ(a, i + 1);
  COLLATZ(b, a + 5);
  asm("{\n\t.reg .u32 t<4>;\n\t"
      "add.u32 t0, %1, 1;\n\t"
      "{ .reg .u32 t0; mov.u32 t0, 77; add.u32 t1, t0, %1; }\n\t"
      "add.u32 t2, t0, t1;\n\t"
      "mul.lo.u32 t3, t2, 2;\n\t"
      "mov.u32 %0, t3;\n\t}"
      : "=r"(c) : "r"(i));
  out[0 * n + i] = a;
  out[1 * n + i] = b;
  out[2 * n + i] = c;
  ull packed;
  unsigned lo, hi;
  asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(a), "r"(b));
  asm("{ .reg .b32 skip; mov.b64 {%0, skip}, %1; }" : "=r"(lo) : "l"(packed));
  asm("mov.b64 {_, %0}, %1;" : "=r"(hi) : "l"(packed));
  out[3 * n + i] = lo * 1000 + hi;
}
