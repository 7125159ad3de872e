// Reductions over tiles and coalesced groups.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define GPUSIM_OP(NAME, EXPR)                                         \
  template <class T = void> struct NAME {                             \
    GPUSIM_MEMBOTH T operator()(T a, T b) const { return EXPR; }      \
  };                                                                  \
  template <> struct NAME<void> {                                     \
    template <class T> GPUSIM_MEMBOTH T operator()(T a, T b) const { return EXPR; } \
  };
GPUSIM_OP(plus, (T)(a + b))
GPUSIM_OP(less, b < a ? b : a)
GPUSIM_OP(greater, a < b ? b : a)
GPUSIM_OP(bit_and, (T)(a & b))
GPUSIM_OP(bit_or, (T)(a | b))
GPUSIM_OP(bit_xor, (T)(a ^ b))
#undef GPUSIM_OP

// Everyone gets the result. Partners are combined lower rank first, in a tree.
template <unsigned N, class P, class T, class F> GPUSIM_FN T reduce(const thread_block_tile<N, P> &g, T v, F op) {
  for (unsigned d = N / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
  return v;
}
template <class T, class F> GPUSIM_FN T reduce(const coalesced_group &g, T v, F op) {
  unsigned rank = (unsigned)g.thread_rank(), n = (unsigned)g.size();
  for (unsigned d = 1; d < n; d *= 2) {
    T other = g.shfl_down(v, d);
    if (rank + d < n) v = op(v, other);
  }
  return g.shfl(v, 0);
}
}  // namespace cooperative_groups
