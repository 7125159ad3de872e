"""Forward attention on Hopper: softmax(q k^T) v, with the softmax computed online.

A memory thread loads blocks of k and v into rings, a compute thread multiplies with wgmma. It
keeps the greatest score and the sum of each row, and rescales what it has when these change. The
probabilities are multiplied from registers.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

QUERIES, KEYS, DEPTH = 64, 256, 64
BLOCK, SLOTS = 64, 2
STEPS = KEYS // BLOCK

VARIANTS = {
    "fixed": "",
    "wrong_barrier": "the block of v is read after a wait for the block of k only",
    "scores_early": "the scores are read while the wgmma that computes them is in flight",
    "released_early": "the block of v is released before the wgmma that reads it has ended",
    "missing_q_wait": "nobody waits for the copy of q",
}


def body(variant, q_ref, k_ref, v_ref, o_ref, q_tile, k_ring, v_ring, q_loaded, k_loaded, v_loaded, k_released, v_released):
  thread = lax.axis_index("wg")

  @pl.when(thread == 0)
  def compute():
    plgpu.set_max_registers(232, action="increase")
    plgpu.copy_gmem_to_smem(q_ref, q_tile, q_loaded)  # data-race: missing_q_wait
    if variant != "missing_q_wait":
      plgpu.barrier_wait(q_loaded)

    def step(j, carry):
      out, greatest, total = carry
      slot = lax.rem(j, SLOTS)

      def scores(acc):
        plgpu.wgmma(acc, q_tile, k_ring.at[slot].transpose((1, 0)))  # async-misuse info: scores_early; data-race: scores_early, missing_q_wait
        return plgpu.wgmma_accumulator_load(acc, wait_n=None if variant == "scores_early" else 0)  # data-race: scores_early

      plgpu.barrier_wait(k_loaded.at[slot])
      s = pl.run_scoped(scores, plgpu.ACC((QUERIES, BLOCK), jnp.float32))  # async-misuse info: scores_early
      plgpu.barrier_arrive(k_released.at[slot])

      new = jnp.maximum(greatest, s.max(axis=1))
      scale = jnp.exp(greatest - new)
      p = jnp.exp(s - lax.broadcast_in_dim(new, s.shape, [0]))
      total = total * scale + p.sum(axis=1)
      out *= lax.broadcast_in_dim(scale, out.shape, [0])

      def weighted(acc):
        plgpu.wgmma(acc, p.astype(jnp.float16), v_ring.at[slot])  # data-race: wrong_barrier, released_early
        if variant == "released_early":
          plgpu.barrier_arrive(v_released.at[slot])
        plgpu.wgmma_wait(0)

      if variant != "wrong_barrier":
        plgpu.barrier_wait(v_loaded.at[slot])
      out = pl.run_state(weighted)(plgpu.ACC.init(out))
      if variant == "wrong_barrier":
        plgpu.barrier_wait(v_loaded.at[slot])
      if variant != "released_early":
        plgpu.barrier_arrive(v_released.at[slot])
      return out, new, total

    out = plgpu.layout_cast(jnp.zeros((QUERIES, DEPTH), jnp.float32), plgpu.Layout.WGMMA)
    greatest = plgpu.layout_cast(jnp.full((QUERIES,), -1e30, jnp.float32), plgpu.Layout.WGMMA.reduce(1))
    total = plgpu.layout_cast(jnp.zeros((QUERIES,), jnp.float32), plgpu.Layout.WGMMA.reduce(1))
    out, _, total = lax.fori_loop(0, STEPS, step, (out, greatest, total))

    out /= lax.broadcast_in_dim(total, out.shape, [0])
    # Nobody needs q any more.
    q_tile[...] = out.astype(jnp.float16)  # data-race: missing_q_wait
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(q_tile, o_ref)
    plgpu.wait_smem_to_gmem(0)

  @pl.when(thread == 1)
  def memory():
    plgpu.set_max_registers(40, action="decrease")

    def step(j, _):
      slot = lax.rem(j, SLOTS)
      keys = pl.ds(j * BLOCK, BLOCK)

      @pl.when(j >= SLOTS)
      def _():
        plgpu.barrier_wait(k_released.at[slot])

      plgpu.copy_gmem_to_smem(k_ref.at[keys, :], k_ring.at[slot], k_loaded.at[slot])  # data-race: scores_early

      @pl.when(j >= SLOTS)
      def _():
        plgpu.barrier_wait(v_released.at[slot])

      plgpu.copy_gmem_to_smem(v_ref.at[keys, :], v_ring.at[slot], v_loaded.at[slot])  # data-race: wrong_barrier, released_early

    lax.fori_loop(0, STEPS, step, None)
    for j in range(STEPS, STEPS + SLOTS):
      plgpu.barrier_wait(k_released.at[j % SLOTS])
      plgpu.barrier_wait(v_released.at[j % SLOTS])


def inputs():
  rng = np.random.default_rng(4)
  shapes = [(QUERIES, DEPTH), (KEYS, DEPTH), (KEYS, DEPTH)]
  return tuple((rng.integers(-8, 9, shape) / 16).astype(np.float16) for shape in shapes)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((QUERIES, DEPTH), jnp.float16),
      scratch_types=dict(
          q_tile=plgpu.SMEM((QUERIES, DEPTH), jnp.float16, transforms=transforms),
          k_ring=plgpu.SMEM((SLOTS, BLOCK, DEPTH), jnp.float16, transforms=transforms),
          v_ring=plgpu.SMEM((SLOTS, BLOCK, DEPTH), jnp.float16, transforms=transforms),
          q_loaded=plgpu.Barrier(),
          k_loaded=plgpu.Barrier(num_barriers=SLOTS),
          v_loaded=plgpu.Barrier(num_barriers=SLOTS),
          k_released=plgpu.Barrier(num_barriers=SLOTS),
          v_released=plgpu.Barrier(num_barriers=SLOTS),
      ),
      num_threads=2,
      thread_name="wg",
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  q, k, v = (x.astype(np.float32) for x in inputs())
  scores = q @ k.T
  p = np.exp(scores - scores.max(axis=1, keepdims=True))
  return (p / p.sum(axis=1, keepdims=True)) @ v
