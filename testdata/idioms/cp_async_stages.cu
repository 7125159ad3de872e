// Three stages of cp.async with one barrier an iteration: the stage that is refilled was read before
// the last barrier.
#include "../include/gpusim.cuh"

enum { STAGES = 3 };

__global__ void cp_async_stages(const int *in, int *out, int n) {
  __shared__ int s[STAGES][64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < STAGES - 1; ++k) {
    if (k < n)
      cp_async_ca<4>(&s[k][t], &in[64 * k + t]);
    cp_async_commit();
  }
  for (int k = 0; k < n; ++k) {
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    int next = k + STAGES - 1;
    if (next < n)
      cp_async_ca<4>(&s[next % STAGES][t], &in[64 * next + t]);
    cp_async_commit();
    sum += s[k % STAGES][63 - t];
  }
  out[t] = sum;
}
