// Shared memory by 32-bit addresses in inline PTX, as CUTLASS does it.
#include "../include/gpusim.cuh"

__global__ void shared_addr32(const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[128];
  unsigned t = threadIdx.x;
  unsigned base = __cvta_generic_to_shared(tile);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + 4 * t), "r"(in[t]) : "memory");
  __syncthreads();
  unsigned a, b, c, d;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(base + 16 * (t % 32)) : "memory");
  unsigned e;
  asm volatile("ld.shared.u32 %0, [%1+-4];" : "=r"(e) : "r"(base + 4 * (t | 1)) : "memory");
  out[t] = a + 2 * b + 3 * c + 4 * d + 1000 * e;
}
