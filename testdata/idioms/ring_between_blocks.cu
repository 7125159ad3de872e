// A ring of two cells between two blocks, with a head and a tail counter: release and acquire on both.
#include "../include/gpusim.cuh"

enum { CELLS = 2, ITEMS = 9 };

__global__ void ring_between_blocks(unsigned *head, unsigned *tail, int *ring, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    for (unsigned k = 0; k < ITEMS; ++k) {
      while (k - ld_acquire_gpu(tail) >= CELLS)
        ;
      ring[k % CELLS] = (int)k * 3;
      st_release_gpu(head, k + 1);
    }
  } else {
    int sum = 0;
    for (unsigned k = 0; k < ITEMS; ++k) {
      while (ld_acquire_gpu(head) <= k)
        ;
      sum += ring[k % CELLS];
      st_release_gpu(tail, k + 1);
    }
    *out = sum;
  }
}
