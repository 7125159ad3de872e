"""The defects of JAX's interpreter, each with programs: races that it misses (M1 to M12), false alarms (F1 to F7)."""

import jax
import jax.numpy as jnp
import numpy as np
from cases import PARAMS, Cases, barrier, f32, i32, kernel, numbers, small, smem, when
from jax import lax
from jax._src.pallas import primitives
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
F16 = jnp.float16


def _wait_and_copy(src, dst, bar):
  plgpu.copy_gmem_to_smem(src, dst, bar)
  plgpu.barrier_wait(bar)


# M1: wgmma has no race model.


def _wgmma(inner, scratch=()):
  """A kernel whose operands a and b lie in SMEM; `inner` is called with an accumulator."""

  def body(x, y, o, a, b, bars, *rest):
    plgpu.copy_gmem_to_smem(x, a, bars.at[0])
    plgpu.copy_gmem_to_smem(y, b, bars.at[1])
    plgpu.barrier_wait(bars.at[0])
    plgpu.barrier_wait(bars.at[1])
    o[...] = pl.run_scoped(lambda acc: inner(x, y, acc, a, b, bars, *rest), plgpu.ACC((64, 16), jnp.float32))

  scratch = [smem(64, 32, dtype=F16), smem(32, 16, dtype=F16), barrier(count=3), *scratch]
  return kernel(body, f32(64, 16), scratch)(small(64, 32, dtype=F16), small(32, 16, dtype=F16, seed=3))


def _product():
  return small(64, 32) @ small(32, 16, seed=3)


@CASES.pair(finds="data-race", about="b", jax="silent", right={"expect": _product})
def m1_wgmma_operand_overwritten(right):
  def inner(x, y, acc, a, b, bars):
    plgpu.wgmma(acc, a, b)
    if right:
      plgpu.wgmma_wait(0)
    _wait_and_copy(y, b, bars.at[2])
    return acc[...]

  return _wgmma(inner)


@CASES.pair(finds="data-race", about="a", jax="silent", right={"expect": _product})
def m1_wgmma_operand_without_fence(right):
  def inner(x, y, acc, a, b, bars):
    a[...] = x[...]
    if right:
      plgpu.commit_smem()
    plgpu.wgmma(acc, a, b)
    return acc[...]

  return _wgmma(inner)


# M2: asynchronous operations share five places in the clocks.


@CASES.pair(finds="data-race", about="tile", jax="silent")
def m2_sixth_copy_over_the_first(right):
  def body(x, o, tile, others, first, between, last):
    plgpu.copy_gmem_to_smem(x.at[0], tile, first)
    if right:
      plgpu.barrier_wait(first)
    plgpu.commit_smem()
    for i in range(4):
      plgpu.copy_gmem_to_smem(x.at[i], others.at[i], between)
    plgpu.copy_gmem_to_smem(x.at[5], tile, last)
    if not right:
      plgpu.barrier_wait(first)
    plgpu.barrier_wait(between)
    plgpu.barrier_wait(last)
    o[...] = tile[...]

  return kernel(body, i32(8), [smem(8), smem(4, 8), barrier(), barrier(4), barrier()])(numbers(6, 8))


# M3: a barrier has one clock for all of its phases.


@CASES.pair(finds="data-race", about="late", jax="silent")
def m3_write_after_the_arrival(right):
  """Thread 0 has arrived for phase 0, writes, and has arrived for phase 1 before thread 2 waits for phase 0."""

  def body(x, o, late, slow, bar, first):
    wg = lax.axis_index("wg")

    @when(wg == 0)
    def _():
      plgpu.barrier_wait(first)
      if right:
        late[...] = x[0]
      plgpu.barrier_arrive(bar)
      if not right:
        late[...] = x[0]
      plgpu.barrier_arrive(bar)

    @when(wg == 1)
    def _():
      plgpu.barrier_arrive(bar)
      plgpu.barrier_arrive(first)

    @when(wg == 2)
    def _():
      def step(_, v):
        slow[...] = v + 1
        return slow[...]

      lax.fori_loop(0, 200, step, jnp.int32(0))  # JAX's threads are those of the machine
      plgpu.barrier_wait(bar)
      o[...] = late[...]
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)

  return kernel(body, i32(), [smem(), smem(), barrier(2), barrier()], threads=3)(numbers(1) + 7)


# M4: blocks of a grid run one after the other, each with clocks that start at zero.


@CASES.pair(finds="data-race", about="o", jax="silent", right={"expect": lambda: np.array([5, 0])})
def m4_blocks_of_a_grid(right):
  """Block 1 reads early what block 0 writes late; nothing orders blocks."""

  def body(x, o):
    i = lax.axis_index("i")

    @when(i == 0)
    def _():
      v = x[1] + x[2]
      o[0] = v + 2

    @when(i == 1)
    def _():
      o[1] = x[0] if right else o[0]

  return kernel(body, i32(2), grid=(2,), grid_names=("i",))(numbers(3))


# M5: barriers that do not order the tensor core do so all the same.


def _tensor_core(inner, scratch=(), threads=0):
  """A kernel with operands a and b in SMEM, loaded by thread 0, and an accumulator in TMEM."""

  def body(x, y, o, a, b, acc, loaded, *rest):
    @pl.when((lax.axis_index("wg") if threads else 0) == 0)
    def _():
      plgpu.copy_gmem_to_smem(x, a, loaded)
      plgpu.copy_gmem_to_smem(y, b, loaded)
      plgpu.barrier_wait(loaded)

    inner(o, a, b, acc, *rest)

  scratch = [smem(128, 64, dtype=F16), smem(64, 16, dtype=F16), plgpu.TMEM((128, 16), jnp.float32), barrier(2), *scratch]
  return kernel(body, f32(128, 16), scratch, threads=threads)(small(128, 64, dtype=F16), small(64, 16, dtype=F16, seed=3))


def _mma():
  return small(128, 64) @ small(64, 16, seed=3)


def tensor_barrier(arrivals=1, count=1):
  return barrier(arrivals, count, orders_tensor_core=True)


def _m5(right):
  def inner(o, a, b, acc, given, done):
    wg = lax.axis_index("wg")

    @when(wg == 0)
    def _():
      plgpu.tcgen05_mma(acc, a, b, accumulate=False)
      plgpu.barrier_arrive(given)

    @when(wg == 1)
    def _():
      plgpu.barrier_wait(given)
      plgpu.tcgen05_mma(acc, a, b, done)
      plgpu.barrier_wait(done)
      o[...] = plgpu.async_load_tmem(acc)

  given = tensor_barrier() if right else barrier()
  return _tensor_core(inner, [given, tensor_barrier()], threads=2)


@CASES.pair(finds="data-race", about="acc", jax="silent", right={"expect": lambda: 2 * _mma()})
def m5_barrier_that_does_not_order_the_tensor_core(right):
  return _m5(right)


# M6: there are no semaphores, atomics and remote memory.


@CASES.pair(finds="data-race", about="tile", jax="error: Cannot lower jaxpr with effects",
            right={"expect": lambda: 7, "jax": "error: Cannot lower jaxpr with effects"})
def m6_semaphore_that_is_not_waited_for(right):
  def body(x, o, tile):
    wg = lax.axis_index("wg")
    sem = pl.get_global(plgpu.SemaphoreType.REGULAR)

    @when(wg == 0)
    def _():
      tile[...] = x[0]
      pl.semaphore_signal(sem)

    @when(wg == 1)
    def _():
      if right:
        pl.semaphore_wait(sem)
      o[...] = tile[...]
      if not right:
        pl.semaphore_wait(sem)

  return kernel(body, i32(), [smem()], threads=2)(numbers(1) + 7)


@CASES.pair(finds="data-race", jax="error: does not have a corresponding jaxpr input",
            right={"expect": lambda: np.array([28]), "jax": "error: does not have a corresponding jaxpr input"})
def m6_atomics(right):
  def body(x, o):
    i = lax.axis_index("i")
    plgpu.atomic_add(o.at[pl.ds(0, 1)], x[pl.ds(i, 1)], optimized=False)
    if not right:

      @when(i == 3)
      def _():
        o[0] = o[0] + 1

  return _accumulated(body, numbers(8))


def _accumulated(body, x):
  """Runs a body over blocks that all change one output, which starts with zeros."""

  def call(refs):
    x, o = refs

    @pl.core_map(plgpu.Mesh(grid=x.shape, grid_names=("i",)), interpret=PARAMS)
    def _():
      body(x, o)

  return pl.run_state(call)((x, np.zeros(1, np.int32)))[1]


# M7: memory has no lifetime.


@CASES.pair(finds="async-misuse", jax="silent")
def m7_scope_ends_under_a_copy(right):
  def body(x, o, bar):
    def scoped(tile):
      plgpu.copy_gmem_to_smem(x, tile, bar)
      if right:
        plgpu.barrier_wait(bar)

    pl.run_scoped(scoped, smem(8))
    o[...] = x[...]

  return kernel(body, i32(8), [barrier()])(numbers(8))


@CASES.pair(finds="data-race", jax="silent")
def m7_scope_that_takes_over_memory_in_use(right):
  """The second scope has the memory of the first, which a copy out still reads."""

  def body(x, o, p):
    def first(tile):
      tile[...] = x[...]
      plgpu.commit_smem()
      plgpu.copy_smem_to_gmem(tile, o)
      if right:
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)

    def second(tile):
      tile[...] = x[...] + 1
      p[...] = tile[...]

    pl.run_scoped(first, smem(8))
    pl.run_scoped(second, smem(8))
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, [i32(8), i32(8)])(numbers(8))


# M8: nothing looks after TMEM at the end of a kernel.


@CASES.pair(finds="async-misuse", jax="silent")
def m8_mma_in_flight_at_the_end(right):
  def inner(o, a, b, acc, done):
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
    if right:
      plgpu.barrier_wait(done)
    o[0, 0] = jnp.float32(1)

  return _tensor_core(inner, [tensor_barrier()])


@CASES.pair(finds="async-misuse", jax="silent")
def m8_store_to_tmem_in_flight_at_the_end(right):
  def body(x, o, t):
    plgpu.async_store_tmem(t, x[...])
    if right:
      plgpu.commit_tmem()
    o[...] = x[...]

  return kernel(body, f32(128, 16), [plgpu.TMEM((128, 16), jnp.float32)])(small(128, 16))


# M9: a multicast copy is a copy of each block into its own memory.


@CASES.pair(finds="data-race", about="tile", jax="silent", right={"expect": lambda: 2 * numbers(2, 8)})
def m9_multicast_into_a_block_that_still_reads(right):
  def body(x, o, tile, loaded, read):
    c = lax.axis_index("c")

    def step(k, _):
      plgpu.copy_gmem_to_smem(x.at[k], tile, loaded, collective_axes="c")
      plgpu.barrier_wait(loaded)

      @when(c == 0)
      def _():
        o[k] = tile[...] * 2

      if not right:
        @when(c == 1)
        def _():
          o[k + 2] = tile[...] * 2

      plgpu.commit_smem()
      if right:
        plgpu.barrier_arrive(read)
        plgpu.barrier_wait(read)
      return 0

    lax.fori_loop(0, 2, step, 0)

  cluster = {"cluster": (2,), "cluster_names": ("c",)}
  scratch = [smem(8), barrier(), plgpu.ClusterBarrier(collective_axes=("c",))]
  return kernel(body, i32(2 if right else 4, 8), scratch, **cluster)(numbers(2, 8))


# M10: copies that warps have issued are not looked after at the end of a kernel.


@CASES.pair(error="Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread", jax="silent",
            right={"expect": lambda: numbers(8)})
def m10_copy_of_a_warp_in_flight_at_the_end(right):
  def body(x, o, tile):
    tile[...] = x[...]
    plgpu.commit_smem()

    @plgpu.warp_map
    def _(warp):
      @when(warp == 1)
      def _():
        plgpu.copy_smem_to_gmem(tile, o)
        if right:
          plgpu.wait_smem_to_gmem(0, wait_read_only=True)

  return kernel(body, i32(8), [smem(8)])(numbers(8))


# M11: the read of a swap, and masks.


@CASES.pair(finds="uninitialized-read", about="tile", jax="silent", right={"expect": lambda: 5})
def m11_swap_reads(right):
  def body(o, tile):
    if right:
      tile[...] = jnp.int32(5)
    o[...] = jax.ref.swap(tile, ..., jnp.int32(7))

  return kernel(body, i32(), [smem()])()


@CASES.pair(finds="data-race", about="tile", jax="error: swap_p is not supported on GPU yet",
            right={"expect": lambda: numbers(8), "jax": "error: swap_p is not supported on GPU yet"})
def m11_masked_stores(right):
  """Two threads store to one tile, each what its mask says."""

  def body(x, o, tile, bar):
    wg = lax.axis_index("wg")
    mask = lax.broadcasted_iota(jnp.int32, (8,), 0) % 2 == wg if right else x[...] >= wg
    primitives.store(tile, (slice(None),), x[...], mask=mask)
    plgpu.barrier_arrive(bar)
    plgpu.barrier_wait(bar)

    @when(wg == 0)
    def _():
      o[...] = tile[...]

  return kernel(body, i32(8), [smem(8), barrier(2)], threads=2)(numbers(8))


# M12: reads of memory that nothing has written.


@CASES.pair(finds="uninitialized-read", about="tile", jax="silent", right={"expect": lambda: numbers(8)})
def m12_uninitialized_memory(right):
  def body(x, o, tile):
    tile[pl.ds(0, 8 if right else 7)] = x[pl.ds(0, 8 if right else 7)]
    o[...] = tile[...]

  return kernel(body, i32(8), [smem(8)])(numbers(8))


# F1: a product with a barrier, and the tensor core's earlier work.


@CASES.pair(finds="data-race", about="acc", jax="race", right={"jax": "race", "expect": lambda: _mma()})
def f1_barrier_of_a_later_product(right):
  """The barrier of a product covers the products issued before it, also those of other accumulators."""

  def inner(o, a, b, acc, other, done):
    if right:
      plgpu.tcgen05_mma(acc, a, b, accumulate=False)
    plgpu.tcgen05_mma(other, a, b, done, accumulate=False)
    if not right:
      plgpu.tcgen05_mma(acc, a, b, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)

  return _tensor_core(inner, [plgpu.TMEM((128, 16), jnp.float32), tensor_barrier()])


# F2: what a warpgroup and its warps know of each other's tensor-core work.


@CASES.pair(finds="data-race", about="acc", jax="race", right={"jax": "race", "expect": lambda: _mma()})
def f2_commit_by_the_warpgroup_of_a_product_of_its_warp(right):
  def inner(o, a, b, acc, done):
    @plgpu.warp_map
    def _(warp):
      @when(warp == 1)
      def _():
        plgpu.tcgen05_mma(acc, a, b, accumulate=False)

    plgpu.tcgen05_commit_arrive(done)
    if right:
      plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    if not right:
      plgpu.barrier_wait(done)

  return _tensor_core(inner, [tensor_barrier()])


@CASES.pair(finds="data-race", about="a", jax="race", right={"jax": "race"})
def f2_copy_of_the_warpgroup_and_product_of_its_warp(right):
  def body(x, y, o, a, b, lhs, acc, loaded, done):
    plgpu.copy_gmem_to_smem(x, a, loaded)
    plgpu.copy_gmem_to_smem(y, b, loaded)
    if right:
      plgpu.barrier_wait(loaded)
    plgpu.async_copy_smem_to_tmem(a, lhs)
    if not right:
      plgpu.barrier_wait(loaded)

    @plgpu.warp_map
    def _(warp):
      @when(warp == 1)
      def _():
        plgpu.tcgen05_mma(acc, lhs, b, done, accumulate=False)

    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)

  scratch = [smem(128, 64, dtype=F16), smem(64, 16, dtype=F16), plgpu.TMEM((128, 64), F16, packed=True),
             plgpu.TMEM((128, 16), jnp.float32), barrier(2), tensor_barrier()]
  return kernel(body, f32(128, 16), scratch)(small(128, 64, dtype=F16), small(64, 16, dtype=F16, seed=3))


# F3: operands that live as long as the grid, and clocks that start at zero for each of its points.


@CASES.pair(finds="data-race", about="o", jax="race", right={"jax": "race"})
def f3_operand_of_a_grid(right):
  def body(x, o):
    @when(pl.program_id(0) == 1)
    def _():
      o[0] = x[0]

    if not right:
      @when(pl.program_id(0) == 0)
      def _():
        o[0] = x[1]

  gmem = pl.BlockSpec(memory_space=plgpu.GMEM)
  smem = pl.BlockSpec(memory_space=plgpu.SMEM)
  return pl.pallas_call(body, out_shape=i32(2), grid=(2,), in_specs=[smem], out_specs=gmem, interpret=PARAMS)(numbers(2))


# F4: a collective run_scoped begins with a barrier of the block.


@CASES.pair(finds="data-race", about="late", jax="race", right={"jax": "race", "expect": lambda: 7})
def f4_scope_that_all_threads_enter(right):
  def body(x, o, late):
    wg = lax.axis_index("wg")

    @when(wg == 0)
    def _():
      late[...] = x[0]

    def read():
      @when(wg == 1)
      def _():
        o[...] = late[...]

    if not right:
      read()

    def scoped(tile):
      tile[wg] = wg
      if right:
        read()

    pl.run_scoped(scoped, smem(2), collective_axes="wg")

  return kernel(body, i32(), [smem()], threads=2)(numbers(1) + 7)


# F5: a phase that nobody has observed when its barrier ends.


@CASES.pair(finds="data-race", about="tile", jax="race", right={"jax": "silent", "finds": "barrier-misuse", "severity": "warning"})
def f5_phase_that_nobody_observes(right):
  def body(x, o, tile, bar):
    plgpu.copy_gmem_to_smem(x, tile, bar)
    if right:
      plgpu.barrier_wait(bar)
    o[...] = tile[...]
    if not right:
      plgpu.barrier_wait(bar)
    plgpu.barrier_arrive(bar)

  return kernel(body, i32(8), [smem(8), barrier()])(numbers(8))


# F6: an asynchronous write behind an ordinary read.


def _f6(fence=False, write=False):
  def body(x, o, tile, bar):
    _wait_and_copy(x.at[0], tile, bar)
    o[...] = tile[...]
    if fence:
      plgpu.commit_smem()
    if write:
      tile[...] = o[...]
    _wait_and_copy(x.at[1], tile, bar)

  return kernel(body, i32(8), [smem(8), barrier()])(numbers(2, 8))


@CASES.add("f6_read_overwritten-as-error", finds="data-race", about="tile", options={"read_overwrite_fence": "error"})
@CASES.add("f6_read_overwritten-off", jax="race", options={"read_overwrite_fence": "off"})
@CASES.add("f6_read_overwritten", finds="data-race", about="tile", severity="warning")
def _f6_read_overwritten():
  return _f6()


@CASES.add()
def f6_read_overwritten_behind_a_fence():
  return _f6(fence=True)


@CASES.add(finds="data-race", about="tile")
def f6_written_overwritten():
  return _f6(write=True)


# F7: clocks in the history of TMEM that are changed later.


@CASES.pair(finds="data-race", about="t")
def f7_two_loads_in_flight(right):
  """JAX joins the clock of the second load into that of the first, which its history holds. Both are waited
  for together, and so no program shows it: JAX's verdict is right."""

  def body(x, o, p, t, u):
    plgpu.async_store_tmem(t, x[...])
    plgpu.async_store_tmem(u, x[...])
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(t)
    p[...] = plgpu.async_load_tmem(u)
    if right:
      plgpu.wait_load_tmem()
    plgpu.async_store_tmem(t, x[...])
    plgpu.commit_tmem()
    plgpu.wait_load_tmem()

  return kernel(body, [f32(128, 16)] * 2, [plgpu.TMEM((128, 16), jnp.float32)] * 2)(small(128, 16))
