// Histogram of hashed values, 256 bins: local-memory atomics, merged at the end; 16
// elements a work-item.
#define BINS 256

__kernel void histogram(__global const uint *in, __global uint *bins, int n) {
  __local uint local_bins[BINS];
  int t = get_local_id(0);
  local_bins[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_group_id(0) * get_local_size(0) + t; i < n; i += get_num_groups(0) * get_local_size(0)) {
    uint v = in[i] * 2654435761u;
    atomic_add(&local_bins[v >> 24], 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], local_bins[t]);
}
