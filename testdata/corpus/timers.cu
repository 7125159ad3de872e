// arch: sm_70 flags:
// Simulated time: clocks never run backwards, nanosleep lets time pass.
#include "../include/gpusim.cuh"

__global__ void timers(int *out) {
  int i = threadIdx.x;
  unsigned c0 = clock();
  ull t0 = __globaltimer();
  ull d0 = clock64();
  __nanosleep(1000);
  ull d1 = clock64();
  ull t1 = __globaltimer();
  unsigned c1 = clock();
  out[i] = (d1 > d0) + 2 * (t1 >= t0) + 4 * ((int)(c1 - c0) > 0);
}
