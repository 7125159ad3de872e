// Indirect calls: a table of functions in constant memory, a pointer passed on, lanes that call
// different functions.
#include "../include/gpusim.cuh"

typedef int (*Op)(int, int);

__device__ __noinline__ int op_add(int a, int b) { return a + b; }
__device__ __noinline__ int op_sub(int a, int b) { return a - b; }
__device__ __noinline__ int op_mul(int a, int b) { return a * b; }
__device__ __noinline__ int op_mix(int a, int b) { return (a ^ b) & 0xffff; }

__constant__ Op table[4] = {op_add, op_sub, op_mul, op_mix};
__device__ Op favourite = op_mul;

__device__ __noinline__ int fold(Op op, const int *v, int n) {
  int acc = v[0];
  for (int k = 1; k < n; ++k)
    acc = op(acc, v[k]);
  return acc;
}

__global__ void fnptr(const int *in, int *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = table[i & 3](in[i], i);
  out[1 * n + i] = fold(table[(i >> 2) & 3], in, 4);
  out[2 * n + i] = favourite(in[i], 3);
  Op chosen = in[i] > 50 ? op_sub : table[3];
  out[3 * n + i] = chosen(in[i], 50);
}
