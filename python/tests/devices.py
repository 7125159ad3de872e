"""Kernels on two devices, under shard_map: each other's memory, semaphores between them, multimem."""

import jax
import jax.numpy as jnp
import numpy as np
from cases import Cases, array, i32, kernel, numbers, smem
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
P = jax.sharding.PartitionSpec("d")
SEMAPHORE = plgpu.SemaphoreType.REGULAR
NO_SEMAPHORES = {"jax": "error: No ir_type_handler"}


def sharded(body, out, x, scratch=(), **kwargs):
  """Calls a kernel on both devices, each with its half of x; the result has the halves of both."""
  mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  call = kernel(body, out, scratch, **kwargs)
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P, out_specs=P, check_vma=False))(x)


def _swapped(n):
  return np.roll(numbers(2 * n), n)


@CASES.add(expect=lambda: numbers(4) + np.array([0, 0, 100, 100]))
def devices_by_themselves():
  def body(x, o):
    o[...] = x[...] + 100 * lax.axis_index("d")

  return sharded(body, i32(2), numbers(4))


@CASES.pair(finds="data-race", about="o", **NO_SEMAPHORES, right={"expect": lambda: 2 * _swapped(4)} | NO_SEMAPHORES)
def store_to_the_other_device(right):
  def body(x, o):
    sem = pl.get_global(SEMAPHORE)
    other = 1 - lax.axis_index("d")
    plgpu.remote_ref(o, other)[...] = x[...]
    pl.semaphore_signal(sem, 1, device_id=other)
    if right:
      pl.semaphore_wait(sem)
    o[...] = o[...] * 2
    if not right:
      pl.semaphore_wait(sem)

  return sharded(body, i32(4), numbers(8))


@CASES.pair(finds="data-race", about="x", **NO_SEMAPHORES, right={"expect": lambda: _swapped(4)} | NO_SEMAPHORES)
def load_from_the_other_device(right):
  """Each device changes its own memory once the other one has read it."""

  def body(x, o):
    sem = pl.get_global(SEMAPHORE)
    other = 1 - lax.axis_index("d")
    o[...] = plgpu.remote_ref(x, other)[...]
    pl.semaphore_signal(sem, 1, device_id={"d": other})
    if right:
      pl.semaphore_wait(sem)
    x[...] = jnp.zeros(4, jnp.int32)
    if not right:
      pl.semaphore_wait(sem)

  return sharded(body, i32(4), numbers(8))


@CASES.pair(finds="data-race", about="o", **NO_SEMAPHORES, right={"expect": lambda: _swapped(8)} | NO_SEMAPHORES)
def copy_to_the_other_device(right):
  """A TMA copy has to be complete before the other device is told."""

  def body(x, o, tile):
    sem = pl.get_global(SEMAPHORE)
    other = 1 - lax.axis_index("d")
    tile[...] = x[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(o, other))
    plgpu.wait_smem_to_gmem(0, wait_read_only=not right)
    pl.semaphore_signal(sem, 1, device_id=other)
    pl.semaphore_wait(sem)
    o[0] = o[0] * 1

  return sharded(body, i32(8), numbers(16), [smem(8)])


@CASES.pair(finds="data-race", jax="error: ref must be a reference",
            right={"expect": lambda: np.tile(numbers(8), 2), "jax": "error: ref must be a reference"})
def all_gather_by_multicast(right):
  def body(x, o):
    sem = pl.get_global(SEMAPHORE)
    d = lax.axis_index("d")
    plgpu.multimem_store(x[...], o.at[pl.ds(4 * d, 4)], collective_axes="d")
    plgpu.semaphore_signal_multicast(sem, 1, collective_axes="d")
    if right:
      pl.semaphore_wait(sem, 2)
    o[...] = o[...] * 1
    if not right:
      pl.semaphore_wait(sem, 2)

  return sharded(body, i32(8), numbers(8))


@CASES.add(expect=lambda: np.tile(numbers(8), 2), **NO_SEMAPHORES)
def copy_to_all_devices():
  def body(x, o, tile):
    sem = pl.get_global(SEMAPHORE)
    d = lax.axis_index("d")
    tile[...] = x[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, plgpu.multicast_ref(o, collective_axes="d").at[pl.ds(4 * d, 4)])
    plgpu.wait_smem_to_gmem(0)
    plgpu.semaphore_signal_multicast(sem, 1, collective_axes="d")
    pl.semaphore_wait(sem, 2)

  return sharded(body, i32(8), numbers(8), [smem(4)])


for _op, _dtype, _want in [
    ("add", jnp.float32, lambda x: x[0] + x[1]), ("add", jnp.bfloat16, lambda x: x[0] + x[1]), ("add", jnp.int32, lambda x: x[0] + x[1]),
    ("max", jnp.int32, lambda x: np.maximum(*x)), ("min", jnp.float16, lambda x: np.minimum(*x)), ("or", jnp.int32, lambda x: x[0] | x[1]),
]:

  def _reduced(op=_op, dtype=_dtype):
    def body(x, o):
      sem = pl.get_global(SEMAPHORE)
      plgpu.semaphore_signal_multicast(sem, 1, collective_axes="d")
      pl.semaphore_wait(sem, 2)
      o[...] = plgpu.multimem_load_reduce(x, collective_axes="d", reduction_op=op)

    return sharded(body, array(dtype, 4), (numbers(8) * 5 % 7).astype(dtype))

  CASES.add(f"all_reduce_{_op}_{jnp.dtype(_dtype).name}", jax="error: ref must be a reference" if _dtype == jnp.float32 else "unasked",
            expect=lambda fn=_want: np.tile(fn((numbers(8) * 5 % 7).reshape(2, 4)), 2))(_reduced)


@CASES.add(error="deadlock", jax="unasked")
def device_that_is_not_told():
  def body(x, o):
    sem = pl.get_global(SEMAPHORE)
    o[...] = x[...]

    @pl.when(lax.axis_index("d") == 0)
    def _():
      pl.semaphore_signal(sem, 1, device_id=0)

    pl.semaphore_wait(sem)

  return sharded(body, i32(4), numbers(8))


@CASES.add(expect=lambda: np.concatenate([[0, 1, 2, 3], [104, 105, 106, 107]]))
def grid_on_each_device():
  def body(x, o):
    i = lax.axis_index("i")
    o[i] = x[i] + 100 * lax.axis_index("d")

  return sharded(body, i32(4), numbers(8), grid=(4,), grid_names=("i",))
