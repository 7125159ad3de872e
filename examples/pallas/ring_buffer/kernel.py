"""A ring of buffers between a thread that loads with the TMA and one that computes.

Each slot has a barrier that says that its copy has landed (`loaded`) and one that says that the
slot may be filled again (`released`). The ring goes round several times.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SLOTS, STEPS, WIDTH = 3, 12, 256

VARIANTS = {
    "fixed": "",
    "wrong_slot": "the consumer reads the slot after the one that it has waited for",
    "off_by_one": "the first refill does not wait (`k > SLOTS` in place of `k >= SLOTS`)",
    "released_early": "the consumer releases a slot before it reads it",
    "deadlock": "the producer waits for a release in the first round too",
}


def body(variant, x_ref, o_ref, ring, result, loaded, released):
  thread = lax.axis_index("wg")
  first_wait = {"off_by_one": SLOTS + 1, "deadlock": 0}.get(variant, SLOTS)

  @pl.when(thread == 0)
  def load():
    def step(k, _):
      slot = lax.rem(k, SLOTS)

      @pl.when(k >= first_wait)
      def _():
        plgpu.barrier_wait(released.at[slot])  # deadlock: deadlock

      plgpu.copy_gmem_to_smem(x_ref.at[k], ring.at[slot], loaded.at[slot])  # barrier-misuse: off_by_one; data-race: wrong_slot, off_by_one, released_early

    lax.fori_loop(0, STEPS, step, None)
    for k in range(STEPS, STEPS + SLOTS):
      plgpu.barrier_wait(released.at[k % SLOTS])

  @pl.when(thread == 1)
  def compute():
    def step(k, total):
      slot = lax.rem(k, SLOTS)
      plgpu.barrier_wait(loaded.at[slot])  # deadlock: deadlock
      if variant == "released_early":
        plgpu.barrier_arrive(released.at[slot])
      read = lax.rem(k + 1, SLOTS) if variant == "wrong_slot" else slot
      total += ring[read]  # data-race: wrong_slot, released_early
      if variant != "released_early":
        plgpu.commit_smem()  # the reads come before the next copy's writes
        plgpu.barrier_arrive(released.at[slot])
      return total

    zero = plgpu.layout_cast(jnp.zeros((WIDTH,), jnp.float32), plgpu.Layout.WG_STRIDED((WIDTH,), vec_size=2))
    result[...] = lax.fori_loop(0, STEPS, step, zero)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(result, o_ref)
    plgpu.wait_smem_to_gmem(0)


def inputs():
  return np.arange(STEPS * WIDTH, dtype=np.float32).reshape(STEPS, WIDTH)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((WIDTH,), jnp.float32),
      scratch_types=dict(
          ring=plgpu.SMEM((SLOTS, WIDTH), jnp.float32),
          result=plgpu.SMEM((WIDTH,), jnp.float32),
          loaded=plgpu.Barrier(num_barriers=SLOTS),
          released=plgpu.Barrier(num_barriers=SLOTS),
      ),
      num_threads=2,
      thread_name="wg",
      interpret=interpret,
  )
  return kernel(inputs())


def expected():
  return inputs().sum(axis=0)
