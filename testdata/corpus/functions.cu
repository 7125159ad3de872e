// arch: sm_75 flags:
// Calls: structures and arrays by value, many parameters, small return types, references.
#include "../include/gpusim.cuh"

struct Mixed {
  char tag;
  double weight;
  short pair[2];
};

struct Triple {
  int a, b, c;
};

__device__ __noinline__ double weigh(Mixed m, int scale) { return m.weight * scale + m.tag + m.pair[1]; }

__device__ __noinline__ Triple rotate(Triple t) { return Triple{t.b, t.c, t.a}; }

__device__ __noinline__ void swap(int &a, int &b) {
  int t = a;
  a = b;
  b = t;
}

__device__ __noinline__ signed char narrow(int v) { return (signed char)v; }

__device__ __noinline__ bool positive(float f) { return f > 0.0f; }

__device__ __noinline__ long long many(char a, short b, int c, long long d, float e, double f, uchar g, bool h,
                                       const int *p, ushort j) {
  return a + b + c + d + (long long)e + (long long)f + g + (h ? 1000 : 0) + *p + j;
}

__global__ void functions(const int *in, int *out, double *weights, long long *sums, int n) {
  int i = threadIdx.x;
  int x = in[i];
  Mixed m = {(char)(x & 7), x * 0.5, {(short)x, (short)(x + 1)}};
  weights[i] = weigh(m, 3);
  Triple t = rotate(rotate(Triple{x, x + 1, x + 2}));
  int a = t.a, b = t.b;
  swap(a, b);
  out[0 * n + i] = a;
  out[1 * n + i] = b;
  out[2 * n + i] = t.c;
  out[3 * n + i] = narrow(x * 7);
  out[4 * n + i] = positive((float)x) ? 1 : 2;
  sums[i] = many((char)(x & 15), (short)x, x, x * 1000000000ll, x + 0.75f, x - 0.25, (uchar)x, x & 1, &in[i], (ushort)x);
}
