// 5-point stencil, a 16x16 tile with halo in local memory; zero outside of the square.
#define TILE 16

__kernel void stencil(__global const float *in, __global float *out, int n) {
  __local float tile[TILE + 2][TILE + 2];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * TILE + tx, y = get_group_id(1) * TILE + ty;
  tile[ty + 1][tx + 1] = in[y * n + x];
  if (tx == 0)
    tile[ty + 1][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
  if (tx == TILE - 1)
    tile[ty + 1][TILE + 1] = x + 1 < n ? in[y * n + x + 1] : 0.0f;
  if (ty == 0)
    tile[0][tx + 1] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
  if (ty == TILE - 1)
    tile[TILE + 1][tx + 1] = y + 1 < n ? in[(y + 1) * n + x] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * n + x] = 0.5f * tile[ty + 1][tx + 1] +
                   0.125f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
}
