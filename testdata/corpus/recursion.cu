// arch: sm_86 flags:
// Recursion of a depth that differs between lanes, single and mutual.
#include "../include/gpusim.cuh"

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

// Sorts a local array in place: recursion with pointers into the caller's frame.
__device__ __noinline__ void quicksort(int *v, int lo, int hi) {
  if (lo >= hi)
    return;
  int pivot = v[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (v[i] < pivot)
      ++i;
    while (v[j] > pivot)
      --j;
    if (i <= j) {
      int t = v[i];
      v[i++] = v[j];
      v[j--] = t;
    }
  }
  quicksort(v, lo, j);
  quicksort(v, i, hi);
}

__global__ void recursion(int *fibs, unsigned *acks, int *parity, int *sorted) {
  int i = threadIdx.x;
  fibs[i] = fib(i % 12);
  acks[i] = ackermann(i % 3, i % 5);
  parity[i] = is_even(i) + 2 * is_odd(i * 3);
  int v[8];
  for (int k = 0; k < 8; ++k)
    v[k] = (i * 37 + k * 101) % 64;
  quicksort(v, 0, 7);
  for (int k = 0; k < 8; ++k)
    sorted[8 * i + k] = v[k];
}
