// Pattern A: the source of a cp.async ends before the buffer's last tile does, without a source size:
// the copy reads beyond the buffer.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out, int n) {
  __shared__ __attribute__((aligned(16))) int s[128];
  int t = threadIdx.x;
  cp_async_cg16(&s[4 * t], &in[4 * t]); // want: out-of-bounds
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  if (t < n)
    out[t] = s[t];
}

__global__ void fixed(const int *in, int *out, int n) {
  __shared__ __attribute__((aligned(16))) int s[128];
  int t = threadIdx.x;
  int left = n - 4 * t;
  cp_async_zfill<16>(&s[4 * t], &in[left > 0 ? 4 * t : 0], left >= 4 ? 16 : left > 0 ? 4 * left : 0);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  if (t < n)
    out[t] = s[t];
}
