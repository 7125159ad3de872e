// printf: conversions, widths, strings in constant memory, no arguments, one thread of each block.
#include "../include/gpusim.cuh"

__global__ void print(const double *values, int *out) {
  if (threadIdx.x == 0) {
    int r = printf("block %d of %u\n", (int)blockIdx.x, gridDim.x);
    out[blockIdx.x] = r;
    if (blockIdx.x == 1) {
      printf("plain\n");
      printf("%5d|%-5d|%05d|%x|%X|%o|%+d\n", 42, 42, 42, 0xbeef, 0xbeef, 8, 7);
      printf("%c %s %% %lld %llu %lx\n", 'x', "text", -1234567890123ll, 12345678901234567890ull, 0xfffffffffful);
      printf("%f %.2f %8.3f %e %g\n", values[0], values[1], values[2], values[3], values[4]);
    }
  }
}
