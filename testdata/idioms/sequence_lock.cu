// A sequence lock: the reader reads relaxed, between two reads of the sequence number with fences, and
// tries again when it has changed.
#include "../include/gpusim.cuh"

__global__ void sequence_lock(unsigned *sequence, unsigned *cells, unsigned *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    for (unsigned k = 1; k <= 3; ++k) {
      st_relaxed_gpu(sequence, 2 * k - 1);
      __threadfence();
      st_relaxed_gpu(&cells[0], k);
      st_relaxed_gpu(&cells[1], 100 * k);
      __threadfence();
      st_relaxed_gpu(sequence, 2 * k);
    }
  } else {
    unsigned before, after, a, b;
    do {
      before = ld_relaxed_gpu(sequence);
      __threadfence();
      a = ld_relaxed_gpu(&cells[0]);
      b = ld_relaxed_gpu(&cells[1]);
      __threadfence();
      after = ld_relaxed_gpu(sequence);
    } while (before != after || (before & 1));
    out[0] = b == 100 * a;
  }
}
