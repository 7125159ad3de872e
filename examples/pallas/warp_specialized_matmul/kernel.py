"""A matrix product on Hopper with a memory thread and two compute threads.

The memory thread keeps a ring of tiles filled, the compute threads multiply: each has one half of
the rows. A slot is released by both of them, when the wgmma that read it has ended.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K = 128, 64, 256
TILE_M, TILE_K, SLOTS = 64, 64, 2
STEPS = K // TILE_K
COMPUTE = M // TILE_M  # threads that multiply; the next one is the memory thread

VARIANTS = {
    "fixed": "",
    "released_early": "a slot is released right after its wgmma was issued, which still reads it",
    "one_arrival": "`released` counts one arrival, though both compute threads arrive",
    "deadlock": "`released` counts the memory thread too, which never arrives",
    "shared_rows": "both compute threads store to the first rows of the result",
}


def body(variant, a_ref, b_ref, c_ref, a_tiles, b_tiles, c_tile, loaded, released):
  thread = lax.axis_index("wg")

  @pl.when(thread < COMPUTE)
  def compute():
    plgpu.set_max_registers(232, action="increase")
    rows = pl.ds(thread * TILE_M, TILE_M)

    def multiply(acc):
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        plgpu.barrier_wait(loaded.at[slot])  # barrier-misuse: one_arrival; deadlock: deadlock
        plgpu.wgmma(acc, a_tiles.at[slot, rows], b_tiles.at[slot])  # data-race: released_early
        if variant != "released_early":
          plgpu.wgmma_wait(0)
        plgpu.barrier_arrive(released.at[slot])  # barrier-misuse: one_arrival

      lax.fori_loop(0, STEPS, step, None)
      return acc[...]

    rows_out = pl.ds(0, TILE_M) if variant == "shared_rows" else rows
    c_tile[rows_out, :] = pl.run_scoped(multiply, plgpu.ACC((TILE_M, N), jnp.float32)).astype(jnp.float16)  # data-race: shared_rows
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(c_tile.at[rows_out], c_ref.at[rows_out])  # data-race: shared_rows
    plgpu.wait_smem_to_gmem(0)

  @pl.when(thread == COMPUTE)
  def memory():
    plgpu.set_max_registers(40, action="decrease")

    def step(k, _):
      slot = lax.rem(k, SLOTS)
      columns = pl.ds(k * TILE_K, TILE_K)

      @pl.when(k >= SLOTS)
      def _():
        plgpu.barrier_wait(released.at[slot])  # deadlock: deadlock

      plgpu.copy_gmem_to_smem(a_ref.at[:, columns], a_tiles.at[slot], loaded.at[slot])  # data-race: released_early
      plgpu.copy_gmem_to_smem(b_ref.at[columns, :], b_tiles.at[slot], loaded.at[slot])  # data-race: released_early

    lax.fori_loop(0, STEPS, step, None)
    for k in range(STEPS, STEPS + SLOTS):
      plgpu.barrier_wait(released.at[k % SLOTS])


def inputs():
  rng = np.random.default_rng(2)
  return tuple(rng.integers(-2, 3, shape).astype(np.float16) for shape in [(M, K), (K, N)])


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  arrivals = {"one_arrival": 1, "deadlock": COMPUTE + 1}.get(variant, COMPUTE)
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
      scratch_types=dict(
          a_tiles=plgpu.SMEM((SLOTS, M, TILE_K), jnp.float16, transforms=transforms),
          b_tiles=plgpu.SMEM((SLOTS, TILE_K, N), jnp.float16, transforms=transforms),
          c_tile=plgpu.SMEM((M, N), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          released=plgpu.Barrier(num_arrivals=arrivals, num_barriers=SLOTS),
      ),
      num_threads=COMPUTE + 1,
      thread_name="wg",
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  a, b = inputs()
  return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
