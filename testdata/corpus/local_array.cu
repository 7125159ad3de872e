// arch: sm_70 flags:
// Local memory: arrays with run-time indices, structures, pointers to locals passed to functions.
#include "../include/gpusim.cuh"

struct Node {
  int value;
  short next;
  char mark;
};

__device__ __noinline__ int walk(const Node *nodes, int start) {
  int sum = 0, steps = 0;
  for (int k = start; k >= 0 && steps < 20; k = nodes[k].next, ++steps)
    sum += nodes[k].value * (nodes[k].mark ? 3 : 1);
  return sum;
}

__global__ void local_array(const int *in, int *out, int n) {
  int i = threadIdx.x;
  Node nodes[10];
  for (int k = 0; k < 10; ++k) {
    nodes[k].value = in[(i + k) % n];
    nodes[k].next = (short)(k < 9 ? (k * 7 + 3) % 10 : -1);
    nodes[k].mark = (char)(k & 1);
  }
  int histogram[8] = {};
  for (int k = 0; k < n; ++k)
    ++histogram[(in[k] + i) & 7];
  out[0 * n + i] = walk(nodes, i % 10);
  out[1 * n + i] = histogram[i & 7] * 100 + histogram[(i + 3) & 7];
}
