// Prefix sums and their like over tiles and coalesced groups.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
template <class G, class T, class F> GPUSIM_FN T inclusive_scan(const G &g, T v, F op) {
  unsigned rank = (unsigned)g.thread_rank(), n = (unsigned)g.size();
  for (unsigned d = 1; d < n; d *= 2) {
    T other = g.shfl_up(v, d);
    if (rank >= d) v = op(other, v);
  }
  return v;
}
template <class G, class T> GPUSIM_FN T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
// The first thread gets T().
template <class G, class T, class F> GPUSIM_FN T exclusive_scan(const G &g, T v, F op) {
  T r = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T() : r;
}
template <class G, class T> GPUSIM_FN T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }
}  // namespace cooperative_groups
