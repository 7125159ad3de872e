"""Kernels of the simple kind: threads, barriers, copies between global and shared memory."""

import jax
import jax.numpy as jnp
from cases import PARAMS, Cases, array, i32, kernel, numbers
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()


@CASES.add()
def add():
  def body(x, y, o):
    o[...] = x[...] + 2.0 * y[...]

  x = numbers(8, dtype=jnp.float32)
  return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=PARAMS)(x, x)


@CASES.add()
def arithmetic():
  def body(x, o, n):
    v = x[...]
    f = v.astype(jnp.float32)
    o[0, :] = jnp.where(v % 3 == 0, f, -f)
    o[1, :] = jnp.maximum(f, 4.0) * f**2 / (f + 1.0)
    o[2, :] = lax.broadcasted_iota(jnp.float32, (8,), 0) - jnp.sum(f)
    o[3, :] = jnp.clip(f, 2.0, 5.0).astype(jnp.bfloat16).astype(jnp.float32)
    n[...] = (v << 2) ^ (v // 3)

  out = [jax.ShapeDtypeStruct((4, 8), jnp.float32), i32(8)]
  return kernel(body, out)(numbers(8))


@CASES.add()
def matmul():
  def body(a, b, o):
    o[...] = a[...] @ b[...]

  a = numbers(16, 16, dtype=jnp.float32)
  return kernel(body, jax.ShapeDtypeStruct((16, 16), jnp.float32))(a, a.T)


@CASES.add()
def loops():
  def body(x, o):
    def step(i, acc):
      return acc + x[i]

    total = lax.fori_loop(0, 8, step, jnp.int32(0))
    o[0] = total
    o[1] = lax.while_loop(lambda v: v < 100, lambda v: v * 2, total)
    o[2] = lax.cond(total > 20, lambda: jnp.int32(7), lambda: jnp.int32(9))

  return kernel(body, i32(3))(numbers(8))


@CASES.add()
def grid():
  def body(x, o):
    i, j = lax.axis_index("i"), lax.axis_index("j")
    tile = pl.ds(j * 4, 4)
    o[i, tile] = x[i, tile] * 10 + i

  return kernel(body, i32(3, 8), grid=(3, 2), grid_names=("i", "j"))(numbers(3, 8))


@CASES.add()
def copy_in():
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x, smem, bar)
    plgpu.barrier_wait(bar)
    o[...] = smem[...] + 1

  return kernel(body, i32(4, 8), [plgpu.SMEM((4, 8), jnp.int32), plgpu.Barrier(num_arrivals=1)])(numbers(4, 8))


@CASES.add(finds="data-race")
def copy_in_without_wait():
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x, smem, bar)
    o[...] = smem[...] + 1
    plgpu.barrier_wait(bar)

  return kernel(body, i32(4, 8), [plgpu.SMEM((4, 8), jnp.int32), plgpu.Barrier(num_arrivals=1)])(numbers(4, 8))


def _write_then_copy_in(fence):
  def body(x, o, smem, bar):
    smem[...] = jnp.zeros((8,), jnp.int32)
    if fence:
      plgpu.commit_smem()
    plgpu.copy_gmem_to_smem(x, smem, bar)
    plgpu.barrier_wait(bar)
    o[...] = smem[...]

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=1)])(numbers(8))


@CASES.add()
def write_then_copy_in():
  return _write_then_copy_in(True)


@CASES.add(finds="data-race")
def write_then_copy_in_without_fence():
  return _write_then_copy_in(False)


def _copy_out(fence=True, wait=0, read_only=False, again=False):
  def body(x, o, smem):
    smem[...] = x[...] * 2
    if fence:
      plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, o)
    if wait is not None:
      plgpu.wait_smem_to_gmem(wait, wait_read_only=read_only)
    if again:
      o[0] = o[0] + 1

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32)])(numbers(8))


@CASES.add()
def copy_out():
  return _copy_out()


@CASES.add()
def copy_out_read_only():
  return _copy_out(read_only=True)


@CASES.add(finds="data-race")
def copy_out_without_fence():
  return _copy_out(fence=False)


@CASES.add(finds="data-race")
def copy_out_read_only_then_read():
  return _copy_out(read_only=True, again=True)


@CASES.add(error="Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread")
def copy_out_without_wait():
  return _copy_out(wait=None)


@CASES.add(finds="data-race")
def two_threads_one_element():
  def body(o):
    o[...] = lax.axis_index("wg")

  return kernel(body, i32(), threads=2)()


@CASES.add()
def threads_own_elements():
  def body(o):
    i = lax.axis_index("wg")
    o[i] = i * i

  return kernel(body, i32(4), threads=4)()


def _producer_consumer(wait):
  def body(x, o, smem, bar):
    i = lax.axis_index("wg")

    @pl.when(i == 0)
    def _():
      smem[...] = x[...] + 1
      plgpu.barrier_arrive(bar)

    @pl.when(i == 1)
    def _():
      if wait:
        plgpu.barrier_wait(bar)
      o[...] = smem[...]

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=1)], threads=2)(numbers(8))


@CASES.add()
def producer_consumer():
  return _producer_consumer(True)


@CASES.add(finds="data-race")
def producer_consumer_without_wait():
  return _producer_consumer(False)


@CASES.add()
def ring():
  """Two slots, a barrier for full and one for empty each."""

  def body(x, o, smem, full, empty):
    i = lax.axis_index("wg")

    @pl.when(i == 0)
    def _():
      def produce(k, _):
        slot = k % 2

        @pl.when(k >= 2)
        def _():
          plgpu.barrier_wait(empty.at[slot])

        plgpu.copy_gmem_to_smem(x.at[k], smem.at[slot], full.at[slot])
        return 0

      lax.fori_loop(0, 8, produce, 0)
      plgpu.barrier_wait(empty.at[0])
      plgpu.barrier_wait(empty.at[1])

    @pl.when(i == 1)
    def _():
      def consume(k, _):
        slot = k % 2
        plgpu.barrier_wait(full.at[slot])
        o[k] = smem[slot] * 3
        plgpu.commit_smem()
        plgpu.barrier_arrive(empty.at[slot])
        return 0

      lax.fori_loop(0, 8, consume, 0)

  scratch = [plgpu.SMEM((2, 16), jnp.int32), plgpu.Barrier(num_arrivals=1, num_barriers=2), plgpu.Barrier(num_arrivals=1, num_barriers=2)]
  return kernel(body, i32(8, 16), scratch, threads=2)(numbers(8, 16))


@CASES.add(error="deadlock", jax="hangs")
def deadlock():
  def body(o, bar):
    i = lax.axis_index("wg")

    @pl.when(i == 0)
    def _():
      plgpu.barrier_arrive(bar)

    plgpu.barrier_wait(bar)
    o[i] = i

  return kernel(body, i32(2), [plgpu.Barrier(num_arrivals=2)], threads=2)()


@CASES.add(error="Barrier completed phase 1, but no threads observed phase 0")
def barrier_twice():
  def body(o, bar):
    plgpu.barrier_arrive(bar)
    plgpu.barrier_arrive(bar)
    o[...] = jnp.int32(0)

  return kernel(body, i32(), [plgpu.Barrier(num_arrivals=1)])()


@CASES.add(error="Scoped allocation must have the thread axis in its collective axes.")
def scope_without_thread_axis():
  def body(o):
    def scoped(smem):
      smem[...] = jnp.int32(1)

    pl.run_scoped(scoped, plgpu.SMEM((), jnp.int32))
    o[lax.axis_index("wg")] = jnp.int32(0)

  return kernel(body, i32(2), threads=2)()


@CASES.add(finds="data-race", jax="silent")
def blocks_race():
  """M4: block 1 reads early what block 0 writes late; nothing orders blocks."""

  def body(o, z):
    i = lax.axis_index("i")

    @pl.when(i == 0)
    def _():
      z[0] = z[1] + z[2]
      o[0] = jnp.int32(5)

    @pl.when(i == 1)
    def _():
      o[1] = o[0]

  return kernel(body, [i32(2), i32(3)], grid=(2,), grid_names=("i",))()


@CASES.add()
def core_map():
  mesh = plgpu.Mesh(num_threads=4, thread_name="t")

  @jax.jit
  def call():
    def stateful(ref):
      @pl.core_map(mesh, interpret=PARAMS)
      def _():
        i = lax.axis_index("t")
        ref[i] = i + 10

    return pl.run_state(stateful)(jnp.zeros((4,), jnp.int32))

  return call()


@CASES.add()
def tiled_and_swizzled():
  transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))

  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x, smem, bar)
    plgpu.barrier_wait(bar)
    o[...] = smem[...] * 2

  smem = plgpu.SMEM((64, 64), jnp.float32, transforms=transforms)
  return kernel(body, jax.ShapeDtypeStruct((64, 64), jnp.float32), [smem, plgpu.Barrier(num_arrivals=1)])(numbers(64, 64, dtype=jnp.float32))


@CASES.add(finds="data-race")
def collective_scratch_race():
  def body(o):
    def scoped(s):
      s[...] = lax.axis_index("wg")
      o[lax.axis_index("wg")] = jnp.int32(0)

    pl.run_scoped(scoped, plgpu.GMEM((), jnp.int32), collective_axes="wg")

  return kernel(body, i32(2), threads=2)()


@CASES.add(error="Attempting to operate on barrier without indexing, but `num_barriers = 2`")
def barrier_array_without_index():
  def body(o, bar):
    plgpu.barrier_arrive(bar)
    o[...] = jnp.int32(0)

  return kernel(body, i32(), [plgpu.Barrier(num_arrivals=1, num_barriers=2)])()


@CASES.add(error="Out-of-bounds read of")
def out_of_bounds_read():
  def body(x, o):
    i = x[0] + 8
    o[0] = x[i]

  return kernel(body, i32(1))(numbers(8))


@CASES.add(error="for the first time, but barrier is already at phase 2. Any thread that participates in the barrier must do so in all phases.")
def first_wait_too_late():
  def body(o, bar, other):
    i = lax.axis_index("wg")

    @pl.when(i == 0)
    def _():
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
      plgpu.barrier_arrive(other)

    @pl.when(i == 1)
    def _():
      plgpu.barrier_wait(other)
      plgpu.barrier_wait(bar)

    o[i] = i

  return kernel(body, i32(2), [plgpu.Barrier(num_arrivals=1), plgpu.Barrier(num_arrivals=1)], threads=2)()


@CASES.add()
def many_arrivals():
  def body(o, smem, bar):
    i = lax.axis_index("wg")
    smem[i] = i * 2
    plgpu.barrier_arrive(bar)
    plgpu.barrier_wait(bar)
    o[i] = smem[(i + 1) % 16]

  return kernel(body, i32(16), [plgpu.SMEM((16,), jnp.int32), plgpu.Barrier(num_arrivals=16)], threads=16)()


@CASES.add(finds="data-race")
def two_copies_into_one_tile():
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x.at[0], smem, bar)
    plgpu.copy_gmem_to_smem(x.at[1], smem, bar)
    plgpu.barrier_wait(bar)
    o[...] = smem[...]

  return kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=2)])(numbers(2, 8))


@CASES.add()
def grid_of_copies():
  def body(x, o, smem, bar):
    i = lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x.at[i], smem, bar)
    plgpu.barrier_wait(bar)
    smem[...] = smem[...] * 2
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, o.at[i])
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, i32(4, 8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=1)], grid=(4,), grid_names=("i",))(numbers(4, 8))
