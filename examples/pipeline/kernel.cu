// A double buffer of cuda::pipeline's kind, written out: a full and an empty barrier for each stage,
// which all threads of the block fill (by asynchronous copies), wait for and release.
#include "../../testdata/include/gpusim.cuh"
#include "../../testdata/include/gpusim_mbarrier.cuh"

#define PRODUCER_ACQUIRE(k) mbar_wait_parity(&empty[(k) & 1], ~((k) >> 1) & 1)
#define PRODUCER_COMMIT(k) (mbar_copies(&full[(k) & 1]), mbar_arrive(&full[(k) & 1]))
#define CONSUMER_WAIT(k) mbar_wait_parity(&full[(k) & 1], (k) >> 1 & 1)
#define CONSUMER_RELEASE(k) mbar_arrive(&empty[(k) & 1])

// BUG: a stage is filled again before all threads have released it.
__global__ void pipeline(const int *in, int *out, int tiles) {
  __shared__ ull full[2], empty[2];
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  if (t < 2) {
    mbar_init(&full[t], 64);
    mbar_init(&empty[t], 64);
  }
  __syncthreads();
  for (int k = 0; k < tiles + 1; ++k) {
    if (k < tiles) {
      cp_async_ca<4>(&tile[k & 1][t], &in[64 * k + t]); // want: data-race
      PRODUCER_COMMIT(k);
    }
    if (k > 0) {
      CONSUMER_WAIT(k - 1);
      sum += tile[(k - 1) & 1][63 - t]; // want: data-race
    }
  }
  out[t] = sum;
}

__global__ void pipeline_fixed(const int *in, int *out, int tiles) {
  __shared__ ull full[2], empty[2];
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  if (t < 2) {
    mbar_init(&full[t], 64);
    mbar_init(&empty[t], 64);
  }
  __syncthreads();
  for (int k = 0; k < tiles + 1; ++k) {
    if (k < tiles) {
      PRODUCER_ACQUIRE(k);
      cp_async_ca<4>(&tile[k & 1][t], &in[64 * k + t]);
      PRODUCER_COMMIT(k);
    }
    if (k > 0) {
      CONSUMER_WAIT(k - 1);
      sum += tile[(k - 1) & 1][63 - t];
      CONSUMER_RELEASE(k - 1);
    }
  }
  out[t] = sum;
}
