// Inclusive prefix sum by doubling (Hillis and Steele), in place in one shared array.
#include "../../testdata/include/gpusim.cuh"

// BUG: one barrier a step is not enough in place: a thread adds to its cell while its right neighbour
// has yet to read the old value.
__global__ void scan(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    if (t >= d)
      s[t] += s[t - d]; // want: data-race
  }
  out[t] = s[t];
}

__global__ void scan_fixed(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int left = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += left;
  }
  out[t] = s[t];
}
