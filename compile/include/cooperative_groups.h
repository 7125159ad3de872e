// Cooperative groups: blocks, grids, tiles of a warp, coalesced threads.
#pragma once
#include "gpusim/runtime.h"

namespace cooperative_groups {
namespace gpusim_detail {
GPUSIM_FN unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
GPUSIM_FN unsigned lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
GPUSIM_FN unsigned rank_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
GPUSIM_FN unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
// The lane of the n-th member of a mask.
GPUSIM_FN unsigned nth_lane(unsigned mask, unsigned n) {
  for (unsigned i = 0; i < n; i++) mask &= mask - 1;
  return (unsigned)__ffs((int)mask) - 1;
}

// Shuffles of any type that can be copied, by words.
template <class T, class F> GPUSIM_FN T by_words(T v, F f) {
  unsigned w[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(w, &v, sizeof(T));
  for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) w[i] = f(w[i]);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
#define GPUSIM_LAMBDA __attribute__((device, always_inline, nodebug))
GPUSIM_FN unsigned idx(unsigned mask, unsigned v, unsigned lane, unsigned width) {
  return (unsigned)__nvvm_shfl_sync_idx_i32(mask, (int)v, (int)lane, (int)(((32 - width) << 8) | 31));
}

// What all groups of threads of one warp can do; mask names the members.
struct warp_part {
  unsigned mask;
  GPUSIM_MEM void sync() const { __syncwarp(mask); }
  GPUSIM_MEM int any(int p) const { return __any_sync(mask, p); }
  GPUSIM_MEM int all(int p) const { return __all_sync(mask, p); }
};
}  // namespace gpusim_detail

// Any group, for functions that take one: mask 0 is a block.
class thread_group {
 protected:
  unsigned gpusim_mask, gpusim_size, gpusim_rank;

 public:
  GPUSIM_MEM thread_group(unsigned mask, unsigned size, unsigned rank) : gpusim_mask(mask), gpusim_size(size), gpusim_rank(rank) {}
  GPUSIM_MEM unsigned long long size() const { return gpusim_size; }
  GPUSIM_MEM unsigned long long num_threads() const { return gpusim_size; }
  GPUSIM_MEM unsigned long long thread_rank() const { return gpusim_rank; }
  GPUSIM_MEM bool is_valid() const { return true; }
  GPUSIM_MEM void sync() const {
    if (gpusim_mask == 0) {
      __syncthreads();
    } else {
      __syncwarp(gpusim_mask);
    }
  }
};

class thread_block {
 public:
  GPUSIM_MEM operator thread_group() const {
    return thread_group(0, gpusim_detail::block_size(), gpusim_detail::rank_in_block());
  }
  static GPUSIM_MEM void sync() { __syncthreads(); }
  static GPUSIM_MEM unsigned thread_rank() { return gpusim_detail::rank_in_block(); }
  static GPUSIM_MEM unsigned size() { return gpusim_detail::block_size(); }
  static GPUSIM_MEM unsigned num_threads() { return gpusim_detail::block_size(); }
  static GPUSIM_MEM dim3 group_index() { return blockIdx; }
  static GPUSIM_MEM dim3 thread_index() { return threadIdx; }
  static GPUSIM_MEM dim3 group_dim() { return blockDim; }
  static GPUSIM_MEM dim3 dim_threads() { return blockDim; }
  static GPUSIM_MEM bool is_valid() { return true; }
};
GPUSIM_FN thread_block this_thread_block() { return thread_block(); }

// The blocks of a launch that wait for one another.
template <int = 0> struct gpusim_grid_state { static __attribute__((device)) unsigned arrived; };
template <int N> __attribute__((device)) unsigned gpusim_grid_state<N>::arrived = 0;

class grid_group {
 public:
  static GPUSIM_MEM bool is_valid() { return true; }
  static GPUSIM_MEM unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static GPUSIM_MEM unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static GPUSIM_MEM unsigned long long thread_rank() { return block_rank() * gpusim_detail::block_size() + gpusim_detail::rank_in_block(); }
  static GPUSIM_MEM unsigned long long size() { return num_blocks() * gpusim_detail::block_size(); }
  static GPUSIM_MEM unsigned long long num_threads() { return size(); }
  static GPUSIM_MEM dim3 group_dim() { return gridDim; }
  static GPUSIM_MEM dim3 dim_blocks() { return gridDim; }
  static GPUSIM_MEM dim3 block_index() { return blockIdx; }
  // One block adds what makes the top bit flip when all have arrived, so that the counter serves any number of phases.
  static GPUSIM_MEM void sync() {
    unsigned *arrived = &gpusim_grid_state<>::arrived, old, now;
    __syncthreads();
    if (gpusim_detail::rank_in_block() == 0) {
      unsigned n = block_rank() == 0 ? 0x80000000u - ((unsigned)num_blocks() - 1) : 1u;
      asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(arrived), "r"(n) : "memory");
      do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
      } while (((old ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();
  }
};
GPUSIM_FN grid_group this_grid() { return grid_group(); }

// Threads of a warp that were converged; ranks are by lane.
class coalesced_group : gpusim_detail::warp_part {
 public:
  GPUSIM_MEM explicit coalesced_group(unsigned m) : warp_part{m} {}
  GPUSIM_MEM operator thread_group() const { return thread_group(mask, (unsigned)size(), (unsigned)thread_rank()); }
  using warp_part::all;
  using warp_part::any;
  using warp_part::sync;
  GPUSIM_MEM unsigned long long size() const { return (unsigned)__popc(mask); }
  GPUSIM_MEM unsigned long long num_threads() const { return size(); }
  GPUSIM_MEM unsigned long long thread_rank() const { return (unsigned)__popc(mask & gpusim_detail::lanes_below()); }
  GPUSIM_MEM unsigned long long meta_group_size() const { return 1; }
  GPUSIM_MEM unsigned long long meta_group_rank() const { return 0; }
  GPUSIM_MEM unsigned gpusim_members() const { return mask; }
  // Bits by rank, of bits by lane.
  GPUSIM_MEM unsigned gpusim_pack(unsigned lanes) const {
    unsigned r = 0, n = 0;
    for (unsigned m = mask; m != 0; m &= m - 1, n++) r |= ((lanes >> (__ffs((int)m) - 1)) & 1) << n;
    return r;
  }
  GPUSIM_MEM unsigned ballot(int p) const { return gpusim_pack(__ballot_sync(mask, p)); }
  template <class T> GPUSIM_MEM unsigned match_any(T v) const { return gpusim_pack(__match_any_sync(mask, v)); }
  template <class T> GPUSIM_MEM unsigned match_all(T v, int &p) const { return gpusim_pack(__match_all_sync(mask, v, &p)); }
  template <class T> GPUSIM_MEM T shfl(T v, unsigned rank) const {
    unsigned m = mask, from = gpusim_detail::nth_lane(m, rank % (unsigned)__popc(m));
    return gpusim_detail::by_words(v, [=](unsigned w) GPUSIM_LAMBDA { return gpusim_detail::idx(m, w, from, 32); });
  }
  template <class T> GPUSIM_MEM T shfl_down(T v, unsigned delta) const {
    unsigned rank = (unsigned)thread_rank() + delta;
    return shfl(v, rank < size() ? rank : (unsigned)thread_rank());
  }
  template <class T> GPUSIM_MEM T shfl_up(T v, unsigned delta) const {
    unsigned rank = (unsigned)thread_rank();
    return shfl(v, rank >= delta ? rank - delta : rank);
  }
};
GPUSIM_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// N consecutive threads of a block, N a power of two up to 32.
template <unsigned N, class Parent = void> class thread_block_tile : gpusim_detail::warp_part {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "tiles of 1, 2, 4, 8, 16 and 32 threads are supported");
  static GPUSIM_MEM unsigned first() { return gpusim_detail::lane() & ~(N - 1); }
  static GPUSIM_MEM unsigned members() { return N == 32 ? ~0u : ((1u << (N & 31)) - 1) << first(); }

 public:
  GPUSIM_MEM thread_block_tile() : warp_part{members()} {}
  template <class P> GPUSIM_MEM thread_block_tile(const thread_block_tile<N, P> &) : warp_part{members()} {}
  GPUSIM_MEM operator thread_group() const { return thread_group(mask, N, thread_rank()); }
  using warp_part::all;
  using warp_part::any;
  using warp_part::sync;
  static GPUSIM_MEM unsigned size() { return N; }
  static GPUSIM_MEM unsigned num_threads() { return N; }
  static GPUSIM_MEM unsigned thread_rank() { return gpusim_detail::lane() & (N - 1); }
  static GPUSIM_MEM unsigned meta_group_rank() { return gpusim_detail::rank_in_block() / N; }
  static GPUSIM_MEM unsigned meta_group_size() { return (gpusim_detail::block_size() + N - 1) / N; }
  GPUSIM_MEM unsigned gpusim_members() const { return mask; }
  GPUSIM_MEM unsigned gpusim_pack(unsigned lanes) const { return N == 32 ? lanes : (lanes & mask) >> first(); }
  GPUSIM_MEM unsigned ballot(int p) const { return gpusim_pack(__ballot_sync(mask, p)); }
  template <class T> GPUSIM_MEM unsigned match_any(T v) const { return gpusim_pack(__match_any_sync(mask, v)); }
  template <class T> GPUSIM_MEM unsigned match_all(T v, int &p) const { return gpusim_pack(__match_all_sync(mask, v, &p)); }
#define GPUSIM_SHFL(NAME, MODE, CLAMP)                                                                                   \
  template <class T> GPUSIM_MEM T NAME(T v, unsigned by) const {                                                         \
    unsigned m = mask;                                                                                                   \
    return gpusim_detail::by_words(v, [=](unsigned w) GPUSIM_LAMBDA {                                                    \
      return (unsigned)__nvvm_shfl_sync_##MODE##_i32(m, (int)w, (int)by, (int)(((32 - N) << 8) | CLAMP));                \
    });                                                                                                                  \
  }
  GPUSIM_SHFL(shfl, idx, 31)
  GPUSIM_SHFL(shfl_down, down, 31)
  GPUSIM_SHFL(shfl_up, up, 0)
  GPUSIM_SHFL(shfl_xor, bfly, 31)
#undef GPUSIM_SHFL
};

template <unsigned N, class G> GPUSIM_FN thread_block_tile<N, G> tiled_partition(const G &) { return thread_block_tile<N, G>(); }
// With a size known at run time only.
GPUSIM_FN thread_group tiled_partition(const thread_group &, unsigned n) {
  unsigned lane = gpusim_detail::lane(), first = lane & ~(n - 1);
  return thread_group(n == 32 ? ~0u : ((1u << n) - 1) << first, n, lane - first);
}
GPUSIM_FN thread_group tiled_partition(const thread_block &b, unsigned n) { return tiled_partition((thread_group)b, n); }
template <class G> GPUSIM_FN coalesced_group binary_partition(const G &g, bool p) {
  unsigned yes = __ballot_sync(g.gpusim_members(), p);
  return coalesced_group(p ? yes : g.gpusim_members() & ~yes);
}
template <class G, class T> GPUSIM_FN coalesced_group labeled_partition(const G &g, T label) {
  return coalesced_group(__match_any_sync(g.gpusim_members(), label));
}
template <class G> GPUSIM_FN void sync(const G &g) { g.sync(); }
template <class G> GPUSIM_FN unsigned long long thread_rank(const G &g) { return g.thread_rank(); }
template <class G> GPUSIM_FN unsigned long long group_size(const G &g) { return g.size(); }
template <class G, class F, class... A> GPUSIM_FN void invoke_one(const G &g, F &&f, A &&...a) {
  if (g.thread_rank() == 0) f(static_cast<A &&>(a)...);
}
}  // namespace cooperative_groups
