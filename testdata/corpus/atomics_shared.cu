// Atomics on shared memory, static and dynamic, through typed and generic pointers.
#include "../include/gpusim.cuh"

extern __shared__ unsigned bins[];

__device__ __noinline__ void bump(unsigned *p) { atomicAdd(p, 1u); }

__global__ void atomics_shared(const unsigned *in, unsigned *out, ull *wide, float *sums) {
  __shared__ ull total;
  __shared__ float weight;
  __shared__ int low;
  int t = threadIdx.x;
  if (t < 16)
    bins[t] = 0;
  if (t == 0) {
    total = 0;
    weight = 0;
    low = 1 << 30;
  }
  __syncthreads();
  unsigned v = in[t];
  if (t & 1)
    atomicAdd(&bins[v & 15], 1u);
  else
    bump(&bins[v & 15]);
  atomicAdd(&total, (ull)v * v);
  atomicAdd(&weight, 0.5f * (v & 3));
  atomicMin(&low, (int)v);
  __syncthreads();
  if (t < 16)
    out[t] = bins[t];
  if (t == 0) {
    wide[0] = total;
    wide[1] = (ull)low;
    sums[0] = weight;
  }
}
