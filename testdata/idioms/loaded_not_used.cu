// A cell that nobody has written is loaded and its value dropped by a selection, as compilers make of
// a guarded load.
#include "../include/gpusim.cuh"

__global__ void loaded_not_used(const int *in, int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < n)
    s[t] = in[t];
  __syncthreads();
  int v = *(volatile int *)&s[63 - t];
  int w;
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.s32 %0, %3, 4, p; }" : "=r"(w) : "r"(63 - t), "r"(n), "r"(v));
  out[t] = w;
}
