"""Kernels that use what JAX's own interpreter does not support, and what they give."""

import dataclasses
import functools
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas import primitives
from jax._src.pallas.mosaic import core as tpu_core
from jax.experimental import checkify
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu.launch_context import CopyPartition
from jax.experimental.pallas import mosaic_gpu as plgpu

from kernels import PARAMS, i32, kernel, numbers


@dataclasses.dataclass(frozen=True)
class Wide:
  """A kernel and its results."""

  run: Callable[[], Any]
  want: Callable[[], Any]
  devices: int = 1
  race: bool = False
  error: str = ""
  output: str = ""


CASES: dict[str, Wide] = {}


def wide(want=lambda: None, **known):
  def add(fn):
    CASES[fn.__name__] = Wide(fn, want, **known)
    return fn

  return add


def f32(*shape):
  return jax.ShapeDtypeStruct(shape, jnp.float32)


def ramp(*shape, dtype=jnp.float32):
  return numbers(*shape, dtype=dtype)


def wait_for_copy_in(src, dst, bar, **kwargs):
  plgpu.copy_gmem_to_smem(src, dst, bar, **kwargs)
  plgpu.barrier_wait(bar)


def copy_out(src, dst, **kwargs):
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(src, dst, **kwargs)
  plgpu.wait_smem_to_gmem(0)


# Views.


@wide(lambda: np.arange(12).reshape(3, 4).T + 1)
def transposed_view():
  def body(x, o, smem):
    smem[...] = x[...]
    o[...] = smem.T[...] + 1

  return kernel(body, i32(4, 3), [plgpu.SMEM((3, 4), jnp.int32)])(numbers(3, 4))


@wide(lambda: np.arange(12).reshape(2, 6))
def reshaped_view():
  def body(x, o, smem):
    smem.reshape(3, 4)[...] = x[...]
    o[...] = smem.reshape(2, 6)[...]

  return kernel(body, i32(2, 6), [plgpu.SMEM((12,), jnp.int32)])(numbers(3, 4))


@wide(lambda: np.arange(8, dtype=np.float32).reshape(2, 4).view(np.int32))
def bitcast_view():
  def body(x, o, smem):
    smem[...] = x[...]
    o[...] = smem.bitcast(jnp.int32)[...]

  return kernel(body, i32(2, 4), [plgpu.SMEM((2, 4), jnp.float32)])(ramp(2, 4))


@wide(lambda: np.arange(32)[1:32:4][::1] * 2)
def strided_view():
  def body(x, o):
    o[...] = x[pl.ds(1, 8, stride=4)] * 2

  return kernel(body, i32(8))(numbers(32))


@wide(lambda: (np.arange(8), np.arange(4.0) * 3))
def union_members():
  def body(x, o, p, union):
    first, (second, third) = union
    first[...] = x[...]
    o[...] = first[...]
    second[...] = x[pl.ds(0, 4)].astype(jnp.float32) * 2
    third[...] = second[...] * 1.5
    p[...] = third[...]

  union = plgpu.RefUnion(plgpu.SMEM((8,), jnp.int32), (plgpu.SMEM((4,), jnp.float32), plgpu.SMEM((4,), jnp.float32)))
  return kernel(body, [i32(8), f32(4)], [union])(numbers(8))


@wide(lambda: np.arange(24).reshape(6, 4)[[4, 1, 1, 0]])
def rows_by_index():
  def body(x, i, o):
    o[...] = x[i[...]]

  return kernel(body, i32(4, 4))(numbers(6, 4), jnp.array([4, 1, 1, 0], jnp.int32))


@wide(lambda: np.arange(24).reshape(6, 4)[[4, 1, 0], [0, 3, 2]])
def elements_by_index():
  def body(x, i, j, o):
    o[...] = x[i[...], j[...]]

  return kernel(body, i32(3))(numbers(6, 4), jnp.array([4, 1, 0], jnp.int32), jnp.array([0, 3, 2], jnp.int32))


@wide(lambda: np.arange(2 * 128 * 32, dtype=np.float32).reshape(2, 128, 32) + 1)
def batched_tensor_memory():
  def body(x, o, tmem):
    for i in range(2):
      plgpu.async_store_tmem(tmem.at[i], x[i] + 1)
    plgpu.commit_tmem()
    for i in range(2):
      o[i] = plgpu.async_load_tmem(tmem.at[i])
    plgpu.wait_load_tmem()

  return kernel(body, f32(2, 128, 32), [plgpu.TMEM((2, 128, 32), jnp.float32)])(ramp(2, 128, 32))


# Accesses.


@wide(lambda: np.where(np.arange(8) % 2 == 0, np.arange(8), -1))
def masked_load():
  def body(x, o):
    i = lax.broadcasted_iota(jnp.int32, (8,), 0)
    o[...] = primitives.load(x, (slice(None),), mask=i % 2 == 0, other=jnp.int32(-1))

  return kernel(body, i32(8))(numbers(8))


@wide(lambda: np.where(np.arange(8) < 3, np.arange(8) + 10, 7))
def masked_store():
  def body(x, o):
    o[...] = jnp.full((8,), 7, jnp.int32)
    i = lax.broadcasted_iota(jnp.int32, (8,), 0)
    primitives.store(o, (slice(None),), x[...] + 10, mask=i < 3)

  return kernel(body, i32(8))(numbers(8))


@wide(lambda: np.arange(8) * 3)
def load_with_layout():
  def body(x, o, smem):
    smem[...] = x[...]
    plgpu.store(o, plgpu.load(smem, optimized=False) * 3, optimized=False)

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32)])(numbers(8))


@wide(lambda: [60, 15, 0, 15])
def atomics():
  """Four threads at once: no race."""

  def body(x, o):
    i = lax.axis_index("wg")
    del x
    plgpu.atomic_add(o.at[0], (i + 1) * 6)
    plgpu.atomic_max(o.at[1], i * 5)
    plgpu.atomic_and(o.at[2], i)
    plgpu.atomic_or(o.at[3], jnp.left_shift(jnp.int32(1), i))

  @jax.jit
  def call(x):
    def stateful(ref):
      kernel(lambda r: body(None, r), (), threads=4)(ref)

    return pl.run_state(stateful)(x)

  return call(jnp.array([0, 0, 15, 0], jnp.int32))


# Copies.


@wide(lambda: np.arange(64).reshape(8, 8)[[5, 0, 3, 3]])
def gathering_copy():
  def body(x, i, o, smem, bar):
    wait_for_copy_in(x.at[i[...]], smem, bar)
    o[...] = smem[...]

  return kernel(body, i32(4, 8), [plgpu.SMEM((4, 8), jnp.int32), plgpu.Barrier()])(numbers(8, 8), jnp.array([5, 0, 3, 3], jnp.int32))


def _scattered():
  want = np.zeros((4, 8), np.int32)
  want[[3, 1]] = np.arange(16).reshape(2, 8)
  return want


@wide(_scattered)
def scattering_copy():
  def body(x, i, o, smem):
    smem[...] = jnp.zeros((2, 8), jnp.int32)
    copy_out(smem, o.at[pl.ds(0, 2)])
    copy_out(smem, o.at[pl.ds(2, 2)])
    smem[...] = x[...]
    copy_out(smem, o.at[i[...]])

  return kernel(body, i32(4, 8), [plgpu.SMEM((2, 8), jnp.int32)])(numbers(2, 8), jnp.array([3, 1], jnp.int32))


@wide(lambda: np.arange(8) * 2)
def predicated_copies():
  def body(x, o, smem, bar):
    for flag in (False, True):
      plgpu.copy_gmem_to_smem(x, smem, bar, predicate=jnp.bool_(flag) & (x[0] == 0))
    plgpu.barrier_wait(bar)
    smem[...] = smem[...] * 2
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, o, x[0] == 0)
    plgpu.copy_smem_to_gmem(smem, o, x[0] == 1)
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier()])(numbers(8))


@wide(lambda: np.arange(8) * 3)
def reducing_copy():
  def body(x, o, smem):
    smem[...] = x[...]
    copy_out(smem, o)
    smem[...] = x[...] * 2
    copy_out(smem, o, reduction_op="add")

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32)])(numbers(8))


@wide(lambda: np.concatenate([np.arange(6), np.zeros(2)]))
def copy_beyond_the_end():
  def body(x, o, smem, bar):
    wait_for_copy_in(x.at[pl.ds(x[0], 8)], smem, bar)
    o[...] = smem[...]

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier()])(numbers(6))


@wide(lambda: np.arange(8) + 1)
def copy_without_barrier():
  def body(x, o, smem):
    plgpu.copy_gmem_to_smem(x, smem)
    plgpu.wait_gmem_to_smem(0)
    o[...] = smem[...] + 1

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32)])(numbers(8))


# Clusters.


def clustered(body, out, scratch, **kwargs):
  return kernel(body, out, scratch, cluster=(2,), cluster_names=("c",), **kwargs)


@wide(lambda: np.stack([np.arange(8)] * 2))
def multicast_copy():
  def body(x, o, smem, bar):
    wait_for_copy_in(x, smem, bar, collective_axes="c")
    o[lax.axis_index("c")] = smem[...]

  return clustered(body, i32(2, 8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier()])(numbers(8))


@wide(lambda: np.arange(32).reshape(2, 16))
def partitioned_copy():
  def body(x, o, smem, bar, everyone):
    plgpu.copy_gmem_to_smem(x, smem, bar, collective_axes="c", leader_tracked=CopyPartition.PARTITIONED(0))
    i = lax.axis_index("c")

    @pl.when(i == 0)
    def _():
      plgpu.barrier_wait(bar)

    plgpu.barrier_arrive(everyone)
    plgpu.barrier_wait(everyone)
    o[i] = smem[...]

  scratch = [plgpu.SMEM((16,), jnp.int32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("c",))]
  return clustered(body, i32(2, 16), scratch)(numbers(32))


@wide(lambda: np.stack([np.arange(8) + 100, np.arange(8)]))
def memory_of_another_block():
  def body(x, o, smem, everyone):
    i = lax.axis_index("c")
    smem[...] = x[...] + 100 * i
    plgpu.barrier_arrive(everyone)
    plgpu.barrier_wait(everyone)
    o[i] = plgpu.load(plgpu.cluster_ref(smem, {"c": 1 - i}), optimized=False)
    plgpu.barrier_arrive(everyone)
    plgpu.barrier_wait(everyone)

  scratch = [plgpu.SMEM((8,), jnp.int32), plgpu.ClusterBarrier(collective_axes=("c",))]
  return clustered(body, i32(2, 8), scratch)(numbers(8))


@wide(lambda: np.stack([np.arange(8) * 2, np.arange(8)]))
def store_into_another_block():
  def body(x, o, smem, bar):
    i = lax.axis_index("c")
    plgpu.async_store_smem(x[...] * (i + 1), smem, bar, cluster_idx=1 - i, cluster_dim="c", optimized=False)
    plgpu.barrier_wait(bar)
    o[i] = smem[...]

  return clustered(body, i32(2, 8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier()])(numbers(8))


# Semaphores.


@wide(lambda: np.arange(8) + 5)
def semaphore_handoff():
  def body(x, o, z, sem):
    i = lax.axis_index("wg")

    @pl.when(i == 0)
    def _():
      z[...] = x[...] + 5
      pl.semaphore_signal(sem.at[1], 2)

    @pl.when(i == 1)
    def _():
      pl.semaphore_wait(sem.at[1], 2)
      o[...] = z[...]

  return kernel(body, [i32(8), i32(8)], [plgpu.SemaphoreType.REGULAR((2,))], threads=2)(numbers(8))[0]


@wide(lambda: [3])
def semaphore_between_blocks():
  def body(o):
    sem = pl.get_global(plgpu.SemaphoreType.REGULAR)
    i = lax.axis_index("g")
    pl.semaphore_signal(sem)

    @pl.when(i == 0)
    def _():
      pl.semaphore_wait(sem, 3, decrement=False)
      o[0] = pl.semaphore_read(sem)

  return kernel(body, i32(1), grid=(3,), grid_names=("g",))()


# Tensor cores.


def _matmul(a, b):
  return np.matmul(np.asarray(a), np.asarray(b), dtype=np.float32)


def halves(*shape):
  return (numbers(*shape) % 7 - 3).astype(jnp.float16)


@wide(lambda: 3 + _matmul(halves(64, 32), halves(32, 64)))
def wgmma_with_initial_value():
  def body(a, b, o, sa, sb, bar):
    plgpu.copy_gmem_to_smem(a, sa, bar)
    plgpu.copy_gmem_to_smem(b, sb, bar)
    plgpu.barrier_wait(bar)

    def scoped(acc):
      plgpu.wgmma(acc, sa, sb)

    o[...] = pl.run_state(scoped)(plgpu.ACC.init(jnp.full((64, 64), 3, jnp.float32)))

  scratch = [plgpu.SMEM((64, 32), jnp.float16), plgpu.SMEM((32, 64), jnp.float16), plgpu.Barrier(num_arrivals=2)]
  return kernel(body, f32(64, 64), scratch)(halves(64, 32), halves(32, 64))


@wide(lambda: _matmul(halves(64, 32), halves(64, 32).T))
def wgmma_from_registers():
  def body(a, b, o, sb, bar):
    wait_for_copy_in(b, sb, bar)

    def scoped(acc):
      plgpu.wgmma(acc, a[...], sb.T)
      plgpu.wgmma_wait(0)
      return acc[...]

    o[...] = pl.run_scoped(scoped, plgpu.ACC((64, 64), jnp.float32))

  return kernel(body, f32(64, 64), [plgpu.SMEM((64, 32), jnp.float16), plgpu.Barrier()])(halves(64, 32), halves(64, 32))


@wide(lambda: 1 + _matmul(halves(16, 16), halves(16, 8)))
def mma_in_registers():
  def body(a, b, o):
    o[...] = plgpu.mma(jnp.ones((16, 8), jnp.float32), a[...], b[...])

  return kernel(body, f32(16, 8))(halves(16, 16), halves(16, 8))


@wide(lambda: (np.arange(128 * 32).reshape(128, 32), np.arange(128) * 32 + 31))
def load_with_reduction():
  def body(x, o, p, tmem):
    plgpu.async_store_tmem(tmem, x[...])
    plgpu.commit_tmem()
    value, largest = plgpu.async_load_tmem(tmem, reduce="max")
    plgpu.wait_load_tmem()
    o[...] = value
    p[...] = largest

  return kernel(body, [i32(128, 32), i32(128)], [plgpu.TMEM((128, 32), jnp.int32)])(numbers(128, 32))


@wide(lambda: _matmul(halves(256, 64), halves(64, 64)))
def collective_mma():
  def body(a, b, o, sa, sb, acc, bar, done):
    i = lax.axis_index("c")
    plgpu.copy_gmem_to_smem(a.at[pl.ds(i * 128, 128)], sa, bar)
    plgpu.copy_gmem_to_smem(b.at[:, pl.ds(i * 32, 32)], sb, bar)
    plgpu.barrier_wait(bar)

    def both(everyone):
      plgpu.barrier_arrive(everyone)
      plgpu.barrier_wait(everyone)

    pl.run_scoped(both, plgpu.ClusterBarrier(collective_axes=("c",), orders_tensor_core=True))

    @pl.when(i == 0)
    def _():
      plgpu.tcgen05_mma(acc, sa, sb, accumulate=False, collective_axis="c")
      plgpu.tcgen05_commit_arrive(done, collective_axis="c")

    plgpu.barrier_wait(done)
    o[pl.ds(i * 128, 128)] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()

  scratch = [
      plgpu.SMEM((128, 64), jnp.float16), plgpu.SMEM((64, 32), jnp.float16), plgpu.TMEM((128, 64), jnp.float32, collective=True),
      plgpu.Barrier(num_arrivals=2), plgpu.Barrier(orders_tensor_core=True),
  ]
  return clustered(body, f32(256, 64), scratch)(halves(256, 64), halves(64, 64))


# pallas_call.


@wide(lambda: np.arange(48).reshape(6, 8) * 2)
def blocks_of_an_array():
  def body(x, o):
    o[...] = x[...] * 2

  spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
  return pl.pallas_call(body, grid=(3, 2), in_specs=[spec], out_specs=spec, out_shape=i32(6, 8), interpret=PARAMS)(numbers(6, 8))


@wide(lambda: np.arange(10) + 1)
def blocks_beyond_the_end():
  def body(x, o):
    o[...] = x[...] + 1

  spec = pl.BlockSpec((4,), lambda i: (i,))
  return pl.pallas_call(body, grid=(3,), in_specs=[spec], out_specs=spec, out_shape=i32(10), interpret=PARAMS)(numbers(10))


@wide(lambda: np.arange(24).reshape(3, 8).sum(1, keepdims=True) + np.arange(24).reshape(3, 8))
def squeezed_dimension():
  def body(x, o):
    o[...] = x[...] + jnp.sum(x[...])

  spec = pl.BlockSpec((None, 8), lambda i: (i, 0))
  return pl.pallas_call(body, grid=(3,), in_specs=[spec], out_specs=spec, out_shape=i32(3, 8), interpret=PARAMS)(numbers(3, 8))


@wide(lambda: np.arange(24).reshape(3, 8).sum(0))
def sequential_grid():
  """The blocks of the output are the same: each step adds to what the one before it left."""

  def body(x, o, total):
    i = pl.program_id(0)

    @pl.when(i == 0)
    def _():
      total[...] = jnp.zeros((8,), jnp.int32)

    total[...] = total[...] + x[...]
    o[...] = total[...]

  return pl.pallas_call(
      body, grid=(3,), in_specs=[pl.BlockSpec((None, 8), lambda i: (i, 0))], out_specs=pl.BlockSpec((8,), lambda i: (0,)),
      out_shape=i32(8), scratch_shapes=[plgpu.SMEM((8,), jnp.int32)],
      compiler_params=plgpu.CompilerParams(dimension_semantics=["sequential"]), interpret=PARAMS)(numbers(3, 8))


@wide(lambda: np.arange(24).reshape(3, 8)[[2, 0, 1]])
def scalar_prefetch():
  def body(order, x, o):
    o[...] = x[...] + 0 * order[0]

  spec = tpu_core.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((1, 8), lambda i, order: (order[i], 0))],
      out_specs=pl.BlockSpec((1, 8), lambda i, order: (i, 0)))
  return pl.pallas_call(body, grid_spec=spec, out_shape=i32(3, 8), interpret=PARAMS)(jnp.array([2, 0, 1], jnp.int32), numbers(3, 8))


@wide(lambda: [0, 1, 2, 0])
def dynamic_grid():
  def body(x, o):
    i = pl.program_id(0)
    o[i] = x[i] + i

  @jax.jit
  def call(n, x):
    gmem = pl.BlockSpec(memory_space=plgpu.GMEM)
    return pl.pallas_call(
        body, grid=(n,), in_specs=[gmem], out_specs=gmem, out_shape=i32(4), input_output_aliases={0: 0}, interpret=PARAMS)(x)

  return call(jnp.int32(3), jnp.zeros((4,), jnp.int32))


# Control flow and the rest.


@wide(lambda: [28, 28, 7 * 6 * 5 * 4 * 3 * 2])
def reversed_scan():
  def body(x, o):
    total, partial = lax.scan(lambda c, v: (c + v, c + v), jnp.int32(0), x[...], reverse=True)
    o[0] = total
    o[1] = partial[0]
    o[2] = lax.fori_loop(1, 8, lambda i, c: c * i, jnp.int32(1))

  return kernel(body, i32(3))(numbers(8))


@wide(lambda: np.sort(np.arange(8)[::-1])[::-1] ** 2)
def nested_calls():
  @jax.jit
  def squared(ref):
    return ref[...] ** 2

  def body(x, o):
    o[...] = squared(x)[::-1]

  return kernel(body, i32(8))(numbers(8))


@wide(lambda: np.arange(2), output="x is 3 in thread 0\n[0 1 2 3]\n")
def printing():
  def body(x, o):
    pl.debug_print("x is {} in thread {}", x[3], 0)
    pl.debug_print("{}", x[...])
    o[...] = x[pl.ds(0, 2)]

  return kernel(body, i32(2))(numbers(4))


@wide(error="the first element is 5 (`check` failed)")
def failing_check():
  def body(x, o):
    checkify.check(x[0] == 0, "the first element is {}", x[0])
    o[...] = x[...]

  return kernel(body, i32(4))(numbers(4) + 5)


@wide(lambda: [1, 0])
def testing_a_barrier():
  def body(o, bar):
    def warp(w):
      @pl.when(w == 0)
      def _():
        o[1] = plgpu.barrier_test(bar).astype(jnp.int32)
        plgpu.barrier_arrive(bar)
        plgpu.barrier_wait(bar)
        o[0] = jnp.int32(1)

    plgpu.warp_map(warp)

  return kernel(body, i32(2), [plgpu.Barrier()])()


# Several devices.


def sharded(fn, *shape, devices=2):
  mesh = jax.make_mesh((devices,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  spec = jax.sharding.PartitionSpec("d")
  call = jax.jit(jax.shard_map(fn, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
  return call(numbers(*shape))


@wide(lambda: [4, 5, 6, 7, 0, 1, 2, 3], devices=2)
def exchange_between_devices():
  def body(x, o):
    sem = pl.get_global(plgpu.SemaphoreType.REGULAR)
    other = 1 - lax.axis_index("d")
    plgpu.remote_ref(o, other)[...] = x[...]
    pl.semaphore_signal(sem, 1, device_id=other)
    pl.semaphore_wait(sem)

  return sharded(functools.partial(kernel(body, i32(4))), 8)


@wide(lambda: [4, 6, 8, 10] * 2, devices=2)
def sum_over_devices():
  def body(x, o):
    sem = pl.get_global(plgpu.SemaphoreType.REGULAR)
    plgpu.semaphore_signal_multicast(sem, 1, collective_axes="d")
    pl.semaphore_wait(sem, 2)
    o[...] = plgpu.multimem_load_reduce(x, collective_axes="d", reduction_op="add")
    plgpu.semaphore_signal_multicast(sem, 1, collective_axes="d")
    pl.semaphore_wait(sem, 2)

  return sharded(kernel(body, i32(4)), 8)


# Block-scaled and sparse products.


def _formatted(scales):
  """Scales (rows, columns) in the order in which the tensor core takes them."""
  rows, columns = scales.shape
  return scales.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4).reshape(rows // 128, columns // 4, 32, 16)


def _scales(rows, columns):
  return jnp.exp2((numbers(rows, columns) % 5 - 2).astype(jnp.float32)).astype(jnp.float8_e8m0fnu)


def _eighths(*shape):
  return (numbers(*shape) % 7 - 3).astype(jnp.float8_e4m3fn)


def _scaled_product():
  a, b = np.asarray(_eighths(128, 128), np.float32), np.asarray(_eighths(128, 128), np.float32)
  sa, sb = np.asarray(_scales(128, 4), np.float32), np.asarray(_scales(128, 4), np.float32)
  return (a * np.repeat(sa, 32, 1)) @ (b * np.repeat(sb, 32, 1).T)


@wide(_scaled_product)
def block_scaled_mma():
  def body(a, b, sa, sb, o, a_smem, b_smem, sa_smem, sb_smem, sa_tmem, sb_tmem, acc, bar, done):
    for src, dst in ((a, a_smem), (b, b_smem), (sa, sa_smem), (sb, sb_smem)):
      plgpu.copy_gmem_to_smem(src, dst, bar)
    plgpu.barrier_wait(bar)
    plgpu.async_copy_scales_to_tmem(sa_smem, sa_tmem)
    plgpu.async_copy_scales_to_tmem(sb_smem, sb_tmem)
    plgpu.tcgen05_mma(acc, a_smem, b_smem, a_scale=sa_tmem, b_scale=sb_tmem, accumulate=False)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()

  scale = jnp.float8_e8m0fnu
  scratch = [
      plgpu.SMEM((128, 128), jnp.float8_e4m3fn), plgpu.SMEM((128, 128), jnp.float8_e4m3fn),
      plgpu.SMEM((1, 1, 32, 16), scale), plgpu.SMEM((1, 1, 32, 16), scale),
      plgpu.TMEM((128, 4), scale, layout=plgpu.TMEMLayout.SCALES_LAYOUT), plgpu.TMEM((128, 4), scale, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
      plgpu.TMEM((128, 128), jnp.float32), plgpu.Barrier(num_arrivals=4), plgpu.Barrier(orders_tensor_core=True),
  ]
  return kernel(body, f32(128, 128), scratch)(
      _eighths(128, 128), _eighths(128, 128), _formatted(_scales(128, 4)), _formatted(_scales(128, 4)))


def _places():
  """Which two of each four elements a row has."""
  first = np.arange(128 * 32).reshape(128, 32) % 3
  return np.stack([first, first + 1], -1).astype(np.int32)


def _sparse_product():
  a, b = np.asarray(halves(128, 64), np.float32), np.asarray(halves(128, 64), np.float32)
  dense = np.zeros((128, 32, 4), np.float32)
  np.put_along_axis(dense, _places(), a.reshape(128, 32, 2), -1)
  return dense.reshape(128, 128) @ b


@wide(_sparse_product)
def sparse_mma():
  def body(a, b, meta, o, a_smem, b_smem, meta_smem, meta_tmem, acc, bar, done):
    for src, dst in ((a, a_smem), (b, b_smem), (meta, meta_smem)):
      plgpu.copy_gmem_to_smem(src, dst, bar)
    plgpu.barrier_wait(bar)
    plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta_tmem)
    plgpu.tcgen05_mma(acc, a_smem, b_smem, a_sparse_metadata=meta_tmem, accumulate=False)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()

  meta = plgpu.format_tcgen05_sparse_metadata(jnp.asarray(_places(), jnp.uint2), jnp.float16)
  scratch = [
      plgpu.SMEM((128, 64), jnp.float16), plgpu.SMEM((128, 64), jnp.float16), plgpu.SMEM(meta.shape, jnp.uint2),
      plgpu.TMEM((128, 64), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT), plgpu.TMEM((128, 64), jnp.float32),
      plgpu.Barrier(num_arrivals=3), plgpu.Barrier(orders_tensor_core=True),
  ]
  return kernel(body, f32(128, 64), scratch)(halves(128, 64), halves(128, 64), meta)


# Batches.


@wide(lambda: np.arange(24).reshape(3, 8) * 2)
def batched_kernel():
  def body(x, o):
    o[...] = x[...] * 2

  return jax.vmap(kernel(body, i32(8)))(numbers(3, 8))
