// red: atomics without a result, all types and operations.
#include "../include/gpusim.cuh"

#define RED(OP, TYPE, C, P, V) asm volatile("red.global." OP "." TYPE " [%0], %1;" ::"l"(P), C(V) : "memory");

__global__ void reductions(int *s, unsigned *u, ull *w, float *f, double *d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  RED("add", "s32", "r", s + 0, t)
  RED("min", "s32", "r", s + 1, -t)
  RED("max", "s32", "r", s + 2, t)
  RED("add", "u32", "r", u + 0, t)
  RED("min", "u32", "r", u + 1, 1000 - t)
  RED("max", "u32", "r", u + 2, t * 3)
  RED("and", "b32", "r", u + 3, ~(1 << (t & 31)))
  RED("or", "b32", "r", u + 4, 1 << (t % 20))
  RED("xor", "b32", "r", u + 5, t)
  RED("inc", "u32", "r", u + 6, 6)
  RED("dec", "u32", "r", u + 7, 6)
  RED("add", "u64", "l", w + 0, (ull)t << 32)
  RED("min", "s64", "l", w + 1, (ull)(long long)-t)
  RED("max", "u64", "l", w + 2, (ull)t << 40)
  RED("and", "b64", "l", w + 3, ~(1ull << (t & 63)))
  RED("or", "b64", "l", w + 4, 1ull << (t % 40))
  RED("xor", "b64", "l", w + 5, (ull)t << 20)
  RED("add", "f32", "f", f, 0.5f)
  RED("add", "f64", "d", d, 0.125)
  __shared__ unsigned local;
  if (threadIdx.x == 0)
    local = 0;
  __syncthreads();
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(__cvta_generic_to_shared(&local)), "r"(2) : "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&u[8], local);
}
