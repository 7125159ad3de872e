// kind: use-after-free
// The host frees a buffer twice; the kernel has no part in it.
#include "../include/gpusim.cuh"

__global__ void racy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void fixed(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
