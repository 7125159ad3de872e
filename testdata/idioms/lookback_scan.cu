// Decoupled look-back: each block publishes its sum, then looks back over its predecessors until it
// meets one that has published its whole prefix. Blocks take their number from a counter, so that a
// predecessor has always started.
#include "../include/gpusim.cuh"

enum { EMPTY = 0, SUM = 1, PREFIX = 2 };

__global__ void lookback_scan(const int *in, int *sums, int *prefixes, unsigned *status, unsigned *ticket, int *out) {
  __shared__ int s[32];
  __shared__ int before;
  __shared__ unsigned mine;
  int t = threadIdx.x;
  if (t == 0)
    mine = atomicAdd(ticket, 1u);
  __syncthreads();
  unsigned b = mine;
  s[t] = in[b * 32 + t];
  for (int d = 1; d < 32; d <<= 1) {
    __syncthreads();
    int left = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += left;
  }
  __syncthreads();
  if (t == 0) {
    int sum = s[31], prefix = 0;
    if (b > 0) {
      sums[b] = sum;
      __threadfence();
      st_relaxed_gpu(&status[b], SUM);
      for (int k = (int)b - 1; k >= 0; --k) {
        unsigned state;
        while ((state = ld_relaxed_gpu(&status[k])) == EMPTY)
          ;
        __threadfence();
        if (state == PREFIX) {
          prefix += prefixes[k];
          break;
        }
        prefix += sums[k];
      }
    }
    prefixes[b] = prefix + sum;
    __threadfence();
    st_relaxed_gpu(&status[b], PREFIX);
    before = prefix;
  }
  __syncthreads();
  out[b * 32 + t] = before + s[t];
}
