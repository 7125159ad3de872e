// silent: O1 O2 O3
// Pattern w: all threads use one shared cell as if it were theirs. The optimiser keeps the value in a
// register and removes the stores, and the race with them: the verdict is on the compiled code.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ int scratch;
  int t = threadIdx.x;
  scratch = in[t] + t; // want: data-race
  out[t] = scratch - t; // want: data-race
}

__global__ void fixed(const int *in, int *out) {
  int scratch;
  int t = threadIdx.x;
  scratch = in[t] + t;
  out[t] = scratch - t;
}
