"""A matrix product on Hopper: the TMA loads tiles some steps ahead, wgmma multiplies them.

One thread does both. A slot is filled again when the wgmma that reads it has ended, which is one
step after it was issued: `wgmma_wait(1)` leaves only the last one in flight.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K = 64, 64, 256
TILE_K, SLOTS = 64, 2
STEPS = K // TILE_K

VARIANTS = {
    "fixed": "",
    "waits_late": "the wait for the tiles comes after the wgmma that reads them",
    "refilled_early": "a slot is filled again while the wgmma of the same step reads it",
    "read_early": "the accumulator is read while the last wgmma is in flight",
    "missing_commit": "no `commit_smem` between storing the result and copying it out",
}


def body(variant, a_ref, b_ref, c_ref, a_tiles, b_tiles, c_tile, loaded):
  def load(k, slot):
    columns = pl.ds(k * TILE_K, TILE_K)
    plgpu.copy_gmem_to_smem(a_ref.at[:, columns], a_tiles.at[slot], loaded.at[slot])  # data-race: waits_late, refilled_early
    plgpu.copy_gmem_to_smem(b_ref.at[columns, :], b_tiles.at[slot], loaded.at[slot])  # data-race: waits_late, refilled_early

  for k in range(SLOTS):
    load(k, k)

  def multiply(acc):
    def step(k, _):
      slot = lax.rem(k, SLOTS)
      if variant != "waits_late":
        plgpu.barrier_wait(loaded.at[slot])
      plgpu.wgmma(acc, a_tiles.at[slot], b_tiles.at[slot])  # async-misuse: read_early; data-race: waits_late, refilled_early, read_early
      if variant == "waits_late":
        plgpu.barrier_wait(loaded.at[slot])
      plgpu.wgmma_wait(1)
      # Now the wgmma of step k-1 has ended: its slot may be filled with the tiles of step k-1+SLOTS.
      ended = k if variant == "refilled_early" else k - 1

      @pl.when((ended >= 0) & (ended + SLOTS < STEPS))
      def _():
        load(ended + SLOTS, lax.rem(ended, SLOTS))

    lax.fori_loop(0, STEPS, step, None)
    return plgpu.wgmma_accumulator_load(acc, wait_n=None if variant == "read_early" else 0)  # data-race: read_early

  c_tile[...] = pl.run_scoped(multiply, plgpu.ACC((M, N), jnp.float32)).astype(jnp.float16)  # async-misuse: read_early; data-race: missing_commit
  if variant != "missing_commit":
    plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(c_tile, c_ref)  # data-race: missing_commit
  plgpu.wait_smem_to_gmem(0)


def inputs():
  rng = np.random.default_rng(1)
  return tuple(rng.integers(-2, 3, shape).astype(np.float16) for shape in [(M, K), (K, N)])


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
      scratch_types=dict(
          a_tiles=plgpu.SMEM((SLOTS, M, TILE_K), jnp.float16, transforms=transforms),
          b_tiles=plgpu.SMEM((SLOTS, TILE_K, N), jnp.float16, transforms=transforms),
          c_tile=plgpu.SMEM((M, N), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
      ),
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  a, b = inputs()
  return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
