"""Random accesses of blocks to one array: a race is found just where two of them meet in an element."""

import random

import gpusim_jax
import jax.numpy as jnp
import numpy as np
import pytest
from atomics import over_blocks
from cases import barrier, numbers, smem
from jax import lax
from jax._src.pallas import primitives
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, BLOCKS = 6, 10, 3
PLACES = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
WRITES = {"store", "masked_store", "out", "atomic"}


def _range(r, n, most):
  """A start, a size and a stride."""
  start, stride = r.randrange(n), r.choice([1, 1, 2, 3])
  return start, r.randint(1, min(most, (n - start + stride - 1) // stride)), stride


def _accesses(seed):
  """Accesses: a block, what it does, the ranges of rows and columns, a mask, the elements."""
  r = random.Random(seed)
  out = []
  for _ in range(5):
    rows, columns = _range(r, ROWS, 3), _range(r, COLUMNS, 4)
    kind = r.choice(["load", "transposed_load", "store", "masked_store", "atomic", "in", "out"])
    if kind in ("atomic", "in", "out"):
      rows, columns = (*rows[:2], 1), (*columns[:2], 1)
    slices = tuple(slice(s, s + (n - 1) * d + 1, d) for s, n, d in (rows, columns))
    touched = PLACES[slices]
    mask = np.array([[r.random() < 0.5 for _ in range(columns[1])] for _ in range(rows[1])])
    elements = touched[mask] if kind == "masked_store" else touched
    out.append((r.randrange(BLOCKS), kind, rows, columns, mask, set(elements.ravel().tolist())))
  return out


def _races(accesses) -> bool:
  pairs = [(a, b) for i, a in enumerate(accesses) for b in accesses[:i] if a[0] != b[0] and a[5] & b[5]]
  return any({a[1], b[1]} & WRITES and (a[1], b[1]) != ("atomic", "atomic") for a, b in pairs)


def _kernel(accesses):
  def body(_, o, tile, bar):
    tile[...] = jnp.zeros(tile.shape, jnp.int32)
    plgpu.commit_smem()

    def access(number, kind, rows, columns, mask):
      part = o.at[pl.ds(rows[0], rows[1], stride=rows[2]), pl.ds(columns[0], columns[1], stride=columns[2])]
      mine = tile.at[pl.ds(0, rows[1]), pl.ds(0, columns[1])]
      value = jnp.full((rows[1], columns[1]), number, jnp.int32)
      if kind == "load":
        mine[...] = part[...]
      elif kind == "transposed_load":
        mine[...] = part.transpose((1, 0))[...].T
      elif kind == "store":
        part[...] = value
      elif kind == "masked_store":
        at = [lax.broadcasted_iota(jnp.int32, value.shape, d) for d in (0, 1)]
        m = jnp.zeros(value.shape, bool)
        for i, j in zip(*np.nonzero(mask), strict=True):
          m |= (at[0] == int(i)) & (at[1] == int(j))
        primitives.store(part, (slice(None), slice(None)), value, mask=m)
      elif kind == "atomic":
        plgpu.atomic_add(part, value, optimized=False)
      elif kind == "in":
        plgpu.commit_smem()
        plgpu.copy_gmem_to_smem(part, mine, bar)
        plgpu.barrier_wait(bar)
      elif kind == "out":
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(mine, part)
        plgpu.wait_smem_to_gmem(0)

    for number, (block, *what, _) in enumerate(accesses):
      pl.when(lax.axis_index("i") == block)(lambda number=number, what=what: access(number + 1, *what))

  return over_blocks(body, numbers(1), np.zeros((ROWS, COLUMNS), np.int32), BLOCKS, [smem(ROWS, COLUMNS), barrier()])


@pytest.mark.parametrize("seed", range(40))
def test_races_are_where_accesses_meet(seed):
  accesses = _accesses(seed)
  for order in ({}, {"seed": 2, "completion": "lazy"}):
    report = gpusim_jax.check(lambda: _kernel(accesses), **order)
    assert {f.kind for f in report.findings} == ({"data-race"} if _races(accesses) else set()), (accesses, str(report))


def test_the_programs_are_of_both_kinds():
  assert 10 < sum(_races(_accesses(seed)) for seed in range(40)) < 30
