// out = in transposed, 16x16 tiles with a padded row in local memory.
#define TILE 16

__kernel void transpose(__global const float *in, __global float *out, int n) {
  __local float tile[TILE][TILE + 1];
  int tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
  tile[ty][tx] = in[(by + ty) * n + bx + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(bx + ty) * n + by + tx] = tile[tx][ty];
}
