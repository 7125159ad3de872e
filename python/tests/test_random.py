"""Random small programs: gpusim finds a race where JAX does, and race-free ones give one value in every order."""

import dataclasses
import random

import cases
import gpusim_jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import barrier, f32, i32, kernel, numbers, small, smem
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

# JAX gives asynchronous operations places of their own as long as there are enough of them (M2).
EXACT = dataclasses.replace(cases.PARAMS, num_tma_threads_per_device=60)
ORDERS = [{"seed": 2, "completion": "lazy"}, {"seed": 3, "completion": "random"}]
PARTS = {"all": slice(0, 8), "low": slice(0, 4), "high": slice(4, 8)}


def _by_threads(threads, steps):
  """Runs steps, (thread, function) pairs, each in its thread."""
  wg = lax.axis_index("wg") if threads > 1 else 0
  for thread, step in steps:
    if threads > 1:
      pl.when(wg == thread)(step)
    else:
      step()


class _Barriers:
  """Barriers that are used once each: a later wait always comes after its arrival, so nothing deadlocks."""

  def __init__(self, r, threads):
    self.r, self.threads, self.count, self.open = r, threads, 0, []

  def new(self):
    self.count += 1
    self.open.append(self.count - 1)
    return self.count - 1

  def wait(self, ops, thread, b):
    self.open.remove(b)
    ops.append(("wait", thread, b))

  def wait_for_the_rest(self, ops):
    for b in list(self.open):
      self.wait(ops, self.r.randrange(self.threads), b)


def _copies(seed, threads, length):
  """Two tiles in shared memory, which threads store to, load, copy into and copy out."""
  r = random.Random(seed)
  ops, barriers = [], _Barriers(r, threads)
  kinds = ["store", "load", "load", "fence", "in", "in", "out", "wait_out", "wait"] + ["hand"] * (2 if threads > 1 else 0)
  for _ in range(length):
    t, kind, tile, part = r.randrange(threads), r.choice(kinds), r.randrange(2), r.choice(list(PARTS))
    if kind in ("store", "load"):
      ops.append((kind, t, tile, part))
    elif kind == "fence":
      ops.append((kind, t))
    elif kind == "in":
      ops.append((kind, t, tile, part, barriers.new()))
    elif kind == "out":
      ops.append((kind, t, tile, r.randrange(2)))
    elif kind == "wait_out":
      ops.append((kind, t, r.randrange(2), r.random() < 0.5))
    elif kind == "wait" and barriers.open:
      barriers.wait(ops, t, r.choice(barriers.open))
    elif kind == "hand":
      b = barriers.new()
      ops.append(("arrive", t, b))
      if r.random() < 0.8:
        barriers.wait(ops, (t + 1 + r.randrange(threads - 1)) % threads, b)
  barriers.wait_for_the_rest(ops)
  ops += [("wait_out", t, 0, False) for t in range(threads)]

  def body(x, o, p, first, second, *bars):
    tiles = [first, second]

    def step(i, kind, *args):
      if kind in ("store", "load", "in"):
        s = PARTS[args[1]]
        n = s.stop - s.start
        part = tiles[args[0]].at[pl.ds(s.start, n)]
      if kind == "store":
        part[...] = jnp.full(n, i, jnp.int32)
      elif kind == "load":
        o[i, pl.ds(0, n)] = part[...]
      elif kind == "fence":
        plgpu.commit_smem()
      elif kind == "in":
        plgpu.copy_gmem_to_smem(x.at[pl.ds(s.start, n)], part, bars[0].at[args[2]])
      elif kind == "out":
        plgpu.copy_smem_to_gmem(tiles[args[0]], p.at[args[1]])
      elif kind == "wait_out":
        plgpu.wait_smem_to_gmem(args[0], wait_read_only=args[1])
      elif kind == "wait":
        plgpu.barrier_wait(bars[0].at[args[0]])
      elif kind == "arrive":
        plgpu.barrier_arrive(bars[0].at[args[0]])

    _by_threads(threads, [(op[1], lambda i=i, op=op: step(i, op[0], *op[2:])) for i, op in enumerate(ops)])

  scratch = [smem(8), smem(8)] + [barrier(count=barriers.count)] * (barriers.count > 0)
  call = kernel(body, [i32(len(ops), 8), i32(2, 8)], scratch, threads=threads if threads > 1 else 0)
  return ops, lambda: call(numbers(8))


def _tensor_core(seed, threads, length):
  """Two accumulators and an operand in tensor memory, which products, copies, loads and stores use."""
  r = random.Random(seed)
  ops, barriers = [], _Barriers(r, threads)
  kinds = ["store", "load", "committed", "loaded", "mma", "mma", "copy", "commit", "commit", "store_a", "fence"] + ["hand"] * (threads > 1)
  for _ in range(length):
    t, kind = r.randrange(threads), r.choice(kinds)
    if kind in ("store", "load"):
      ops.append((kind, t, r.randrange(2)))
    elif kind == "mma":
      ops.append((kind, t, r.randrange(2), r.random() < 0.5, r.random() < 0.5))
    elif kind in ("commit", "hand"):
      b = barriers.new()
      ops.append((kind, t, b))
      if r.random() < 0.8:
        barriers.wait(ops, 1 - t if kind == "hand" else r.randrange(threads), b)
    else:
      ops.append((kind, t))
  barriers.wait_for_the_rest(ops)
  for t in range(threads):
    ops += [("committed", t), ("loaded", t), ("commit", t, barriers.new())]
    barriers.wait(ops, t, barriers.count - 1)

  def body(x, y, z, o, a, b, lhs, acc0, acc1, bars, start):
    accs = [acc0, acc1]

    def begin():
      a[...] = x[...]
      b[...] = y[...]
      for t, v in [(lhs, x), (acc0, z), (acc1, z)]:
        plgpu.async_store_tmem(t, v[...])
      plgpu.commit_tmem()
      plgpu.commit_smem()

    def step(i, kind, *args):
      if kind == "store":
        plgpu.async_store_tmem(accs[args[0]], z[...] + i)
      elif kind == "load":
        o[i] = plgpu.async_load_tmem(accs[args[0]])[:4]
      elif kind == "committed":
        plgpu.commit_tmem()
      elif kind == "loaded":
        plgpu.wait_load_tmem()
      elif kind == "mma":
        plgpu.tcgen05_mma(accs[args[0]], lhs if args[1] else a, b, accumulate=args[2])
      elif kind == "copy":
        plgpu.async_copy_smem_to_tmem(a, lhs)
      elif kind == "commit":
        plgpu.tcgen05_commit_arrive(bars.at[args[0]])
      elif kind == "store_a":
        a[...] = x[...] * 2
      elif kind == "fence":
        plgpu.commit_smem()
      elif kind == "hand":
        plgpu.barrier_arrive(bars.at[args[0]])
      elif kind == "wait":
        plgpu.barrier_wait(bars.at[args[0]])

    _by_threads(threads, [(0, begin)])
    plgpu.barrier_arrive(start)
    plgpu.barrier_wait(start)
    _by_threads(threads, [(op[1], lambda i=i, op=op: step(i, op[0], *op[2:])) for i, op in enumerate(ops)])

  f16 = jnp.float16
  scratch = [smem(128, 64, dtype=f16), smem(64, 16, dtype=f16), plgpu.TMEM((128, 64), f16, packed=True),
             plgpu.TMEM((128, 16), jnp.float32), plgpu.TMEM((128, 16), jnp.float32),
             barrier(count=barriers.count, orders_tensor_core=True), barrier(threads, orders_tensor_core=True)]
  call = kernel(body, f32(len(ops), 4, 16), scratch, threads=threads if threads > 1 else 0)
  return ops, lambda: call(small(128, 64, dtype=f16), small(64, 16, dtype=f16, seed=3), small(128, 16))


PROGRAMS = [(f, seed, threads, n) for f, threads, n, count in [
    (_copies, 1, 6, 10), (_copies, 2, 8, 10), (_copies, 3, 8, 10), (_tensor_core, 1, 5, 8), (_tensor_core, 2, 6, 8)] for seed in range(count)]


@pytest.mark.parametrize("make, seed, threads, length", PROGRAMS, ids=[f"{f.__name__[1:]}-{t}-{s}" for f, s, t, _ in PROGRAMS])
def test_as_on_jax(make, seed, threads, length):
  ops, call = make(seed, threads, length)
  report = gpusim_jax.check(call)
  assert all(f.kind in ("data-race", "uninitialized-read") for f in report.findings if f.severity == "error"), (ops, str(report))
  if not report.races_found:
    for order in ORDERS:
      again = gpusim_jax.check(call, **order)
      assert not again.races_found, (ops, order, str(again))
      for a, b in zip(jax.tree.leaves(report.result), jax.tree.leaves(again.result), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=str((ops, order)))
  jax.clear_caches()
  interpreter.reset_gpu_interpret_mode_state()
  with plgpu.force_gpu_interpret_mode(EXACT):
    value = jax.block_until_ready(call())
    jax.effects_barrier()
  assert interpreter.get_races().races_found == report.races_found, (ops, str(report))
  if not report.races_found:
    for a, b in zip(jax.tree.leaves(report.result), jax.tree.leaves(value), strict=True):
      np.testing.assert_array_equal(a, b, err_msg=str(ops))
