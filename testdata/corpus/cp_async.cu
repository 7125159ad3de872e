// cp.async of 4, 8 and 16 bytes, two groups in flight, the older waited for first.
#include "../include/gpusim.cuh"

__global__ void cp_async(const int *in, int *out, int n) {
  __shared__ __attribute__((aligned(16))) int a[256];
  __shared__ __attribute__((aligned(16))) int b[128];
  int t = threadIdx.x;
  if (t < 64) {
    cp_async_ca<4>(&a[t], &in[t]);
    cp_async_ca<8>(&a[64 + 2 * t], &in[64 + 2 * t]);
  }
  if (t < 16)
    cp_async_cg16(&a[192 + 4 * t], &in[192 + 4 * t]);
  cp_async_commit();
  if (t < 32)
    cp_async_cg16(&b[4 * t], &in[256 + 4 * t]);
  cp_async_commit();
  cp_async_wait<1>();
  __syncthreads();
  int sum = a[255 - t] + a[(t + 64) % 256] * 2 + a[t + 128] * 3;
  cp_async_wait<0>();
  __syncthreads();
  out[t] = sum + b[127 - t];
  __syncthreads();
  cp_async_ca<4>(&b[t], &in[t]);
  cp_async_wait_all();
  out[n + t] = b[t]; // its own copy: no barrier needed
}
