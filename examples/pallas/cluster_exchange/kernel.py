"""The two blocks of a cluster add what the other one has in its shared memory.

Each block stores a row and then reads the row of its peer. The barrier `stored` says that both
rows are there, `read` that both have been read, so that the next ones may be stored.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

BLOCKS, ROUNDS, WIDTH = 2, 3, 256

VARIANTS = {
    "fixed": "",
    "missing_barrier": "the peer's row is read without a wait for its store",
    "missing_read_barrier": "the next row is stored while the peer may still read the last one",
    "exits_early": "a block ends while the peer may still read its row",
    "own_barrier": "`stored` is a barrier of each block, not of the cluster",
    "deadlock": "`stored` counts two arrivals of each block, which has one thread",
}


def body(variant, x_ref, o_ref, row, stored, read):
  me = lax.axis_index("block")
  peer = plgpu.cluster_ref(row, {"block": 1 - me})
  for k in range(ROUNDS):
    row[...] = x_ref[me, k]  # data-race: missing_barrier, missing_read_barrier, own_barrier
    if variant != "missing_barrier":
      plgpu.barrier_arrive(stored)
      plgpu.barrier_wait(stored)  # deadlock: deadlock
    o_ref[me, k] = row[...] + peer[...]  # data-race: missing_barrier, missing_read_barrier, own_barrier; uninitialized-read: missing_barrier, own_barrier; use-after-free: exits_early
    last = k == ROUNDS - 1
    if not (variant == "missing_read_barrier" and not last or variant == "exits_early" and last):
      plgpu.barrier_arrive(read)
      plgpu.barrier_wait(read)


def inputs():
  return np.arange(BLOCKS * ROUNDS * WIDTH, dtype=np.float32).reshape(BLOCKS, ROUNDS, WIDTH)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  stored = plgpu.ClusterBarrier(collective_axes=("block",), num_arrivals=2 if variant == "deadlock" else 1)
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=jax.ShapeDtypeStruct((BLOCKS, ROUNDS, WIDTH), jnp.float32),
      scratch_types=dict(
          row=plgpu.SMEM((WIDTH,), jnp.float32),
          stored=plgpu.Barrier() if variant == "own_barrier" else stored,
          read=plgpu.ClusterBarrier(collective_axes=("block",)),
      ),
      cluster=(BLOCKS,),
      cluster_names=("block",),
      interpret=interpret,
  )
  return kernel(inputs())


def expected():
  return np.broadcast_to(inputs().sum(axis=0), (BLOCKS, ROUNDS, WIDTH))
