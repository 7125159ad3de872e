"""Tiles go through swizzled shared memory: in by TMA, doubled, and out by TMA.

Every block of the grid does two column tiles of its rows, one after the other, through the same
two buffers; each copy in has a barrier of its own.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, TILE = 128, 128, 64

VARIANTS = {
    "fixed": "",
    "missing_wait": "the copy in is not waited for",
    "missing_commit": "no `commit_smem` between the stores and the copy out",
    "refilled_early": "the buffer of the copy out is stored to while that still reads it",
    "unordered_blocks": "both blocks copy out to the same rows",
}


def body(variant, x_ref, o_ref, tile, doubled, loaded):
  row = lax.axis_index("rows")
  rows = pl.ds(row * TILE, TILE)
  rows_out = pl.ds(0, TILE) if variant == "unordered_blocks" else rows
  for k in range(COLUMNS // TILE):
    columns = pl.ds(k * TILE, TILE)
    plgpu.copy_gmem_to_smem(x_ref.at[rows, columns], tile, loaded.at[k])  # async-misuse: missing_wait; data-race: missing_wait; data-race warning: missing_commit
    if variant != "missing_wait":
      plgpu.barrier_wait(loaded.at[k])
    value = tile[...]  # data-race: missing_wait; data-race warning: missing_commit
    if k > 0 and variant != "refilled_early":
      plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    doubled[...] = value + value  # data-race: missing_commit, refilled_early
    if variant != "missing_commit":
      plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(doubled, o_ref.at[rows_out, columns])  # data-race: missing_commit, refilled_early, unordered_blocks
  plgpu.wait_smem_to_gmem(0)


def inputs():
  return (np.arange(ROWS * COLUMNS) % 1000).astype(np.float16).reshape(ROWS, COLUMNS)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float16),
      scratch_types=dict(
          tile=plgpu.SMEM((TILE, TILE), jnp.float16, transforms=transforms),
          doubled=plgpu.SMEM((TILE, TILE), jnp.float16, transforms=transforms),
          loaded=plgpu.Barrier(num_barriers=COLUMNS // TILE),
      ),
      grid=(ROWS // TILE,),
      grid_names=("rows",),
      interpret=interpret,
  )
  return kernel(inputs())


def expected():
  return 2 * inputs()
