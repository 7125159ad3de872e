// archs: 80 90
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tile_reduce(const int* in, int* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
}
extern "C" __global__ void tile_scan(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::inclusive_scan(tile, in[threadIdx.x]);
}
extern "C" __global__ void coalesced(const int* in, int* count) {
  if (in[threadIdx.x] & 1) {
    auto g = cg::coalesced_threads();
    if (g.thread_rank() == 0) atomicAdd(count, g.size());
  }
}
extern "C" __global__ void labeled(const int* in, int* out) {
  auto g = cg::labeled_partition(cg::coalesced_threads(), in[threadIdx.x] & 3);
  out[threadIdx.x] = g.size();
}
extern "C" __global__ void binary(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto g = cg::binary_partition(tile, in[threadIdx.x] & 1);
  out[threadIdx.x] = cg::reduce(g, in[threadIdx.x], cg::greater<int>());
}
extern "C" __global__ void grid_barrier(int* data) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank();
  data[i] = i;
  grid.sync();
  int v = data[grid.size() - 1 - i];
  grid.sync();
  data[i] = v;
}
extern "C" __global__ void copy_async(const int* in, int* out) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(s));
  cg::wait(block);
  out[threadIdx.x] = s[127 - threadIdx.x];
}
extern "C" __global__ void block_tile(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ int s[4];
  int v = warp.shfl_down(in[threadIdx.x], 1) + warp.shfl_xor(in[threadIdx.x], 2);
  if (warp.any(v > 3) && warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
  else if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = 0;
  block.sync();
  out[threadIdx.x] = s[threadIdx.x % 4] + warp.match_any(v & 7);
}
extern "C" __global__ void elected(int* out) {
  auto g = cg::coalesced_threads();
  cg::invoke_one(g, [&] { atomicAdd(out, 1); });
}
