// Bit-fields of one word, updated by their one owner; the owners' words lie side by side.
#include "../include/gpusim.cuh"

struct Flags {
  unsigned kind : 5;
  unsigned count : 11;
  int level : 7;
};

__global__ void bit_fields(Flags *flags, int *out) {
  __shared__ Flags s[32];
  int t = threadIdx.x;
  *(unsigned *)&s[t] = 0;
  s[t].kind = t & 31;
  s[t].count = 1000;
  s[t].level = -3;
  s[t].count += t;
  flags[t] = s[t];
  __syncwarp();
  Flags other = s[31 - t];
  out[t] = (int)other.count + t + other.level;
}
