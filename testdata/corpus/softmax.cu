// Row-wise softmax: block reductions for maximum and sum, approximate exponentials.
#include "../include/gpusim.cuh"

__device__ float block_reduce(float v, bool largest) {
  __shared__ float warps[4];
  for (int d = 16; d > 0; d >>= 1) {
    float other = __shfl_xor_sync(0xffffffffu, v, d);
    v = largest ? fmaxf(v, other) : v + other;
  }
  __syncthreads(); // the last call's readers are done
  if ((threadIdx.x & 31) == 0)
    warps[threadIdx.x >> 5] = v;
  __syncthreads();
  v = warps[0];
  for (int w = 1; w < 4; ++w)
    v = largest ? fmaxf(v, warps[w]) : v + warps[w];
  return v;
}

__global__ void softmax(const float *in, float *out, int columns) {
  const float *row = in + blockIdx.x * columns;
  float top = -1e30f;
  for (int c = threadIdx.x; c < columns; c += 128)
    top = fmaxf(top, row[c]);
  top = block_reduce(top, true);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 128)
    sum += __expf(row[c] - top);
  sum = block_reduce(sum, false);
  for (int c = threadIdx.x; c < columns; c += 128)
    out[blockIdx.x * columns + c] = __fdividef(__expf(row[c] - top), sum);
}
