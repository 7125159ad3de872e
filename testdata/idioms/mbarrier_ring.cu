// A ring of two stages with full and empty barriers; the producer copies asynchronously.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void mbarrier_ring(const int *in, int *out, int tiles) {
  __shared__ ull full[2], empty[2];
  __shared__ int s[2][32];
  int t = threadIdx.x, sum = 0;
  if (t < 2) {
    mbar_init(&full[t], 32);
    mbar_init(&empty[t], 32);
  }
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < tiles; ++k) {
      mbar_wait_parity(&empty[k & 1], ~(k >> 1) & 1); // the first two pass at once
      cp_async_ca<4>(&s[k & 1][t], &in[32 * k + t]);
      mbar_copies_noinc(&full[k & 1]);
    }
  } else {
    for (int k = 0; k < tiles; ++k) {
      mbar_wait_parity(&full[k & 1], k >> 1 & 1);
      sum += s[k & 1][63 - t];
      mbar_arrive(&empty[k & 1]);
    }
    out[t - 32] = sum;
  }
}
