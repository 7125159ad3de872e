// Several static shared variables of different types in one kernel; the same one reused by blocks.
#include "../include/gpusim.cuh"

struct Cell {
  short key;
  float value;
};

__global__ void shared_static(const int *in, int *out, float *values) {
  __shared__ int line[64];
  __shared__ Cell cells[64];
  __shared__ uchar flags[64];
  __shared__ double total;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  line[t] = in[i];
  cells[t].key = (short)(63 - t);
  cells[t].value = in[i] * 0.5f;
  flags[63 - t] = in[i] & 1;
  __syncthreads();
  if (t == 0) {
    double sum = 0;
    for (int k = 0; k < 64; ++k)
      sum += cells[k].value;
    total = sum;
  }
  __syncthreads();
  out[i] = line[cells[t].key] * 2 + flags[t];
  values[i] = (float)total + cells[63 - t].value;
}
