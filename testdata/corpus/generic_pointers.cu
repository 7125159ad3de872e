// Generic pointers to global, shared, local and constant memory through the same code; conversions
// between windows and generic addresses; isspacep.
#include "../include/gpusim.cuh"

__constant__ int fixed[4] = {40, 41, 42, 43};
__device__ int module[4] = {70, 71, 72, 73};

__device__ __noinline__ int sum4(const int *p) { return p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4; }

__device__ __noinline__ int space_of(const void *p) {
  int s, g, l, c;
  asm("{ .reg .pred p; isspacep.shared p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(s) : "l"(p));
  asm("{ .reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(g) : "l"(p));
  asm("{ .reg .pred p; isspacep.local p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(l) : "l"(p));
  asm("{ .reg .pred p; isspacep.const p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(c) : "l"(p));
  return s + 2 * g + 4 * l + 8 * c;
}

__global__ void generic_pointers(const int *in, int *out, int n) {
  __shared__ int tile[4];
  int i = threadIdx.x;
  if (i < 4)
    tile[i] = 100 + i;
  int mine[4] = {i, i + 1, i + 2, i + 3};
  __syncthreads();
  const int *p;
  switch (i % 5) {
  case 0: p = in + (i & ~3); break;
  case 1: p = tile; break;
  case 2: p = mine; break;
  case 3: p = fixed; break;
  default: p = module;
  }
  out[0 * n + i] = sum4(p);
  out[1 * n + i] = space_of(p);
  // Window to generic and back.
  ull generic;
  asm("cvta.shared.u64 %0, %1;" : "=l"(generic) : "l"((ull)__cvta_generic_to_shared(tile)));
  out[2 * n + i] = ((const int *)generic)[1] + (generic == (ull)tile);
}
