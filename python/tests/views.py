"""Views of references: transposed, reshaped, bitcast, strided, unions."""

import jax.numpy as jnp
import numpy as np
from cases import Cases, array, barrier, f32, i32, kernel, numbers, smem
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()


@CASES.add(expect=lambda: numbers(4, 6).T * 2)
def transposed_load_and_store():
  def body(x, o, tile):
    tile.transpose((1, 0))[...] = x.transpose((1, 0))[...] * 2
    o[...] = tile.transpose((1, 0))[...]

  return kernel(body, i32(6, 4), [smem(4, 6)])(numbers(4, 6))


@CASES.add(expect=lambda: numbers(2, 12).reshape(2, 3, 4)[:, 1], jax="error: Unsupported transform: ReshapeTransform")
def reshaped():
  def body(x, o, tile):
    tile.reshape(2, 12)[...] = x[...]
    o[...] = tile.reshape(2, 3, 4)[:, 1]

  return kernel(body, i32(2, 4), [smem(4, 6)])(numbers(2, 12))


@CASES.add(expect=lambda: numbers(2, 8, dtype=np.float32).view(np.int32), jax="error: Unsupported transform: BitcastTransform")
def bitcast():
  def body(x, o, tile):
    tile[...] = x[...]
    o[...] = tile.bitcast(jnp.int32)[...]

  return kernel(body, i32(2, 8), [smem(2, 8, dtype=jnp.float32)])(numbers(2, 8, dtype=np.float32))


@CASES.add(error="a view of int32 of shape (2, 8) cannot be bitcast to int16", jax="error: Unsupported transform: BitcastTransform")
def bitcast_to_another_width():
  def body(x, o, tile):
    tile[...] = x[...]
    o[...] = tile.bitcast(jnp.int16)[...]

  return kernel(body, array(jnp.int16, 4, 8), [smem(2, 8)])(numbers(2, 8))


@CASES.add(expect=lambda: numbers(4, 6)[1:, 2:4])
def slices_of_slices():
  def body(x, o):
    i = x[0, 1]
    view = x.at[pl.ds(i, 3)].at[:, pl.ds(i + 1, 4)].at[:, 0:2]
    o[...] = view[...]

  return kernel(body, i32(3, 2))(numbers(4, 6))


@CASES.add(expect=lambda: numbers(16)[1:13:3])
def strided():
  def body(x, o):
    o[...] = x[pl.ds(1, 4, stride=3)]

  return kernel(body, i32(4))(numbers(16))


@CASES.pair(finds="data-race", jax="error: _slices_overlap", right={"jax": "error: _slices_overlap", "expect": lambda: [np.zeros(8), np.ones(8)]})
def strides_that_interleave(right):
  """Two threads store to even and odd elements, or both to even ones."""

  def body(o, p, tile, bar):
    wg = lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
      tile[pl.ds(0, 8, stride=2)] = jnp.zeros(8, jnp.int32)

    @pl.when(wg == 1)
    def _():
      tile[pl.ds(1 if right else 0, 8, stride=2)] = jnp.ones(8, jnp.int32)

    plgpu.barrier_arrive(bar)
    plgpu.barrier_wait(bar)

    @pl.when(wg == 0)
    def _():
      o[...] = tile[pl.ds(0, 8, stride=2)]
      p[...] = tile[pl.ds(1 if right else 0, 8, stride=2)]

  return kernel(body, [i32(8)] * 2, [smem(16), barrier(2)], threads=2)()


@CASES.add(expect=lambda: numbers(4, 8)[[2, 0, 3]] + 1, jax="error: Only scalar arrays can be converted")
def list_of_rows():
  def body(x, rows, o):
    o[...] = x[rows[...]] + 1

  return kernel(body, i32(3, 8))(numbers(4, 8), np.array([2, 0, 3]))


# Unions: members that share memory.


@CASES.add(expect=lambda: [numbers(8, dtype=np.float32), numbers(4, 4) + 1])
def union_whose_members_follow_each_other():
  def body(x, y, o, p, union):
    floats, (ints, more) = union
    floats[...] = x[...]
    o[...] = floats[...]
    ints[...] = y[...]
    more[...] = y[...] + 1
    p[...] = ints[...] + more[...] - y[...]

  union = plgpu.RefUnion(smem(8, dtype=jnp.float32), (smem(4, 4), smem(4, 4)))
  return kernel(body, [f32(8), i32(4, 4)], [union])(numbers(8, dtype=np.float32), numbers(4, 4))


@CASES.add(error="ref unions are only safe to use when the groups of refs that we intend to alias have disjoint lifetimes")
def union_read_through_another_member():
  def body(x, o, union):
    floats, ints = union
    floats[...] = x[...]
    o[...] = ints[...]

  return kernel(body, i32(8), [plgpu.RefUnion(smem(8, dtype=jnp.float32), smem(8))])(numbers(8, dtype=np.float32))


@CASES.pair(finds="data-race", right={"expect": lambda: numbers(8)})
def union_overwritten_under_a_copy(right):
  """A member is stored to while a copy still reads another one in the same memory."""

  def body(x, o, union):
    first, second = union
    first[...] = x[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(first, o)
    if right:
      plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    second[...] = jnp.zeros(16, jnp.int16)
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(8), [plgpu.RefUnion(smem(8), smem(16, dtype=jnp.int16))])(numbers(8))


@CASES.add(expect=lambda: numbers(8))
def mgpu_load_and_store():
  def body(x, o, tile):
    plgpu.store(tile, plgpu.load(x, optimized=False), optimized=False)
    plgpu.store(o, plgpu.load(tile.at[pl.ds(0, 8)], optimized=False), optimized=False)

  return kernel(body, i32(8), [smem(8)])(numbers(8))
