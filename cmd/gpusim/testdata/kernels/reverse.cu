// Each thread reads what another one wrote, without a barrier.
__global__ void reverse(int *x) {
  __shared__ int tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = tile[63 - threadIdx.x];
}
