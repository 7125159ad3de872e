"""A matrix product on Blackwell: one warp loads tiles, one issues tcgen05.mma into TMEM.

`tcgen05_commit_arrive` makes a barrier complete when the products issued so far have ended: one
for each slot of the ring, so that the loading warp may fill it again, and one for the result,
which the whole warpgroup then loads from TMEM.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ARCH = "sm_100"

M, N, K = 128, 64, 256
TILE_K, SLOTS = 64, 2
STEPS = K // TILE_K

VARIANTS = {
    "fixed": "",
    "read_early": "the result is loaded without a wait for the products",
    "committed_early": "the commit for the result comes before the last product",
    "released_early": "a slot is released by a plain arrival, which does not wait for the product that reads it",
    "always_accumulates": "the first product adds to TMEM that nothing has written",
    "missing_commit": "no `commit_smem` between storing the result and copying it out",
}


def body(variant, a_ref, b_ref, c_ref, acc, a_tiles, b_tiles, c_tile, loaded, released, done):
  @plgpu.warp_map
  def _(warp):
    @pl.when(warp == 0)
    def load():
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        columns = pl.ds(k * TILE_K, TILE_K)

        @pl.when(k >= SLOTS)
        def _():
          plgpu.barrier_wait(released.at[slot])

        plgpu.copy_gmem_to_smem(a_ref.at[:, columns], a_tiles.at[slot], loaded.at[slot])  # data-race: released_early
        plgpu.copy_gmem_to_smem(b_ref.at[columns, :], b_tiles.at[slot], loaded.at[slot])  # data-race: released_early

      lax.fori_loop(0, STEPS, step, None)

    @pl.when(warp == 1)
    def multiply():
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        plgpu.barrier_wait(loaded.at[slot])
        if variant == "committed_early":

          @pl.when(k == STEPS - 1)
          def _():
            plgpu.tcgen05_commit_arrive(done)

        accumulate = True if variant == "always_accumulates" else k > 0
        plgpu.tcgen05_mma(acc, a_tiles.at[slot], b_tiles.at[slot], accumulate=accumulate)  # async-misuse: read_early, committed_early; data-race: read_early, committed_early, released_early; uninitialized-read: always_accumulates

        @pl.when(k + SLOTS < STEPS)  # there is something left to fill it with
        def _():
          if variant == "released_early":
            plgpu.barrier_arrive(released.at[slot])
          else:
            plgpu.tcgen05_commit_arrive(released.at[slot])

      lax.fori_loop(0, STEPS, step, None)
      if variant != "committed_early":
        plgpu.tcgen05_commit_arrive(done)

  if variant != "read_early":
    plgpu.barrier_wait(done)
  c_tile[...] = plgpu.async_load_tmem(acc).astype(jnp.float16)  # data-race: read_early, committed_early, missing_commit
  if variant != "missing_commit":
    plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(c_tile, c_ref)  # data-race: missing_commit
  plgpu.wait_smem_to_gmem(0)
  plgpu.wait_load_tmem()


def inputs():
  rng = np.random.default_rng(3)
  return tuple(rng.integers(-2, 3, shape).astype(np.float16) for shape in [(M, K), (K, N)])


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
      scratch_types=dict(
          acc=plgpu.TMEM((M, N), jnp.float32),
          a_tiles=plgpu.SMEM((SLOTS, M, TILE_K), jnp.float16, transforms=transforms),
          b_tiles=plgpu.SMEM((SLOTS, TILE_K, N), jnp.float16, transforms=transforms),
          c_tile=plgpu.SMEM((M, N), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          released=plgpu.Barrier(num_barriers=SLOTS, orders_tensor_core=True),
          done=plgpu.Barrier(orders_tensor_core=True),
      ),
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  a, b = inputs()
  return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
