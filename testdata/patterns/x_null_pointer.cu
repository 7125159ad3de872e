// A pointer that the host left null.
#include "../include/gpusim.cuh"

struct Node {
  int *data;
};

__global__ void racy(const Node *node, int *out) {
  out[threadIdx.x] = node->data[threadIdx.x]; // want: out-of-bounds
}

__global__ void fixed(const Node *node, int *out) {
  out[threadIdx.x] = node->data ? node->data[threadIdx.x] : 0;
}
