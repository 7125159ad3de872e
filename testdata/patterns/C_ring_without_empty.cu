// Pattern C: a stage is filled again without waiting until the consumer has emptied it.
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull full[2];
  __shared__ int s[32];
  int t = threadIdx.x, sum = 0;
  if (t < 2) mbar_init(&full[t], 32);
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < 2; ++k) {
      s[t] = in[32 * k + t]; // want: data-race
      mbar_arrive(&full[k]);
    }
  } else {
    for (int k = 0; k < 2; ++k) {
      mbar_wait_parity(&full[k], 0);
      sum += s[63 - t]; // want: data-race
    }
    out[t - 32] = sum;
  }
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull full[2], empty;
  __shared__ int s[32];
  int t = threadIdx.x, sum = 0;
  if (t < 2) mbar_init(&full[t], 32);
  if (t == 0) mbar_init(&empty, 32);
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < 2; ++k) {
      mbar_wait_parity(&empty, (k & 1) ^ 1);
      s[t] = in[32 * k + t];
      mbar_arrive(&full[k]);
    }
  } else {
    for (int k = 0; k < 2; ++k) {
      mbar_wait_parity(&full[k], 0);
      sum += s[63 - t];
      mbar_arrive(&empty);
    }
    out[t - 32] = sum;
  }
}
