// CRC-32 of records: a table built by the block in shared memory, bytes of different alignment.
#include "../include/gpusim.cuh"

__global__ void crc(const uchar *data, const int *offsets, unsigned *out, int n) {
  __shared__ unsigned table[256];
  int t = threadIdx.x;
  unsigned c = t;
  for (int k = 0; k < 8; ++k)
    c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
  table[t] = c;
  __syncthreads();
  if (t >= n)
    return;
  c = 0xffffffffu;
  for (int k = offsets[t]; k < offsets[t + 1]; ++k)
    c = table[(c ^ data[k]) & 255] ^ c >> 8;
  out[t] = ~c;
}
