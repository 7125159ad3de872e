"""A matrix product on Blackwell by two blocks of a cluster, which issue one tcgen05.mma together.

Each block loads its half of the tiles: rows of a, columns of b. The leader (block 0) learns that
all of them have landed, issues the products for both, and commits them to barriers in both blocks.
Each block then has its rows of the result in its own TMEM.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ARCH = "sm_100"

M, N, K = 256, 128, 256
TILE_M, TILE_N, TILE_K, SLOTS = M // 2, N // 2, 64, 2
STEPS = K // TILE_K

VARIANTS = {
    "fixed": "",
    "waits_late": "the leader waits for the tiles after the product that reads them",
    "committed_early": "the commit for the result comes before the last product",
    "deadlock": "the peer waits for its tiles too, but only the leader's barrier is told of them",
}


def body(variant, a_ref, b_ref, c_ref, acc, a_tiles, b_tiles, c_tile, loaded, released, done):
  block = lax.axis_index("block")

  @plgpu.warp_map  # deadlock: deadlock
  def _(warp):
    @pl.when(warp == 0)
    def load():
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        ks = pl.ds(k * TILE_K, TILE_K)

        @pl.when(k >= SLOTS)
        def _():
          plgpu.barrier_wait(released.at[slot])

        part = functools.partial(plgpu.copy_gmem_to_smem, barrier=loaded.at[slot], collective_axes="block")
        part(a_ref.at[:, ks], a_tiles.at[slot], leader_tracked=plgpu.CopyPartition.PARTITIONED(0))  # data-race: waits_late
        part(b_ref.at[ks, :], b_tiles.at[slot], leader_tracked=plgpu.CopyPartition.PARTITIONED(1))  # data-race: waits_late

      lax.fori_loop(0, STEPS, step, None)

    @pl.when((warp == 1) & (block == 0))
    def multiply():
      def step(k, _):
        slot = lax.rem(k, SLOTS)
        if variant != "waits_late":
          plgpu.barrier_wait(loaded.at[slot])
        if variant == "committed_early":

          @pl.when(k == STEPS - 1)
          def _():
            plgpu.tcgen05_commit_arrive(done, collective_axis="block")

        plgpu.tcgen05_mma(acc, a_tiles.at[slot], b_tiles.at[slot], accumulate=k > 0, collective_axis="block")  # async-misuse: committed_early; data-race: waits_late, committed_early; uninitialized-read: waits_late
        if variant == "waits_late":
          plgpu.barrier_wait(loaded.at[slot])

        @pl.when(k + SLOTS < STEPS)  # there is something left to fill it with
        def _():
          plgpu.tcgen05_commit_arrive(released.at[slot], collective_axis="block")

      lax.fori_loop(0, STEPS, step, None)
      if variant != "committed_early":
        plgpu.tcgen05_commit_arrive(done, collective_axis="block")

    if variant == "deadlock":

      @pl.when((warp == 1) & (block == 1))
      def wait():
        lax.fori_loop(0, STEPS, lambda k, _: plgpu.barrier_wait(loaded.at[lax.rem(k, SLOTS)]), None)  # deadlock: deadlock

  plgpu.barrier_wait(done)
  c_tile[...] = plgpu.async_load_tmem(acc).astype(jnp.float16)  # data-race: committed_early
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(c_tile, c_ref.at[pl.ds(block * TILE_M, TILE_M)])
  plgpu.wait_smem_to_gmem(0)
  plgpu.wait_load_tmem()


def inputs():
  rng = np.random.default_rng(6)
  return tuple(rng.integers(-2, 3, shape).astype(np.float16) for shape in [(M, K), (K, N)])


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((M, N), jnp.float16),
      scratch_types=dict(
          acc=plgpu.TMEM((TILE_M, N), jnp.float32, collective=True),
          a_tiles=plgpu.SMEM((SLOTS, TILE_M, TILE_K), jnp.float16, transforms=transforms),
          b_tiles=plgpu.SMEM((SLOTS, TILE_K, TILE_N), jnp.float16, transforms=transforms),
          c_tile=plgpu.SMEM((TILE_M, N), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          released=plgpu.Barrier(num_barriers=SLOTS, orders_tensor_core=True),
          done=plgpu.Barrier(orders_tensor_core=True),
      ),
      cluster=(2,),
      cluster_names=("block",),
      interpret=interpret,
  )
  return kernel(*inputs())


def expected():
  a, b = inputs()
  return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
