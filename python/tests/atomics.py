"""Atomics, semaphores and masks."""

import jax
import jax.numpy as jnp
import numpy as np
from cases import PARAMS, Cases, i32, kernel, numbers, smem, when
from jax import lax
from jax._src.pallas import primitives
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()


def over_blocks(body, x, start, blocks, scratch=()):
  """Runs a body over blocks that all change one array, and returns it."""

  def call(refs):
    x, o = refs

    @pl.core_map(plgpu.Mesh(grid=(blocks,), grid_names=("i",)), interpret=PARAMS)
    def _():
      if scratch:
        pl.run_scoped(lambda *refs: body(x, o, *refs), *scratch)
      else:
        body(x, o)

  return pl.run_state(call)((x, start))[1]


_VALUES = numbers(3, 8) * 5 % 13

for _name, _dtype, _start, _want in [
    ("add", jnp.int32, 1, lambda: 1 + _VALUES.sum(0)),
    ("add", jnp.float32, 1, lambda: 1 + _VALUES.sum(0)),
    ("max", jnp.int32, 3, lambda: np.maximum(3, _VALUES.max(0))),
    ("min", jnp.int32, 9, lambda: np.minimum(9, _VALUES.min(0))),
    ("and", jnp.uint32, 15, lambda: 15 & _VALUES[0] & _VALUES[1] & _VALUES[2]),
    ("or", jnp.uint32, 16, lambda: 16 | _VALUES[0] | _VALUES[1] | _VALUES[2]),
    ("xor", jnp.uint32, 5, lambda: 5 ^ _VALUES[0] ^ _VALUES[1] ^ _VALUES[2]),
]:

  def _atomic(name=_name, dtype=_dtype, start=_start):
    def body(x, o):
      getattr(plgpu, f"atomic_{name}")(o, x[lax.axis_index("i")], optimized=False)

    return over_blocks(body, _VALUES.astype(dtype), np.full(8, start, dtype), 3)

  CASES.add(f"atomic_{_name}_{jnp.dtype(_dtype).name}", expect=_want, jax="error: Invalid shape for `swap`")(_atomic)


# Semaphores.


def _ring(right):
  """Two threads hand one slot to and fro with two semaphores."""

  def body(x, o, slot):
    wg = lax.axis_index("wg")

    def scoped(full, empty):
      @when(wg == 0)
      def _():
        for k in range(3):
          slot[...] = x[k]
          pl.semaphore_signal(full)
          if right:
            pl.semaphore_wait(empty)

      @when(wg == 1)
      def _():
        for k in range(3):
          pl.semaphore_wait(full)
          o[k] = slot[...] * 2
          pl.semaphore_signal(empty)

    pl.run_scoped(scoped, plgpu.SemaphoreType.REGULAR, plgpu.SemaphoreType.REGULAR, collective_axes="wg")

  return kernel(body, i32(3), [smem()], threads=2)(numbers(3))


CASES.add("semaphores_hand_a_slot_to_and_fro", expect=lambda: 2 * numbers(3), jax="error: nan + semaphore")(lambda: _ring(True))
CASES.add("semaphore_that_says_empty_is_not_waited_for", finds="data-race", about="slot", jax="error: nan + semaphore")(lambda: _ring(False))


@CASES.add(expect=lambda: np.array([3, 5, 1]), jax="error: nan + semaphore")
def semaphore_read_and_wait_without_decrement():
  def body(o):
    def scoped(sem):
      pl.semaphore_signal(sem, 3)
      o[0] = pl.semaphore_read(sem)
      plgpu.semaphore_wait(sem, 2, decrement=False)
      pl.semaphore_signal(sem, 2)
      o[1] = pl.semaphore_read(sem)
      pl.semaphore_wait(sem, 4)
      o[2] = pl.semaphore_read(sem)
      pl.semaphore_wait(sem, 1)

    pl.run_scoped(scoped, plgpu.SemaphoreType.REGULAR)

  return kernel(body, i32(3))()


@CASES.pair(finds="data-race", about="o", jax="error: No ir_type_handler", right={"jax": "error: No ir_type_handler", "expect": lambda: np.array([5, 10])})
def global_semaphore_between_blocks(right):
  def body(x, o):
    i = lax.axis_index("i")
    sem = pl.get_global(plgpu.SemaphoreType.REGULAR)

    @when(i == 0)
    def _():
      o[0] = x[0]
      plgpu.semaphore_signal(sem, memory_scope="gpu")

    @when(i == 1)
    def _():
      if right:
        plgpu.semaphore_wait(sem, memory_scope="gpu")
      o[1] = 2 * o[0]
      if not right:
        plgpu.semaphore_wait(sem, memory_scope="gpu")

  return kernel(body, i32(2), grid=(2,), grid_names=("i",))(numbers(1) + 5)


@CASES.add(error="deadlock", jax="error: nan + semaphore")
def semaphore_deadlock():
  def body(o):
    def scoped(sem):
      pl.semaphore_signal(sem, 1)
      pl.semaphore_wait(sem, 2)
      o[...] = jnp.int32(0)

    pl.run_scoped(scoped, plgpu.SemaphoreType.REGULAR)

  return kernel(body, i32())()


@CASES.add(expect=lambda: np.array([4, 7]), jax="error: nan + semaphore")
def semaphores_signalled_in_parallel():
  def body(o):
    def scoped(sems):
      plgpu.semaphore_signal_parallel(
          plgpu.SemaphoreSignal(sems.at[0], device_id=None, inc=4), plgpu.SemaphoreSignal(sems.at[1], device_id=None, inc=7))
      for i in range(2):
        o[i] = pl.semaphore_read(sems.at[i])
        pl.semaphore_wait(sems.at[i], 4 + 3 * i)

    pl.run_scoped(scoped, plgpu.SemaphoreType.REGULAR((2,)))

  return kernel(body, i32(2))()


# Masks.


@CASES.add(expect=lambda: np.array([0, -1, 2, -1, 4, -1, 6, -1]), jax="error: load_p is not supported on GPU yet")
def masked_load():
  def body(x, o):
    mask = lax.broadcasted_iota(jnp.int32, (8,), 0) % 2 == 0
    o[...] = primitives.load(x, (slice(None),), mask=mask, other=-jnp.ones(8, jnp.int32))

  return kernel(body, i32(8))(numbers(8))


@CASES.add(expect=lambda: np.array([0, 9, 2, 9, 4, 9, 6, 9]), jax="error: swap_p is not supported on GPU yet")
def masked_store():
  def body(x, o):
    o[...] = x[...]
    mask = lax.broadcasted_iota(jnp.int32, (8,), 0) % 2 == 1
    primitives.store(o, (slice(None),), jnp.full(8, 9, jnp.int32), mask=mask)

  return kernel(body, i32(8))(numbers(8))


@CASES.add(expect=lambda: [np.array([0, 9, 2, 9, 4, 9, 6, 9]), numbers(8)], jax="error: swap_p is not supported on GPU yet")
def masked_swap():
  def body(x, o, old):
    o[...] = x[...]
    mask = lax.broadcasted_iota(jnp.int32, (8,), 0) % 2 == 1
    got = primitives.swap(o, (slice(None),), jnp.full(8, 9, jnp.int32), mask=mask)
    old[...] = jnp.where(mask, got, x[...])

  return kernel(body, [i32(8), i32(8)])(numbers(8))


@CASES.add(expect=lambda: np.array([0, 1, 2, 3, 4, -1, -1, -1]), jax="error: load_p is not supported on GPU yet")
def masked_load_over_the_edge():
  """What the mask leaves out may lie outside."""

  def body(x, o):
    mask = lax.broadcasted_iota(jnp.int32, (8,), 0) < 5
    o[...] = primitives.load(x, (pl.ds(x[0], 8),), mask=mask, other=-jnp.ones(8, jnp.int32))

  return kernel(body, i32(8))(numbers(5))


@CASES.add(expect=lambda: numbers(8) + 3, jax="error: `addupdate` must be called on")
def addupdate():
  def body(x, o):
    o[...] = x[...]
    jax.ref.addupdate(o, ..., jnp.full(8, 3, jnp.int32))

  return kernel(body, i32(8))(numbers(8))

