// One thread initialises a shared counter, all count, all read: plain, atomic, plain, with barriers in
// between.
#include "../include/gpusim.cuh"

__global__ void shared_counter(const int *in, int *out) {
  __shared__ int count;
  int t = threadIdx.x;
  if (t == 0)
    count = 0;
  __syncthreads();
  if (in[t] > 20)
    atomicAdd(&count, 1);
  __syncthreads();
  out[t] = count;
}
