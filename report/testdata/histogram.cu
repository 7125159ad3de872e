__global__ void histogram(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
	atomicAdd(&bins[in[threadIdx.x]], 1);
}
