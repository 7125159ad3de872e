// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group g, int *scratch, int v) {
  unsigned rank = g.thread_rank();
  for (unsigned i = g.size() / 2; i > 0; i /= 2) {
    scratch[rank] = v;
    g.sync();
    if (rank < i) v += scratch[rank + i];
    g.sync();
  }
  return v;
}

__global__ void groups(int *out) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  int rank = block.thread_rank();
  int total = sum(block, scratch, rank);  // 0 + ... + 63 = 2016
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  int by_warp = cg::reduce(warp, rank, cg::plus<int>());
  int prefix = cg::inclusive_scan(quad, 1);
  int before = cg::exclusive_scan(warp, 2, cg::plus<int>());
  double wide = warp.shfl(rank * 1.5, 3);
  int odd = 0;
  if (rank % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    odd = active.shfl(rank, 2) * 100 + active.size() + cg::reduce(active, rank, cg::greater<int>()) * 10000;
    if (active.thread_rank() == 0) atomicAdd(out + 5, 1);
  }
  cg::coalesced_group third = cg::binary_partition(warp, rank % 3 == 0);
  block.sync();
  cg::thread_group eight = cg::tiled_partition(block, 8);
  int part = sum(eight, scratch + rank / 8 * 8, rank);
  if (rank == 33) {
    out[0] = by_warp;                              // 32 + ... + 63 = 1520
    out[1] = prefix * 1000 + before;               // 2, 2
    out[2] = (int)(wide * 2);                      // (32 + 3) * 3
    out[3] = odd;                                  // lanes 1 3 5: 37, 16 of them, 63 the greatest
    out[4] = quad.ballot(rank % 4 == 1) + 10 * (int)quad.any(0) + 100 * (int)warp.meta_group_rank() + 1000 * (int)third.size();
  }
  if (rank == 0) out[6] = total;
  if (rank == 40) out[7] = part;                   // 40 + ... + 47 = 348
}

// Every block writes, all wait, every block reads what another wrote: twice.
__global__ void around(int *a, int *b) {
  cg::grid_group grid = cg::this_grid();
  unsigned i = grid.block_rank(), n = grid.num_blocks();
  if (threadIdx.x == 0) a[i] = (int)i;
  grid.sync();
  if (threadIdx.x == 0) b[i] = a[(i + 1) % n] * 10;
  grid.sync();
  if (threadIdx.x == 0) a[i] = b[(i + 1) % n];
}
