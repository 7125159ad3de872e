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


def _wgmma(seed, threads, length):
  """Products that read two tiles, which threads store to and copy into; JAX has no race model for them (M1)."""
  r = random.Random(seed)
  ops, barriers = [], _Barriers(r, threads)
  kinds = ["mma", "mma", "mma", "mma_register", "group", "group", "load", "store", "fence", "in", "add"] + ["hand"] * (threads > 1)
  for _ in range(length):
    t, kind = r.randrange(threads), r.choice(kinds)
    if kind in ("mma", "store"):
      ops.append((kind, t, r.randrange(2)))
    elif kind == "group":
      ops.append((kind, t, r.randrange(3)))
    elif kind == "load":
      ops.append((kind, t, r.choice([0, 0, 1, None])))
    elif kind in ("in", "hand"):
      b = barriers.new()
      ops.append((kind, t, b, r.randrange(2)))
      if r.random() < 0.7:
        barriers.wait(ops, 1 - t if kind == "hand" else t, b)
    else:
      ops.append((kind, t))
  barriers.wait_for_the_rest(ops)
  ops += [("group", t, 0) for t in range(threads)]

  def body(x, y, o, first, second, b, bars, start):
    tiles = [first, second]

    def begin():
      first[...] = x[...]
      second[...] = x[...] * 2
      b[...] = y[...]
      plgpu.commit_smem()

    def step(acc, i, kind, *args):
      if kind == "mma":
        plgpu.wgmma(acc, tiles[args[0]], b)
      elif kind == "mma_register":
        plgpu.wgmma(acc, x[...], b)
      elif kind == "group":
        plgpu.wgmma_wait(args[0])
      elif kind == "load":
        o[i] = plgpu.wgmma_accumulator_load(acc, wait_n=args[0])[:2]
      elif kind == "store":
        tiles[args[0]][...] = x[...] + i
      elif kind == "fence":
        plgpu.commit_smem()
      elif kind == "in":
        plgpu.copy_gmem_to_smem(x, tiles[args[1]], bars.at[args[0]])
      elif kind == "add":
        acc[...] = acc[...] + 1
      elif kind == "hand":
        plgpu.barrier_arrive(bars.at[args[0]])
      elif kind == "wait":
        plgpu.barrier_wait(bars.at[args[0]])

    _by_threads(threads, [(0, begin)])
    plgpu.barrier_arrive(start)
    plgpu.barrier_wait(start)
    pl.run_scoped(
        lambda acc: _by_threads(threads, [(op[1], lambda i=i, op=op: step(acc, i, op[0], *op[2:])) for i, op in enumerate(ops)]),
        plgpu.ACC((64, 16), jnp.float32))

  f16 = jnp.float16
  scratch = [smem(64, 32, dtype=f16), smem(64, 32, dtype=f16), smem(32, 16, dtype=f16), barrier(count=max(barriers.count, 1)), barrier(threads)]
  call = kernel(body, f32(len(ops), 2, 16), scratch, threads=threads if threads > 1 else 0)
  return ops, lambda: call(small(64, 32, dtype=f16), small(32, 16, dtype=f16, seed=3))


def _cluster(seed, threads, length):
  """Two tiles in each of two blocks, which all threads use through references, copies and asynchronous stores."""
  r = random.Random(seed)
  ops, meetings = [], 0
  barriers = [_Barriers(r, threads), _Barriers(r, threads)]  # of each block, with the same numbers

  def waits(block, b, likely):
    if r.random() < likely:
      barriers[block].wait(mine, r.randrange(threads), b)

  for _ in range(length):
    c, t, tile = r.randrange(2), r.randrange(threads), r.randrange(2)
    kind = r.choice(["store", "load", "fence", "meet", "meet", "hand", "hand", "async_store", "multicast", "in", "out", "wait_out"])
    mine = []
    if kind == "meet":
      ops.append((kind, None, None, meetings))
      meetings += 1
    elif kind in ("store", "load"):
      ops.append((kind, c, t, tile, r.random() < 0.5))
    elif kind in ("hand", "async_store", "multicast", "in"):
      b, other = (x.new() for x in barriers)
      assert b == other
      ops.append((kind, None if kind == "multicast" else c, t, b, tile))
      reached = {"multicast": [0, 1], "async_store": [1 - c]}.get(kind, [c])
      for block in (0, 1):
        if block in reached:
          waits(block, b, 0.8)
          ops += [(op, block, thread, *rest) for op, thread, *rest in mine]
          mine = []
        else:
          barriers[block].open.remove(b)
    elif kind == "wait_out":
      ops.append((kind, c, t, r.random() < 0.5))
    else:
      ops.append((kind, c, t, tile))
  for block in (0, 1):
    mine = []
    barriers[block].wait_for_the_rest(mine)
    ops += [(op, block, thread, *rest) for op, thread, *rest in mine]
  ops += [("wait_out", c, t, False) for c in range(2) for t in range(threads)] + [("meet", None, None, meetings)]

  def body(x, o, p, first, second, bars, meeting):
    tiles = [first, second]
    c, wg = lax.axis_index("c"), lax.axis_index("wg")

    def step(i, kind, *args):
      if kind in ("store", "load"):
        tile = plgpu.cluster_ref(tiles[args[0]], {"c": 1 - c}) if args[1] else tiles[args[0]]
      if kind == "store":
        tile[...] = jnp.full(8, i, jnp.int32)
      elif kind == "load":
        o[i] = tile[...]
      elif kind == "fence":
        plgpu.commit_smem()
      elif kind == "meet":
        plgpu.barrier_arrive(meeting.at[args[0]])
        plgpu.barrier_wait(meeting.at[args[0]])
      elif kind == "hand":
        plgpu.barrier_arrive(bars.at[args[0]])
      elif kind == "wait":
        plgpu.barrier_wait(bars.at[args[0]])
      elif kind == "async_store":
        plgpu.async_store_smem(
            jnp.full(8, i, jnp.int32), tiles[args[1]], bars.at[args[0]], cluster_idx=1 - c, cluster_dim="c", optimized=False)
      elif kind == "multicast":
        plgpu.copy_gmem_to_smem(x, tiles[args[1]], bars.at[args[0]], collective_axes="c")
      elif kind == "in":
        plgpu.copy_gmem_to_smem(x, tiles[args[1]], bars.at[args[0]])
      elif kind == "out":
        plgpu.copy_smem_to_gmem(tiles[args[0]], p.at[i])
      elif kind == "wait_out":
        plgpu.wait_smem_to_gmem(0, wait_read_only=args[0])

    for i, (kind, block, thread, *args) in enumerate(ops):
      here = (block is None or c == block) if thread is None else wg == thread if block is None else (c == block) & (wg == thread)
      if here is True:
        step(i, kind, *args)
      else:
        pl.when(here)(lambda i=i, kind=kind, args=args: step(i, kind, *args))

  scratch = [smem(8), smem(8), barrier(count=max(barriers[0].count, 1)),
             plgpu.ClusterBarrier(collective_axes=("c",), num_arrivals=threads, num_barriers=meetings + 1)]
  call = kernel(body, [i32(len(ops), 8)] * 2, scratch, threads=threads, cluster=(2,), cluster_names=("c",))
  return ops, lambda: call(numbers(8))


PROGRAMS = [(f, seed, threads, n) for f, threads, n, count in [
    (_copies, 1, 6, 10), (_copies, 2, 8, 10), (_copies, 3, 8, 10), (_tensor_core, 1, 5, 8), (_tensor_core, 2, 6, 8)] for seed in range(count)]


def _kinds(report):
  """What is wrong, but for reads of memory that nothing has written."""
  return {f.kind for f in report.findings if f.severity == "error" and f.kind != "uninitialized-read" or f.kind == "data-race"}


def _everywhere(make, seed, threads, length):
  """Runs a program in several orders: the verdict is the same, and the value if there is no race."""
  ops, call = make(seed, threads, length)
  report = gpusim_jax.check(call)
  assert _kinds(report) <= {"data-race", "async-misuse"}, (ops, str(report))
  for order in ORDERS:
    again = gpusim_jax.check(call, **order)
    assert _kinds(again) == _kinds(report), (ops, order, str(report), str(again))
    if not _kinds(report):
      for a, b in zip(jax.tree.leaves(report.result), jax.tree.leaves(again.result), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=str((ops, order)))
  return ops, call, report


def _parametrize(programs):
  return pytest.mark.parametrize("make, seed, threads, length", programs, ids=[f"{f.__name__[1:]}-{t}-{s}" for f, s, t, _ in programs])


@_parametrize([(f, seed, threads, n) for f, threads, n, count in [(_wgmma, 1, 6, 8), (_wgmma, 2, 6, 8), (_cluster, 2, 7, 20)] for seed in range(count)])
def test_in_every_order(make, seed, threads, length):
  """What JAX cannot run, or has no race model for."""
  _everywhere(make, seed, threads, length)


@_parametrize(PROGRAMS)
def test_as_on_jax(make, seed, threads, length):
  ops, call, report = _everywhere(make, seed, threads, length)
  jax.clear_caches()
  interpreter.reset_gpu_interpret_mode_state()
  with plgpu.force_gpu_interpret_mode(EXACT):
    value = jax.block_until_ready(call())
    jax.effects_barrier()
  assert interpreter.get_races().races_found == report.races_found, (ops, str(report))
  if not report.races_found:
    for a, b in zip(jax.tree.leaves(report.result), jax.tree.leaves(value), strict=True):
      np.testing.assert_array_equal(a, b, err_msg=str(ops))
