// Pattern B: the consumer begins with parity 1, which passes at once on a fresh barrier, and otherwise waits for a phase
// that nobody completes.
// seeds: any
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull full;
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&full, 32);
  if (t >= 32) s[t - 32] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = in[t]; // want: data-race
    mbar_arrive(&full);
  } else {
    mbar_wait_parity(&full, 1); // want: deadlock
    out[t - 32] = s[63 - t]; // want: data-race
  }
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull full;
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t == 0) mbar_init(&full, 32);
  if (t >= 32) s[t - 32] = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = in[t];
    mbar_arrive(&full);
  } else {
    mbar_wait_parity(&full, 0);
    out[t - 32] = s[63 - t];
  }
}
