// Bitonic sort in local memory, 512 keys a work-group of 256.
#define KEYS 512

__kernel void bitonic(__global const uint *in, __global uint *out) {
  __local uint s[KEYS];
  uint t = get_local_id(0);
  uint first = get_group_id(0) * KEYS + t;
  s[t] = in[first];
  s[t + KEYS / 2] = in[first + KEYS / 2];
  for (uint size = 2; size <= KEYS; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint i = 2 * t - (t & (stride - 1)), j = i + stride;
      uint a = s[i], b = s[j];
      if ((a > b) == ((i & size) == 0)) {
        s[i] = b;
        s[j] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first] = s[t];
  out[first + KEYS / 2] = s[t + KEYS / 2];
}
