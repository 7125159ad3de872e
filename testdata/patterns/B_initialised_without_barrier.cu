// Pattern B: nothing orders the initialisation before the arrivals of other threads.
// seeds: any
#include "../include/gpusim.cuh"
#include "../include/gpusim_mbarrier.cuh"

__global__ void racy(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64); // want: data-race
  mbar_arrive(&bar);               // want: data-race, barrier-misuse
  out[t] = in[t];
}

__global__ void fixed(const int *in, int *out) {
  __shared__ ull bar;
  int t = threadIdx.x;
  if (t == 0) mbar_init(&bar, 64);
  __syncthreads();
  mbar_arrive(&bar);
  out[t] = in[t];
}
