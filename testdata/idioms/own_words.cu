// Each thread keeps to its own cells without any barrier: program order is enough, also through
// pointers of another type and vectors.
#include "../include/gpusim.cuh"

__global__ void own_words(float4 *data, float *out) {
  __shared__ float4 s[64];
  int t = threadIdx.x;
  s[t] = make_float4(1, 2, 3, 4);
  ((float *)s)[4 * t + 2] = 10;
  s[t].w += s[t].x;
  data[t] = s[t];
  ((float *)data)[4 * t] += 1;
  float4 v = data[t];
  out[t] = v.x + v.y + v.z + v.w;
}
