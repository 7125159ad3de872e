// Copies by all threads of a group, finished by wait.
#pragma once
#include "../cooperative_groups.h"
#include "cuda/barrier"

namespace cooperative_groups {
template <class G, class N> GPUSIM_FN void memcpy_async(const G &g, void *to, const void *from, const N &size) {
  gpusim_async::copy_share(to, from, (size_t)size, (unsigned)g.thread_rank(), (unsigned)g.size());
  gpusim_async::commit();
}
template <class G, class T> GPUSIM_FN void memcpy_async(const G &g, T *to, size_t room, const T *from, size_t count) {
  memcpy_async(g, (void *)to, (const void *)from, (room < count ? room : count) * sizeof(T));
}
template <class G> GPUSIM_FN void wait(const G &g) {
  gpusim_async::wait_all();
  g.sync();
}
template <unsigned N, class G> GPUSIM_FN void wait_prior(const G &g) {
  gpusim_async::wait_prior<N>();
  g.sync();
}
}  // namespace cooperative_groups
