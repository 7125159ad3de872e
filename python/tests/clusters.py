"""Blocks of a cluster: their barriers, each other's memory, collective copies, launch control."""

import jax.numpy as jnp
import numpy as np
from cases import Cases, barrier, i32, kernel, numbers, smem
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu.launch_context import CopyPartition
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
C2 = {"cluster": (2,), "cluster_names": ("c",)}
C22 = {"cluster": (2, 2), "cluster_names": ("c", "d")}


def cluster_barrier(*axes, arrivals=1, count=1, **kwargs):
  return plgpu.ClusterBarrier(collective_axes=axes, num_arrivals=arrivals, num_barriers=count, **kwargs)


def _meet(bar):
  plgpu.barrier_arrive(bar)
  plgpu.barrier_wait(bar)


@CASES.pair(finds="data-race", about="tile", jax="error: Unsupported transform: ClusterRefTransform", right={"jax": "error: Unsupported transform: ClusterRefTransform", "expect": lambda: numbers(2, 8)[::-1]})
def memory_of_the_other_block(right):
  def body(x, o, tile, stored, read):
    c = lax.axis_index("c")
    tile[...] = x[c]
    if right:
      _meet(stored)
    o[c] = plgpu.cluster_ref(tile, {"c": 1 - c})[...]
    _meet(read)
    if not right:
      _meet(stored)

  return kernel(body, i32(2, 8), [smem(8), cluster_barrier("c"), cluster_barrier("c")], **C2)(numbers(2, 8))


@CASES.pair(finds="data-race", about="tile", jax="error: Unsupported transform: ClusterRefTransform", right={"jax": "error: Unsupported transform: ClusterRefTransform", "expect": lambda: numbers(2, 8)[::-1]})
def store_into_the_other_block(right):
  def body(x, o, tile, stored, other):
    c = lax.axis_index("c")
    plgpu.cluster_ref(tile, {"c": 1 - c})[...] = x[c]
    if right:
      _meet(stored)
    o[c] = tile[...]
    if not right:
      _meet(stored)
    _meet(other)

  return kernel(body, i32(2, 8), [smem(8), cluster_barrier("c"), cluster_barrier("c")], **C2)(numbers(2, 8))


@CASES.pair(finds="data-race", about="tile", jax="error: ref must be a reference", right={"jax": "error: ref must be a reference", "expect": lambda: numbers(2, 8)[None, ::-1]})
def async_store_into_the_other_block(right):
  def body(x, o, tile, bar, end):
    c = lax.axis_index("c")
    plgpu.async_store_smem(x[c], tile, bar, cluster_idx=1 - c, cluster_dim="c", optimized=False)
    if right:
      plgpu.barrier_wait(bar)
    o[0, c] = tile[...]
    if not right:
      plgpu.barrier_wait(bar)
    _meet(end)

  return kernel(body, i32(1, 2, 8), [smem(8), barrier(), cluster_barrier("c")], **C2)(numbers(2, 8))


@CASES.add(expect=lambda: 10 + 8 + 2 * numbers(8), jax="error: ref must be a reference")
def async_store_that_adds():
  def body(x, o, tile, ready, bar, end):
    c = lax.axis_index("c")
    tile[...] = jnp.full(8, 10, jnp.int32)
    plgpu.commit_smem()
    _meet(ready)
    plgpu.async_store_smem(x[c], tile, bar, cluster_idx=jnp.int32(0), cluster_dim="c", optimized=False, atomic="add")

    @pl.when(c == 0)
    def _():
      plgpu.barrier_wait(bar)
      o[...] = tile[...]

    _meet(end)

  return kernel(body, i32(8), [smem(8), cluster_barrier("c"), barrier(2), cluster_barrier("c")], **C2)(numbers(2, 8))


@CASES.pair(finds="data-race", about="tile", right={"expect": lambda: np.stack([numbers(8)] * 2)})
def multicast(right):
  def body(x, o, tile, loaded, end):
    c = lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c")
    if right:
      plgpu.barrier_wait(loaded)
    o[c] = tile[...]
    if not right:
      plgpu.barrier_wait(loaded)
    _meet(end)

  return kernel(body, i32(2, 8), [smem(8), barrier(), cluster_barrier("c")], **C2)(numbers(8))


@CASES.add(expect=lambda: np.repeat(numbers(2, 8)[:, None], 2, axis=1), jax="error: Collective axis")
def multicast_along_one_of_two_axes():
  def body(x, o, tile, loaded, end):
    c, d = lax.axis_index("c"), lax.axis_index("d")
    plgpu.copy_gmem_to_smem(x.at[c], tile, loaded, collective_axes="d")
    plgpu.barrier_wait(loaded)
    o[c, d] = tile[...]
    _meet(end)

  return kernel(body, i32(2, 2, 8), [smem(8), barrier(), cluster_barrier(("c", "d"))], **C22)(numbers(2, 8))


def _leader_tracked(right, partition, source, tile):
  """Block 0 waits for the copy and tells block 1."""

  def body(x, o, tile, loaded, told, end):
    c = lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c", leader_tracked=partition)

    @pl.when(c == 0)
    def _():
      plgpu.barrier_wait(loaded)

    if right:
      _meet(told)
    o[c] = tile[...]
    if not right:
      _meet(told)
    _meet(end)

  scratch = [smem(*tile), barrier(), cluster_barrier("c"), cluster_barrier("c")]
  return kernel(body, i32(2, *tile), scratch, **C2)(source)


@CASES.pair(finds="data-race", about="tile", right={"jax": "race", "expect": lambda: numbers(2, 4, 8)})
def partitioned_copy(right):
  return _leader_tracked(right, CopyPartition.PARTITIONED(0), numbers(8, 8), (4, 8))


@CASES.pair(finds="data-race", about="tile", right={"jax": "race", "expect": lambda: numbers(8, 8).reshape(8, 2, 4).transpose(1, 0, 2)})
def partitioned_copy_of_columns(right):
  return _leader_tracked(right, CopyPartition.PARTITIONED(1), numbers(8, 8), (8, 4))


@CASES.pair(finds="data-race", about="tile", right={"jax": "race", "expect": lambda: np.stack([numbers(4, 8)] * 2)})
def replicated_copy(right):
  return _leader_tracked(right, CopyPartition.REPLICATED, numbers(4, 8), (4, 8))


@CASES.pair(finds="data-race", about="z", right={"jax": "error: Collective axis", "expect": lambda: np.full((2, 2), 4)})
def barrier_along_composite_axes(right):
  """All four blocks meet at a barrier of both axes together; at one of each axis a block meets two others only."""

  def body(o, z, bar):
    c, d = lax.axis_index("c"), lax.axis_index("d")
    z[c, d] = jnp.int32(1)
    _meet(bar)
    o[c, d] = z[0, 0] + z[0, 1] + z[1, 0] + z[1, 1]

  bar = cluster_barrier(("c", "d")) if right else cluster_barrier("c", "d")
  return kernel(body, [i32(2, 2), i32(2, 2)], [bar], **C22)()[0]


@CASES.add(expect=lambda: np.array([[0, 1], [10, 11], [20, 21]]))
def grid_of_clusters():
  def body(o):
    g, c = lax.axis_index("g"), lax.axis_index("c")
    o[g, c] = 10 * g + c

  return kernel(body, i32(3, 2), grid=(3,), grid_names=("g",), **C2)()


def _dynamic(threads):
  """Blocks take over the work of blocks that have not begun."""

  def body(x, o):
    wg = lax.axis_index("wg") if threads else 0

    @plgpu.dynamic_scheduling_loop(grid_names=("i",), thread_axis="wg" if threads else None)
    def _(loop):
      (i,) = loop.index
      half = pl.ds(4 * wg, 4)
      o[i, half] = x[i, half] * 2

  return kernel(body, i32(6, 8), grid=(6,), grid_names=("i",), threads=threads)(numbers(6, 8))


CASES.add("dynamic_scheduling_loop", expect=lambda: 2 * numbers(6, 8), jax="error: does not support `inline_mgpu`")(lambda: _dynamic(2))
CASES.add("dynamic_scheduling_loop_without_threads", expect=lambda: np.pad(2 * numbers(6, 8)[:, :4], ((0, 0), (0, 4)), constant_values=np.iinfo(np.int32).max),
          jax="error: Collective axis `None` not found")(lambda: _dynamic(0))


@CASES.add(expect=lambda: 3 * numbers(6, 8))
def launch_control_by_hand():
  def body(x, o, result, bar):
    i = lax.axis_index("i")

    def step(carry):
      i, _ = carry
      o[i] = x[i] * 3
      plgpu.try_cluster_cancel(result, bar)
      plgpu.barrier_wait(bar)
      (i,), ok = plgpu.query_cluster_cancel(result, grid_names=("i",))
      plgpu.commit_smem()
      return i, ok

    lax.while_loop(lambda carry: carry[1], step, (i, jnp.bool_(True)))

  return kernel(body, i32(6, 8), [plgpu.TryClusterCancelResult(), barrier()], grid=(6,), grid_names=("i",))(numbers(6, 8))
