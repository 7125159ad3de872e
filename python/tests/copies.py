"""Copies between global and shared memory: predicates, reductions, lists of rows, groups, boxes over the edge."""

import jax.numpy as jnp
import numpy as np
from atomics import over_blocks
from cases import Cases, array, barrier, f32, i32, kernel, numbers, smem
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu.launch_context import OOBFillMode
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()


def _store(tile, value):
  tile[...] = value
  plgpu.commit_smem()


@CASES.add(expect=lambda: numbers(4, 8) * (np.arange(4) % 2)[:, None], jax="error: Too many leaves for PyTreeDef")
def copy_in_with_a_predicate():
  def body(x, o, tile, bar):
    i = lax.axis_index("i")
    tile[...] = jnp.zeros(8, jnp.int32)
    plgpu.commit_smem()
    odd = i % 2 == 1
    plgpu.copy_gmem_to_smem(x.at[i], tile, bar, predicate=odd)

    @pl.when(odd)
    def _():
      plgpu.barrier_wait(bar)

    o[i] = tile[...]

  return kernel(body, i32(4, 8), [smem(8), barrier()], grid=(4,), grid_names=("i",))(numbers(4, 8))


@CASES.add(expect=lambda: numbers(2, 8) + 1, jax="error: predicate not supported")
def copy_out_with_a_predicate():
  """Each of two threads copies a row out, by a predicate that holds for both or for the other one's."""

  def body(x, o, tile):
    wg = lax.axis_index("wg")
    _store(tile.at[wg], x[wg] + 1)
    for row in range(2):
      plgpu.copy_smem_to_gmem(tile.at[row], o.at[row], wg == row)
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(2, 8), [smem(2, 8)], threads=2)(numbers(2, 8))


@CASES.pair(
    error="Not all copy_smem_to_gmem read-side operations completed", jax="error: predicate not supported",
    right={"expect": lambda: numbers(8), "jax": "error: predicate not supported"})
def copy_out_waited_for_without_its_predicate(right):
  def body(x, o, tile):
    _store(tile, x[...])
    plgpu.copy_smem_to_gmem(tile, o, x[1] == 1)
    if right:
      plgpu.wait_smem_to_gmem(0, wait_read_only=True)

  return kernel(body, i32(8), [smem(8)])(numbers(8))


def _reduced(op, dtype, start, values):
  def body(x, first, o, tile):
    _store(tile, first[...])
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)
    for row in range(values.shape[0]):
      _store(tile, x[row])
      plgpu.copy_smem_to_gmem(tile, o, reduction_op=op)
      plgpu.wait_smem_to_gmem(0)

  return kernel(body, array(dtype, 8), [smem(8, dtype=dtype)])(values, np.full(8, start, dtype))


_ROWS = numbers(3, 8) * 5 % 13

for _op, _dtype, _start, _want in [
    ("add", jnp.int32, 1, lambda: 1 + _ROWS.sum(0)),
    ("min", jnp.int32, 9, lambda: np.minimum(9, _ROWS.min(0))),
    ("max", jnp.int32, 3, lambda: np.maximum(3, _ROWS.max(0))),
    ("and", jnp.uint32, 15, lambda: 15 & _ROWS[0] & _ROWS[1] & _ROWS[2]),
    ("or", jnp.uint32, 16, lambda: 16 | _ROWS[0] | _ROWS[1] | _ROWS[2]),
    ("xor", jnp.uint32, 5, lambda: 5 ^ _ROWS[0] ^ _ROWS[1] ^ _ROWS[2]),
    ("add", jnp.float32, 0.5, lambda: 0.5 + _ROWS.sum(0)),
    ("add", jnp.bfloat16, 0.5, lambda: 0.5 + _ROWS.sum(0)),
]:
  CASES.add(f"copy_out_reduced_{_op}_{jnp.dtype(_dtype).name}", expect=_want, jax="error: reduction_op not supported")(
      lambda op=_op, dtype=_dtype, start=_start: _reduced(op, dtype, start, _ROWS.astype(dtype)))


@CASES.pair(finds="data-race", right={"expect": lambda: np.full(8, 4), "jax": "error: reduction_op not supported"})
def reductions_of_blocks(right):
  """Reductions of several blocks into one place do not race with each other, copies do."""

  def body(x, o, tile):
    _store(tile, x[...])
    plgpu.copy_smem_to_gmem(tile, o, reduction_op="add" if right else None)
    plgpu.wait_smem_to_gmem(0)

  return over_blocks(body, np.ones(8, np.int32), np.zeros(8, np.int32), 4, [smem(8)])


@CASES.add(expect=lambda: numbers(16, 8)[np.array([3, 11, 0, 7])], jax="error: Only scalar arrays can be converted")
def gather_of_rows():
  def body(x, rows, o, tile, bar):
    plgpu.copy_gmem_to_smem(x.at[rows[...]], tile, bar)
    plgpu.barrier_wait(bar)
    o[...] = tile[...]

  return kernel(body, i32(4, 8), [smem(4, 8), barrier()])(numbers(16, 8), np.array([3, 11, 0, 7]))


def _scattered():
  rows = np.zeros((16, 8), np.int32)
  rows[[3, 11, 0, 7]] = numbers(4, 8)
  return rows


@CASES.add(expect=_scattered, jax="error: Only scalar arrays can be converted")
def scatter_of_rows():
  def body(x, rows, o, tile, zeros):
    _store(zeros, jnp.zeros((16, 8), jnp.int32))
    _store(tile, x[...])
    plgpu.copy_smem_to_gmem(zeros, o)
    plgpu.wait_smem_to_gmem(0)
    plgpu.copy_smem_to_gmem(tile, o.at[rows[...]])
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(16, 8), [smem(4, 8), smem(16, 8)])(numbers(4, 8), np.array([3, 11, 0, 7]))


@CASES.pair(finds="data-race", about="tile", jax="error: Interpret mode does not support copy_gmem_to_smem without a barrier", right={"jax": "error: Interpret mode does not support copy_gmem_to_smem without a barrier", "expect": lambda: numbers(8) + numbers(8)})
def cp_async(right):
  """Copies without a barrier, as before Hopper."""

  def body(x, o, tile):
    plgpu.copy_gmem_to_smem(x, tile.at[0])
    plgpu.copy_gmem_to_smem(x, tile.at[1])
    plgpu.wait_gmem_to_smem(0 if right else 1)
    o[...] = tile[0] + tile[1]
    plgpu.wait_gmem_to_smem(0)

  return kernel(body, i32(8), [smem(2, 8)])(numbers(8))


@CASES.pair(finds="data-race", about="tile", right={"expect": lambda: numbers(3, 8)})
def copies_in_one_group(right):
  """Two copies in one group: waiting for all groups but one leaves none of the first in flight."""

  def body(x, o, tile):
    _store(tile, x[...])
    plgpu.copy_smem_to_gmem(tile.at[0], o.at[0], commit_group=False)
    plgpu.copy_smem_to_gmem(tile.at[1], o.at[1], commit_group=False)
    plgpu.commit_smem_to_gmem_group()
    plgpu.copy_smem_to_gmem(tile.at[2], o.at[2])
    plgpu.wait_smem_to_gmem(1 if right else 2)
    tile[1] = x[0]
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(3, 8), [smem(3, 8)])(numbers(3, 8))


@CASES.add(expect=lambda: np.pad(numbers(6, 8)[4:], ((0, 2), (0, 0))))
def copy_in_over_the_edge():
  """A box that lies partly outside is filled with zeros there."""

  def body(x, o, tile, bar):
    plgpu.copy_gmem_to_smem(x.at[pl.ds(x[0, 4], 4)], tile, bar, oob_mode=OOBFillMode.ZEROS)
    plgpu.barrier_wait(bar)
    o[...] = tile[...]

  return kernel(body, i32(4, 8), [smem(4, 8), barrier()])(numbers(6, 8))


@CASES.add(expect=lambda: np.repeat([0, 0, 0, 0, 1, 1], 8).reshape(6, 8))
def copy_out_over_the_edge():
  """What would lie outside is left out."""

  def body(x, o, tile):
    o[...] = jnp.zeros((6, 8), jnp.int32)
    _store(tile, jnp.ones((4, 8), jnp.int32))
    plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(x[4], 4)])
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(6, 8), [smem(4, 8)])(numbers(8))


@CASES.add(expect=lambda: numbers(8))
def prefetch():
  def body(x, o, tile, bar):
    plgpu.async_prefetch(x)
    plgpu.copy_gmem_to_smem(x, tile, bar)
    plgpu.barrier_wait(bar)
    o[...] = tile[...]

  return kernel(body, i32(8), [smem(8), barrier()])(numbers(8))


@CASES.add(expect=lambda: numbers(4, 8)[:, :4].T)
def copy_into_a_transposed_tile():
  def body(x, o, tile, bar):
    plgpu.copy_gmem_to_smem(x.at[:, pl.ds(0, 4)], tile, bar)
    plgpu.barrier_wait(bar)
    o[...] = tile.transpose((1, 0))[...]

  return kernel(body, i32(4, 4), [smem(4, 4), barrier()])(numbers(4, 8))


@CASES.add(expect=lambda: numbers(16, 64, dtype=jnp.float32) + 1)
def tiled_and_swizzled_both_ways():
  transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))

  def body(x, o, tile, bar):
    plgpu.copy_gmem_to_smem(x, tile, bar)
    plgpu.barrier_wait(bar)
    _store(tile, tile[...] + 1)
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, f32(16, 64), [plgpu.SMEM((16, 64), jnp.float32, transforms=transforms), barrier()])(
      numbers(16, 64, dtype=jnp.float32))


@CASES.pair(finds="data-race", about="tile", jax="error: barrier must be a reference",
            right={"expect": lambda: numbers(8), "jax": "error: barrier must be a reference"})
def barrier_test(right):
  """A barrier is polled until its phase is complete."""

  def body(x, o, tile, bar):
    def poll():
      lax.while_loop(lambda done: jnp.logical_not(done), lambda _: plgpu.barrier_test(bar), plgpu.barrier_test(bar))

    plgpu.copy_gmem_to_smem(x, tile, bar)
    if right:
      poll()
    o[...] = tile[...]
    if not right:
      poll()

  return kernel(body, i32(8), [smem(8), barrier()])(numbers(8))
