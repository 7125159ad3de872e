// The unaligned forms of barriers: arrive, sync and red by warps whose lanes come from different
// branches.
#include "../include/gpusim.cuh"

__global__ void barrier_unaligned(const int *in, int *out, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    if (t & 1)
      s[t] = in[t] * 3;
    else
      s[t] = in[t] + 100;
    barrier_arrive(5, 64);
  } else {
    barrier_sync(5, 64);
    out[t - 32] = s[63 - t];
  }
  int r;
  asm volatile("{ .reg .pred p;\n\tsetp.gt.s32 p, %1, 50;\n\tbarrier.red.popc.u32 %0, 6, 64, p; }"
               : "=r"(r) : "r"(in[t]) : "memory");
  out[n + t] = r;
  asm volatile("{ .reg .pred p, q;\n\tsetp.ge.s32 p, %1, 0;\n\tbarrier.red.and.pred q, 7, !p;\n\t"
               "selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"(in[t]) : "memory");
  out[n + 64 + t] = r;
}
