"""A producer and a consumer thread that share one buffer in shared memory.

The producer doubles a row and stores it, the consumer adds 1 and writes it out. Two barriers say
that the buffer is filled (`produced`) and that it may be filled again (`consumed`).
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROUNDS, WIDTH = 4, 256

VARIANTS = {
    "fixed": "",
    "arrives_early": "the producer arrives before it stores",
    "released_early": "the consumer releases the buffer before it reads it",
    "deadlock": "`produced` counts both threads, but the consumer only waits",
}


def body(variant, x_ref, o_ref, buffer, produced, consumed):
  thread = lax.axis_index("wg")

  @pl.when(thread == 0)
  def producer():
    def step(k, _):
      row = 2.0 * x_ref[k]

      @pl.when(k > 0)
      def _():
        plgpu.barrier_wait(consumed)  # deadlock: deadlock

      if variant == "arrives_early":
        plgpu.barrier_arrive(produced)
      buffer[...] = row  # data-race: arrives_early, released_early
      if variant != "arrives_early":
        plgpu.barrier_arrive(produced)

    lax.fori_loop(0, ROUNDS, step, None)
    plgpu.barrier_wait(consumed)

  @pl.when(thread == 1)
  def consumer():
    def step(k, _):
      plgpu.barrier_wait(produced)  # deadlock: deadlock
      if variant == "released_early":
        plgpu.barrier_arrive(consumed)
      row = buffer[...]  # data-race: arrives_early, released_early
      if variant != "released_early":
        plgpu.barrier_arrive(consumed)
      o_ref[k] = row + 1.0

    lax.fori_loop(0, ROUNDS, step, None)


def inputs():
  return np.arange(ROUNDS * WIDTH, dtype=np.float32).reshape(ROUNDS, WIDTH)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((ROUNDS, WIDTH), jnp.float32),
      scratch_types=dict(
          buffer=plgpu.SMEM((WIDTH,), jnp.float32),
          produced=plgpu.Barrier(num_arrivals=2 if variant == "deadlock" else 1),
          consumed=plgpu.Barrier(),
      ),
      num_threads=2,
      thread_name="wg",
      interpret=interpret,
  )
  return kernel(inputs())


def expected():
  return 2 * inputs() + 1
