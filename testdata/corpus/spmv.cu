// Sparse matrix times vector, a warp a row, in compressed row storage.
#include "../include/gpusim.cuh"

__global__ void spmv(const int *rows, const int *cols, const double *values, const double *x, double *y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= n)
    return;
  double sum = 0;
  for (int k = rows[row] + lane; k < rows[row + 1]; k += 32)
    sum += values[k] * x[cols[k]];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0)
    y[row] = sum;
}
