// arch: sm_80 flags:
// Stack memory of a size known at run time, by the alloca instruction (PTX ISA, "alloca").
#include "../include/gpusim.cuh"

__global__ void alloca_sum(const int *in, int *out) {
  int i = threadIdx.x;
  int n = i % 7 + 1;
  ull buffer;
  asm volatile("{ .reg .u64 t; alloca.u64 t, %1, 8; cvta.local.u64 %0, t; }" : "=l"(buffer) : "l"((ull)n * 4));
  int *v = (int *)buffer;
  for (int k = 0; k < n; ++k)
    v[k] = in[(i + k) & 31];
  int sum = 0;
  for (int k = n - 1; k >= 0; --k)
    sum = sum * 3 + v[k];
  out[i] = sum;
}

__global__ void stack_restore(int *out) {
  ull before, after, first, second;
  asm volatile("stacksave.u64 %0;" : "=l"(before));
  asm volatile("alloca.u64 %0, 64, 16;" : "=l"(first));
  asm volatile("stackrestore.u64 %0;" ::"l"(before));
  asm volatile("alloca.u64 %0, 64, 16;" : "=l"(second));
  asm volatile("stackrestore.u64 %0;" ::"l"(before));
  asm volatile("stacksave.u64 %0;" : "=l"(after));
  out[threadIdx.x] = (before == after) + 2 * (first == second) + 4 * (first % 16 == 0);
}
