// Pattern m: a counter in memory that nobody has zeroed. The kernels are the same: the host forgot
// the initialisation.
#include "../include/gpusim.cuh"

__global__ void racy(unsigned *tickets, unsigned *out) {
  unsigned mine = atomicAdd(tickets, 1u); // want: uninitialized-read
  if (mine < 64)
    out[mine] = 1;
}

__global__ void fixed(unsigned *tickets, unsigned *out) {
  unsigned mine = atomicAdd(tickets, 1u);
  if (mine < 64)
    out[mine] = 1;
}
