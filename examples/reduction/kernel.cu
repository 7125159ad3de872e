// Sum of an array: a tree in shared memory, one block for 128 elements.
#include "../../testdata/include/gpusim.cuh"

// BUG: the barrier of the loop is inside the branch. The threads that have no part in a step run on to
// the barrier behind the loop, and the lanes of one warp wait at two different barriers.
__global__ void reduce(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) {
      s[t] += s[t + d];
      __syncthreads(); // want: barrier-divergence
    }
  }
  __syncthreads(); // want: barrier-divergence
  if (t == 127)
    out[blockIdx.x] = s[0];
}

__global__ void reduce_fixed(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 127)
    out[blockIdx.x] = s[0];
}
