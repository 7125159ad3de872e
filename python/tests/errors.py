"""Mistakes that end a kernel: gpusim raises what JAX raises, with its text."""

import jax.numpy as jnp
from cases import Cases, barrier, f32, i32, kernel, numbers, small, smem, when
from jax import lax
from jax._src.pallas import mpmd
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
C2 = {"cluster": (2,), "cluster_names": ("c",)}


def _nothing(o):
  o[...] = jnp.zeros(o.shape, o.dtype)


# Accesses outside of a buffer.


@CASES.add(error="Out-of-bounds read of", about="of x: reading [7:11] but buffer has shape (8,).")
def read_partly_outside():
  def body(x, o):
    o[...] = x[pl.ds(x[7], 4)]

  return kernel(body, i32(4))(numbers(8))


@CASES.add(error="Out-of-bounds swap of", about="of o: swapping [8] but buffer has shape (8,)")
def store_outside():
  def body(x, o):
    _nothing(o)
    o[x[7] + 1] = x[0]

  return kernel(body, i32(8))(numbers(8))


@CASES.add(error="Out-of-bounds swap of", about="of o: swapping [7:15] but buffer has shape (8,).")
def store_partly_outside():
  def body(x, o):
    o[pl.ds(x[7], 8)] = x[...]

  return kernel(body, i32(8))(numbers(8))


@CASES.add(error="Out-of-bounds read of", jax="silent")
def read_before_the_start():
  """JAX counts a negative index from the end, as Python does; on a GPU it is another address."""

  def body(x, o):
    o[0] = x[x[0] - 1]

  return kernel(body, i32(1))(numbers(8))


# Barriers.


@CASES.add(error="out-of-bounds", jax="silent")
def barrier_beyond_the_last():
  """JAX takes the last barrier for it."""

  def body(x, o, bars):
    plgpu.barrier_arrive(bars.at[x[7]])
    plgpu.barrier_wait(bars.at[1])
    _nothing(o)

  return kernel(body, i32(), [barrier(count=2)])(numbers(8))


@CASES.add(error="Barrier deallocated with 1 arrivals pending.")
def arrivals_pending():
  def body(o, bar):
    plgpu.barrier_arrive(bar)
    _nothing(o)

  return kernel(body, i32(), [barrier(2)])()


@CASES.add(error="only observed barrier up to phase 1, but barrier completed up to phase 3, meaning thread")
def phase_missed():
  """Thread 0 waits once and thread 1 for all four phases."""

  def body(o, bar, told):
    wg = lax.axis_index("wg")

    @when(wg == 0)
    def _():
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
      plgpu.barrier_arrive(told)

    @when(wg == 1)
    def _():
      plgpu.barrier_wait(bar)
      plgpu.barrier_wait(told)
      for _ in range(3):
        plgpu.barrier_arrive(bar)
        plgpu.barrier_wait(bar)

    o[wg] = wg

  return kernel(body, i32(2), [barrier(), barrier()], threads=2)()


@CASES.add(error="must observe all of its completions if it allocates another barrier afterwards.")
def barrier_after_a_phase_that_was_not_seen():
  """The memory of the first barrier may become that of the second."""

  def body(o):
    def first(bar):
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
      plgpu.barrier_arrive(bar)

    pl.run_scoped(first, barrier())
    pl.run_scoped(lambda bar: None, barrier())
    _nothing(o)

  return kernel(body, i32())()


@CASES.add(error="which violates the invariant that threads must observe each barrier completion before any arrivals in the next phase")
def phase_that_has_passed():
  """Thread 0 waits, and again when two more phases are complete."""

  def body(o, bar, told, done):
    wg = lax.axis_index("wg")

    @when(wg == 0)
    def _():
      plgpu.barrier_wait(bar)
      plgpu.barrier_arrive(told)
      plgpu.barrier_wait(done)
      plgpu.barrier_wait(bar)

    @when(wg == 1)
    def _():
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(told)
      plgpu.barrier_arrive(bar)
      plgpu.barrier_arrive(bar)
      plgpu.barrier_arrive(done)

    o[wg] = wg

  return kernel(body, i32(2), [barrier(), barrier(), barrier()], threads=2)()


@CASES.add(error="but only 1 of its constituent warps have participated in the barrier previously")
def wait_of_one_warp_and_then_of_the_warpgroup():
  def body(o, bar):
    plgpu.barrier_arrive(bar)

    @plgpu.warp_map
    def _(warp):
      @when(warp == 0)
      def _():
        plgpu.barrier_wait(bar)

    plgpu.barrier_wait(bar)
    _nothing(o)

  return kernel(body, i32(), [barrier()])()


@CASES.add(error="but its constituent warps have previously observed different phases: [2, 1, 1, 1]")
def warps_that_waited_unevenly():
  def body(o, bar):
    plgpu.barrier_arrive(bar)

    @plgpu.warp_map
    def _(warp):
      plgpu.barrier_wait(bar)

    plgpu.barrier_arrive(bar)

    @plgpu.warp_map
    def _(warp):
      @when(warp == 0)
      def _():
        plgpu.barrier_wait(bar)

    plgpu.barrier_wait(bar)
    _nothing(o)

  return kernel(body, i32(), [barrier()])()


@CASES.add(error="that is not a `Barrier`")
def copy_with_a_cluster_barrier():
  def body(x, o, tile, bar):
    plgpu.copy_gmem_to_smem(x, tile, bar)
    plgpu.barrier_wait(bar)
    o[lax.axis_index("c")] = tile[...]

  return kernel(body, i32(2, 8), [smem(8), plgpu.ClusterBarrier(collective_axes=("c",))], **C2)(numbers(8))


@CASES.add(error="MMA barrier must have orders_tensor_core set to True.")
def mma_with_a_plain_barrier():
  def body(x, o, a, b, acc, bar):
    plgpu.tcgen05_mma(acc, a, b, bar)
    _nothing(o)

  f16 = jnp.float16
  return kernel(body, i32(), [smem(128, 64, dtype=f16), smem(64, 16, dtype=f16), plgpu.TMEM((128, 16), jnp.float32), barrier()])(numbers(1))


@CASES.add(expect=lambda: 0)
def slice_of_barriers():
  """It names its start."""

  def body(o, bars):
    plgpu.barrier_arrive(bars.at[1:3])
    plgpu.barrier_wait(bars.at[1])
    _nothing(o)

  return kernel(body, i32(), [barrier(count=3)])()


@CASES.add(error="Barrier does not support slice with `stride != 1`")
def strided_slice_of_barriers():
  def body(o, bars):
    plgpu.barrier_arrive(bars.at[pl.ds(0, 2, stride=2)])
    _nothing(o)

  return kernel(body, i32(), [barrier(count=4)])()


@CASES.add(expect=lambda: 0)
def row_of_barriers():
  """It names its first one."""

  def body(o, bars):
    plgpu.barrier_arrive(bars.at[1])
    plgpu.barrier_wait(bars.at[1, 0])
    _nothing(o)

  return kernel(body, i32(), [barrier(count=(2, 3))])()


@CASES.add(error="Attempting to operate on barrier without indexing, but `num_barriers = 3`")
def barriers_without_an_index():
  def body(o, bars):
    plgpu.barrier_wait(bars)
    _nothing(o)

  return kernel(body, i32(), [barrier(count=3)])()


# Allocations.


def _scope(axes, *types, **kwargs):
  def body(o):
    pl.run_scoped(lambda *refs: _nothing(o), *types, collective_axes=axes)

  return kernel(body, i32(), **kwargs)()


@CASES.add(error="Requesting collective allocations, but no explicit thread axis specified.")
def collective_scope_without_threads():
  return _scope("c", smem(8), **C2)


@CASES.add(error="Collective allocations along cluster axes are not supported.")
def scope_along_the_cluster():
  return _scope(("c", "wg"), smem(8), threads=2, **C2)


@CASES.add(error="Collective axis `nowhere` not found among axes `['wg']`")
def scope_along_an_unknown_axis():
  return _scope("nowhere", smem(8), threads=2)


@CASES.add(error="Scoped allocation must have the thread axis in its collective axes.")
def barrier_of_one_thread():
  return _scope((), barrier(), threads=2)


@CASES.add(expect=lambda: 0, jax="error: Scoped allocations in MemorySpace.REGS cannot be mixed with scoped allocations in other memory spaces.")
def accumulator_among_others():
  """The compiler has nothing against it."""
  return _scope((), plgpu.ACC((64, 16), jnp.float32), smem(8))


@CASES.add(error="Scoped allocations in MemorySpace.REGS cannot be collective allocations.")
def collective_accumulator():
  return _scope("wg", plgpu.ACC((64, 16), jnp.float32), threads=2)


@CASES.pair(error="the threads of a block are out of step", jax="silent", right={"expect": lambda: numbers(2)})
def scope_that_one_thread_enters(right):
  """Of a collective scope in a branch, JAX gives each thread memory of its own."""

  def body(o):
    wg = lax.axis_index("wg")

    def scoped(tile):
      tile[wg] = wg
      o[wg] = tile[wg]

    if right:
      pl.run_scoped(scoped, smem(2), collective_axes="wg")
    else:

      @when(wg == 0)
      def _():
        pl.run_scoped(scoped, smem(2), collective_axes="wg")

  return kernel(body, i32(2), threads=2)()


# Axes, meshes and grids.


@CASES.add(error="NameError: Found an unbound axis name: nowhere")
def unknown_axis():
  def body(o):
    o[...] = lax.axis_index("nowhere")

  return kernel(body, i32())()


@CASES.add(error="Cannot mpmd_map over WarpMesh while already mpmd_mapped.")
def warps_of_a_warp():
  def body(o):
    @plgpu.warp_map
    def _(warp):
      @plgpu.warp_map
      def _(inner):
        pass

    _nothing(o)

  return kernel(body, i32())()


@CASES.add(error="NotImplementedError")
def several_meshes():
  def body(o):
    mpmd.mpmd_map([(plgpu.WarpMesh(axis_name="a"), lambda: None), (plgpu.WarpMesh(axis_name="b"), lambda: None)])()
    _nothing(o)

  return kernel(body, i32())()


@CASES.add(error="Only mpmd_map over WarpMesh is supported in an MGPU kernel.")
def another_mesh_inside():
  def body(o):
    mpmd.mpmd_map([(plgpu.Mesh(num_threads=2, thread_name="t"), lambda: None)])()
    _nothing(o)

  return kernel(body, i32())()


# What the language itself forbids, before any interpreter sees it.


@CASES.add(error="dst must be a SMEM reference")
def copy_into_global_memory():
  def body(x, o, bar):
    plgpu.copy_gmem_to_smem(x, o, bar)

  return kernel(body, i32(8), [barrier()])(numbers(8))


@CASES.add(error="Incompatible shapes for matrix multiplication")
def wgmma_of_other_shapes():
  def body(x, o, a, b):
    o[...] = pl.run_scoped(lambda acc: (plgpu.wgmma(acc, a, b), acc[...])[1], plgpu.ACC((64, 16), jnp.float32))

  return kernel(body, f32(64, 16), [smem(64, 32, dtype=jnp.float16), smem(16, 16, dtype=jnp.float16)])(small(1))

