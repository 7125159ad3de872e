// Structures with padding copied by value through registers, shared memory and calls: the padding is
// never written, and never used.
#include "../include/gpusim.cuh"

struct Record {
  char tag;
  int value;
  short small;
  double weight;
};

__device__ __noinline__ Record pass(Record r) {
  r.value += 1;
  return r;
}

__global__ void padded_struct_copy(const int *in, Record *records, int *out) {
  __shared__ Record s[32];
  int t = threadIdx.x;
  Record r;
  r.tag = (char)t;
  r.value = in[t];
  r.small = (short)(t * 2);
  r.weight = t * 0.5;
  s[t] = r;
  __syncthreads();
  Record other = s[31 - t];
  other = pass(other);
  records[t] = other;
  Record back = records[t];
  out[t] = back.tag + back.value + back.small + (int)(back.weight * 2);
}
