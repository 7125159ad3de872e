"""A matrix product on a Hopper cluster: two blocks share the tiles of one operand.

The blocks compute different rows of the result, so that they need the same tiles of b. The copy of
b is a multicast: each block loads a half of the tile and sends it to both. A slot may be filled
again only when both blocks have released it, so `released` is a barrier of the cluster.
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

VARIANTS = {
    "fixed": "",
    "own_release": "a slot is released by the threads of its own block, but filled by the peer too",
    "deadlock": "only one block issues the copies of b, in which both take part",
}


def body(variant, a_ref, b_ref, c_ref, a_tiles, b_tiles, c_tile, loaded, released):
  block = lax.axis_index("block")
  thread = lax.axis_index("wg")
  rows = pl.ds(block * TILE_M, TILE_M)

  @pl.when(thread == 0)
  def compute():
    def multiply(acc):
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        plgpu.barrier_wait(loaded.at[slot])  # deadlock: deadlock
        plgpu.wgmma(acc, a_tiles.at[slot], b_tiles.at[slot])  # data-race: own_release
        plgpu.wgmma_wait(0)
        plgpu.barrier_arrive(released.at[slot])

      lax.fori_loop(0, STEPS, step, None)
      return acc[...]

    c_tile[...] = pl.run_scoped(multiply, plgpu.ACC((TILE_M, N), jnp.float32)).astype(jnp.float16)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(c_tile, c_ref.at[rows])
    plgpu.wait_smem_to_gmem(0)

  @pl.when(thread == 1)
  def memory():
    def step(k, _):
      slot = lax.rem(k, SLOTS)
      columns = pl.ds(k * TILE_K, TILE_K)

      @pl.when(k >= SLOTS)
      def _():
        plgpu.barrier_wait(released.at[slot])  # deadlock: deadlock

      plgpu.copy_gmem_to_smem(a_ref.at[rows, columns], a_tiles.at[slot], loaded.at[slot])

      def multicast():
        plgpu.copy_gmem_to_smem(b_ref.at[columns, :], b_tiles.at[slot], loaded.at[slot], collective_axes="block")  # data-race: own_release

      if variant == "deadlock":
        pl.when(block == 0)(multicast)
      else:
        multicast()

    lax.fori_loop(0, STEPS, step, None)
    for k in range(STEPS, STEPS + SLOTS):
      plgpu.barrier_wait(released.at[k % SLOTS])


def inputs():
  rng = np.random.default_rng(5)
  return tuple(rng.integers(-2, 3, shape).astype(np.float16) for shape in [(M, K), (K, N)])


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  released = plgpu.ClusterBarrier(collective_axes=("block",), num_barriers=SLOTS)
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
      scratch_types=dict(
          a_tiles=plgpu.SMEM((SLOTS, TILE_M, TILE_K), jnp.float16, transforms=transforms),
          b_tiles=plgpu.SMEM((SLOTS, TILE_K, N), jnp.float16, transforms=transforms),
          c_tile=plgpu.SMEM((TILE_M, N), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          released=plgpu.Barrier(num_barriers=SLOTS) if variant == "own_release" else released,
      ),
      cluster=(2,),
      cluster_names=("block",),
      num_threads=2,
      thread_name="wg",
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  a, b = inputs()
  return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
