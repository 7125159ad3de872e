// activemask: holds the caller's own lane always, all lanes where the whole warp has just met, and
// never a lane that has exited.
#include "../include/gpusim.cuh"

__global__ void activemask(int *out, int n) {
  unsigned lane = __laneid();
  if (threadIdx.x >= (unsigned)n)
    return;
  unsigned self = 1u << lane;
  int ok = (__activemask() & self) != 0;
  if (lane & 1)
    ok += (__activemask() & (0xaaaaaaaau | self)) == __activemask() ? 2 : 0;
  else
    ok += (__activemask() & self) ? 2 : 0;
  // A warp that is cut short by n has no lanes beyond it.
  unsigned exited = threadIdx.x - lane + 32 > (unsigned)n ? ~0u << (n & 31) : 0;
  ok += (__activemask() & exited) == 0 ? 4 : 0;
  out[threadIdx.x] = ok;
}
