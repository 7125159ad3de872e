"""Two devices add their arrays: each sends its chunks to the other one.

A chunk is copied from shared memory into the `inbox` of the other device, which is signalled when
the copy is complete (`sent`, a semaphore for each chunk). That device adds the chunk to its own one
and signals `taken` back: the inbox may be overwritten. Run under `shard_map`.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.sharding import PartitionSpec as P

DEVICES, CHUNKS, WIDTH = 2, 3, 256

VARIANTS = {
    "fixed": "",
    "signals_early": "the other device is signalled before the copy to it is complete",
    "read_only_wait": "the wait before the signal is for the copy's reads only",
    "missing_wait": "the inbox is read without a wait for the other device's signal",
    "overwritten_early": "the next chunk is sent while the other device may still read the last one",
    "deadlock": "`sent` is waited for with 2, but the other device signals it once",
}


def body(variant, x_ref, total_ref, inbox_ref, chunk, received, loaded, sent, taken):
  other = 1 - lax.axis_index("device")
  inbox_of_other = plgpu.remote_ref(inbox_ref, other)
  for k in range(CHUNKS):
    plgpu.copy_gmem_to_smem(x_ref.at[k], chunk, loaded)
    plgpu.barrier_wait(loaded)
    if k > 0 and variant != "overwritten_early":
      pl.semaphore_wait(taken)
    plgpu.copy_smem_to_gmem(chunk, inbox_of_other)  # data-race: signals_early, read_only_wait, missing_wait, overwritten_early
    if variant == "signals_early":
      pl.semaphore_signal(sent.at[k], device_id=other)
    plgpu.wait_smem_to_gmem(0, wait_read_only=variant == "read_only_wait")
    if variant != "signals_early":
      pl.semaphore_signal(sent.at[k], device_id=other)
    if variant != "missing_wait":
      pl.semaphore_wait(sent.at[k], 2 if variant == "deadlock" else 1)  # deadlock: deadlock
    plgpu.copy_gmem_to_smem(inbox_ref, received, loaded)  # data-race: signals_early, read_only_wait, missing_wait, overwritten_early; uninitialized-read: missing_wait
    plgpu.barrier_wait(loaded)
    total_ref[k] = chunk[...] + received[...]
    plgpu.commit_smem()  # the reads come before the next copies' writes
    if variant != "overwritten_early":
      pl.semaphore_signal(taken, device_id=other)
  if variant != "overwritten_early":
    pl.semaphore_wait(taken)


def inputs():
  return np.arange(DEVICES * CHUNKS * WIDTH, dtype=np.float32).reshape(DEVICES * CHUNKS, WIDTH)


def run(variant="fixed", interpret=plgpu.InterpretGPUParams(detect_races=True, on_race="warn")):
  kernel = plgpu.kernel(
      functools.partial(body, variant),
      out_type=(
          jax.ShapeDtypeStruct((CHUNKS, WIDTH), jnp.float32),
          jax.ShapeDtypeStruct((WIDTH,), jnp.float32),
      ),
      scratch_types=dict(
          chunk=plgpu.SMEM((WIDTH,), jnp.float32),
          received=plgpu.SMEM((WIDTH,), jnp.float32),
          loaded=plgpu.Barrier(),
          sent=plgpu.SemaphoreType.REGULAR((CHUNKS,)),
          taken=plgpu.SemaphoreType.REGULAR,
      ),
      interpret=interpret,
  )
  mesh = jax.sharding.Mesh(jax.devices()[:DEVICES], ("device",))
  on_all = jax.shard_map(kernel, mesh=mesh, in_specs=P("device"), out_specs=P("device"), check_vma=False)
  return on_all(inputs())[0]


def expected():
  return np.tile(inputs().reshape(DEVICES, CHUNKS, WIDTH).sum(axis=0), (DEVICES, 1))
