// assert that holds, and a trap that no thread reaches.
#include "../include/gpusim.cuh"

__global__ void assert_pass(const int *in, int *out, int n) {
  int i = threadIdx.x;
  assert(blockDim.x == 32 && "one warp");
  assert(n > 0);
  int x = in[i];
  assert(x >= 0);
  if (x > 1000000)
    __trap();
  out[i] = x / n;
}
