"""Tensor cores: wgmma and its accumulators, tcgen05, tensor memory."""

import jax.numpy as jnp
import numpy as np
from cases import Cases, array, barrier, f32, kernel, numbers, small, smem
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
F16 = jnp.float16


def _load(bar, *pairs):
  for src, dst in pairs:
    plgpu.copy_gmem_to_smem(src, dst, bar)
  plgpu.barrier_wait(bar)


def _product(x, y, dtype=np.float32):
  return np.asarray(x).astype(dtype) @ np.asarray(y).astype(dtype)


# wgmma.


def _wgmma(inner, x, y, out=None):
  """`inner` is called with an accumulator and the operands in SMEM; its result is that of the kernel."""

  def body(x, y, o, a, b, bar):
    _load(bar, (x, a), (y, b))
    o[...] = inner(a, b)

  m, n = x.shape[0], y.shape[1]
  return kernel(body, out or f32(m, n), [smem(*x.shape, dtype=x.dtype), smem(*y.shape, dtype=y.dtype), barrier(2)])(x, y)


def _scoped(fn, m=64, n=16, dtype=jnp.float32):
  return pl.run_scoped(fn, plgpu.ACC((m, n), dtype))


_X, _Y = small(64, 32, dtype=F16), small(32, 16, dtype=F16, seed=3)


@CASES.add(expect=lambda: 2 * _product(_X, _Y))
def wgmma_twice():
  def inner(a, b):
    def scoped(acc):
      plgpu.wgmma(acc, a, b)
      plgpu.wgmma(acc, a, b)
      return acc[...]

    return _scoped(scoped)

  return _wgmma(inner, _X, _Y)


@CASES.add(expect=lambda: _product(_X[:, :16] * 2, _Y[:16]), jax="error: Expected shape (6,) but got (64, 16)")
def wgmma_with_a_register_operand():
  def inner(a, b):
    def scoped(acc):
      plgpu.wgmma(acc, a[:, :16] * 2, b.at[:16])
      return acc[...]

    return _scoped(scoped)

  return _wgmma(inner, _X, _Y)


@CASES.add(expect=lambda: _product(_XT.T, _YT.T))
def wgmma_with_transposed_operands():
  def body(x, y, o, a, b, bar):
    _load(bar, (x, a), (y, b))

    def scoped(acc):
      plgpu.wgmma(acc, a.transpose((1, 0)), b.transpose((1, 0)))
      return acc[...]

    o[...] = _scoped(scoped)

  return kernel(body, f32(64, 16), [smem(32, 64, dtype=F16), smem(16, 32, dtype=F16), barrier(2)])(_XT, _YT)


_XT, _YT = small(32, 64, dtype=F16), small(16, 32, dtype=F16, seed=3)


@CASES.add(expect=lambda: 3 + _product(_X, _Y), jax="error: MLIR translation rule for primitive 'wgmma' not found")
def wgmma_accumulator_with_a_start():
  def inner(a, b):
    def scoped(acc):
      plgpu.wgmma(acc, a, b)

    return pl.run_state(scoped)(plgpu.ACC.init(jnp.full((64, 16), 3, jnp.float32)))

  return _wgmma(inner, _X, _Y)


@CASES.add(expect=lambda: 5 + 2 * _product(_X, _Y), jax="error: Accumulator shape (6,) does not match")
def wgmma_accumulator_store():
  def inner(a, b):
    def scoped(acc):
      plgpu.wgmma(acc, a, b)
      acc[...] = acc[...] * 2 + 5
      return acc[...]

    return _scoped(scoped)

  return _wgmma(inner, _X, _Y)


@CASES.pair(finds="data-race", jax="silent", right={"expect": lambda: _product(_X, _Y)})
def wgmma_accumulator_loaded_early(right):
  """A load that leaves one product in flight has not waited for it."""

  def inner(a, b):
    def scoped(acc):
      plgpu.wgmma(acc, a, b)
      value = plgpu.wgmma_accumulator_load(acc, wait_n=0 if right else 1)
      plgpu.wgmma_wait(0)
      return value

    return _scoped(scoped)

  return _wgmma(inner, _X, _Y)


@CASES.pair(finds="data-race", about="a", jax="silent", right={"expect": lambda: 2 * _product(_X, _Y)})
def wgmma_wait_for_all_but_one(right):
  """Two products of which the first reads a: wait(1) is enough to store to it, wait(2) is not."""

  def body(x, y, o, a, again, b, bar):
    _load(bar, (x, a), (x, again), (y, b))

    def scoped(acc):
      plgpu.wgmma(acc, a, b)
      plgpu.wgmma(acc, again, b)
      plgpu.wgmma_wait(1 if right else 2)
      a[...] = jnp.zeros((64, 32), F16)
      return acc[...]

    o[...] = _scoped(scoped)

  scratch = [smem(64, 32, dtype=F16), smem(64, 32, dtype=F16), smem(32, 16, dtype=F16), barrier(3)]
  return kernel(body, f32(64, 16), scratch)(_X, _Y)


for _a, _b, _acc in [
    (jnp.bfloat16, jnp.bfloat16, jnp.float32),
    (jnp.float32, jnp.float32, jnp.float32),
    (jnp.float16, jnp.float16, jnp.float16),
    (jnp.float8_e4m3fn, jnp.float8_e4m3fn, jnp.float32),
    (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float32),
    (jnp.int8, jnp.int8, jnp.int32),
]:

  def _wgmma_of(a=_a, b=_b, acc=_acc):
    def inner(x, y):
      def scoped(ref):
        plgpu.wgmma(ref, x, y)
        return ref[...]

      return _scoped(scoped, dtype=acc)

    return _wgmma(inner, small(64, 32, dtype=a), small(32, 16, dtype=b, seed=3), array(acc, 64, 16))

  CASES.add(f"wgmma_{jnp.dtype(_a).name}_{jnp.dtype(_b).name}_{jnp.dtype(_acc).name}",
            expect=lambda: _product(small(64, 32), small(32, 16, seed=3)))(_wgmma_of)


# tcgen05.


def _tensor(*shape, dtype=jnp.float32, **kwargs):
  return plgpu.TMEM(shape, dtype, **kwargs)


def _done(count=1):
  return barrier(1, count, orders_tensor_core=True)


_A, _B = small(128, 64, dtype=F16), small(64, 32, dtype=F16, seed=3)


def _mma(inner, scratch=(), out=None, a=_A, b=_B):
  def body(x, y, o, a, b, acc, bar, done, *rest):
    _load(bar, (x, a), (y, b))
    o[...] = inner(a, b, acc, done, *rest)

  own = [smem(*a.shape, dtype=a.dtype), smem(*b.shape, dtype=b.dtype), _tensor(a.shape[0], b.shape[1]), barrier(2), _done()]
  return kernel(body, out or f32(a.shape[0], b.shape[1]), [*own, *scratch])(a, b)


@CASES.add(expect=lambda: 2 * _product(_A, _B))
def mma_that_accumulates():
  """Whether it does may be known only when it runs."""

  def inner(a, b, acc, done):
    plgpu.tcgen05_mma(acc, a, b, accumulate=False)
    plgpu.tcgen05_mma(acc, a, b, accumulate=b[0, 0] < 100)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    return plgpu.async_load_tmem(acc)

  return _mma(inner)


@CASES.add(expect=lambda: _product(_A * 2, _B))
def mma_with_an_operand_in_tensor_memory():
  def inner(a, b, acc, done, lhs):
    plgpu.async_store_tmem(lhs, a[...] * 2)
    plgpu.commit_tmem()
    plgpu.tcgen05_mma(acc, lhs, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    return plgpu.async_load_tmem(acc)

  return _mma(inner, [_tensor(128, 64, dtype=F16, packed=True)])


@CASES.add(expect=lambda: _product(_A, small(32, 64, dtype=F16, seed=3).T))
def mma_with_a_transposed_operand():
  def body(x, y, o, a, b, acc, bar, done):
    _load(bar, (x, a), (y, b))
    plgpu.tcgen05_mma(acc, a, b.transpose((1, 0)), done, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)

  own = [smem(128, 64, dtype=F16), smem(32, 64, dtype=F16), _tensor(128, 32), barrier(2), _done()]
  return kernel(body, f32(128, 32), own)(_A, small(32, 64, dtype=F16, seed=3))


@CASES.pair(finds="data-race", about="acc", right={"expect": lambda: _product(_A, _B)})
def commit_arrive_with_a_predicate(right):
  def inner(a, b, acc, done):
    plgpu.tcgen05_mma(acc, a, b, accumulate=False)
    plgpu.tcgen05_commit_arrive(done, predicate=b[0, 0] < 100)
    if right:
      plgpu.barrier_wait(done)
    value = plgpu.async_load_tmem(acc)
    if not right:
      plgpu.barrier_wait(done)
    return value

  return _mma(inner)


@CASES.add(expect=lambda: [numbers(128, 32, dtype=np.float32)[:, 8:24], numbers(128, 32, dtype=np.float32)[:, :8]])
def slices_of_tensor_memory():
  def body(x, o, p, t):
    plgpu.async_store_tmem(t, x[...])
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(t.at[:, pl.ds(8, 16)])
    p[...] = plgpu.async_load_tmem(t.at[:, :8])

  return kernel(body, [f32(128, 16), f32(128, 8)], [_tensor(128, 32)])(numbers(128, 32, dtype=np.float32))


for _op, _fn in [("max", np.max), ("min", np.min), ("absmax", lambda v, axis: np.abs(v).max(axis)), ("absmin", lambda v, axis: np.abs(v).min(axis))]:

  def _reduced(op=_op):
    def body(x, o, p, t):
      plgpu.async_store_tmem(t, x[...])
      plgpu.commit_tmem()
      value, reduced = plgpu.async_load_tmem(t, reduce=op)
      o[...] = value
      p[...] = reduced

    return kernel(body, [f32(128, 32), f32(128)], [_tensor(128, 32)])(numbers(128, 32, dtype=np.float32) % 37 - 20)

  CASES.add(f"load_of_tensor_memory_with_{_op}", jax="error: does not support load reduce",
            expect=lambda fn=_fn: [numbers(128, 32, dtype=np.float32) % 37 - 20, fn(numbers(128, 32, dtype=np.float32) % 37 - 20, axis=1)])(_reduced)


@CASES.add(expect=lambda: _product(_A, _B))
def batched_tensor_memory():
  """Two accumulators of one allocation."""

  def inner(a, b, acc, done, two):
    plgpu.tcgen05_mma(two.at[0], a, b, accumulate=False)
    plgpu.tcgen05_mma(two.at[1], a, b, accumulate=False)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    return plgpu.async_load_tmem(two.at[1]) * 2 - plgpu.async_load_tmem(two.at[0])

  return _mma(inner, [_tensor(2, 128, 32)])


@CASES.add(expect=lambda: _product(_A, _B))
def union_of_tensor_memory():
  def inner(a, b, acc, done, union):
    accumulator, lhs = union
    plgpu.async_store_tmem(lhs, a[...])
    plgpu.commit_tmem()
    plgpu.tcgen05_mma(acc, lhs, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    plgpu.async_store_tmem(accumulator, plgpu.async_load_tmem(acc))
    plgpu.commit_tmem()
    return plgpu.async_load_tmem(accumulator)

  return _mma(inner, [plgpu.RefUnion(_tensor(128, 32), _tensor(128, 64, dtype=F16, packed=True))])


# Blocks of a cluster together.


_CA, _CB = small(256, 64, dtype=F16), small(64, 64, dtype=F16, seed=3)


@CASES.pair(finds="data-race", jax="error: collective_axis not supported yet",
            right={"expect": lambda: _product(_CA, _CB), "jax": "error: collective_axis not supported yet"})
def collective_mma(right):
  """Two blocks each hold half of the rows of a and half of the columns of b."""

  def body(x, y, o, a, b, acc, bar, loaded, done):
    c = lax.axis_index("c")
    plgpu.copy_gmem_to_smem(x.at[pl.ds(128 * c, 128)], a, bar)
    plgpu.copy_gmem_to_smem(y.at[:, pl.ds(32 * c, 32)], b, bar)
    plgpu.barrier_wait(bar)
    if right:
      plgpu.barrier_arrive(loaded)
      plgpu.barrier_wait(loaded)

    @pl.when(c == 0)
    def _():
      plgpu.tcgen05_mma(acc, a, b, accumulate=False, collective_axis="c")
      plgpu.tcgen05_commit_arrive(done, collective_axis="c")

    plgpu.barrier_wait(done)
    o[pl.ds(128 * c, 128), :] = plgpu.async_load_tmem(acc)
    if not right:
      plgpu.barrier_arrive(loaded)
      plgpu.barrier_wait(loaded)

  scratch = [smem(128, 64, dtype=F16), smem(64, 32, dtype=F16), _tensor(128, 64, collective=True), barrier(2),
             plgpu.ClusterBarrier(collective_axes=("c",)), _done()]
  return kernel(body, f32(256, 64), scratch, cluster=(2,), cluster_names=("c",))(_CA, _CB)


# Block scales and sparsity.


def _scales(rows, blocks, seed):
  """Powers of two, one for each row and 32 elements along it."""
  return (2.0 ** (numbers(rows, blocks) % 3 + seed)).astype(np.float32)


def _as_in_memory(scales):
  """Scales of 128 rows and 4 blocks each as the tensor core wants them: 32 lanes of 16 bytes."""
  rows, blocks = scales.shape
  x = scales.astype(jnp.float8_e8m0fnu).reshape(rows // 128, 4, 32, blocks // 4, 4)
  return x.transpose(0, 3, 2, 1, 4).reshape(rows // 128, blocks // 4, 32, 16)


_SA, _SB = small(128, 128, dtype=jnp.float8_e4m3fn), small(128, 128, dtype=jnp.float8_e4m3fn, seed=3)


def _scaled_product():
  sa, sb = _scales(128, 4, 0), _scales(128, 4, 1)
  a = _SA.astype(np.float32) * np.repeat(sa, 32, axis=1)
  b = _SB.astype(np.float32) * np.repeat(sb, 32, axis=1).T
  return a @ b


@CASES.pair(finds="data-race", jax="error: source must be an SMEM ref",
            right={"expect": _scaled_product, "jax": "error: source must be an SMEM ref"})
def scaled_mma(right):
  def body(x, y, xs, ys, o, a, b, a_scales, b_scales, acc, a_scales_tmem, b_scales_tmem, bar, scaled, done):
    _load(bar, (x, a), (y, b))
    plgpu.copy_gmem_to_smem(xs, a_scales, scaled)
    plgpu.copy_gmem_to_smem(ys, b_scales, scaled)
    if right:
      plgpu.barrier_wait(scaled)
    plgpu.async_copy_scales_to_tmem(a_scales, a_scales_tmem)
    plgpu.async_copy_scales_to_tmem(b_scales, b_scales_tmem)
    plgpu.tcgen05_mma(acc, a, b, a_scale=a_scales_tmem, b_scale=b_scales_tmem, accumulate=False)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    if not right:
      plgpu.barrier_wait(scaled)
    o[...] = plgpu.async_load_tmem(acc)

  e8 = jnp.float8_e8m0fnu
  scratch = [smem(128, 128, dtype=_SA.dtype), smem(128, 128, dtype=_SB.dtype), smem(1, 1, 32, 16, dtype=e8), smem(1, 1, 32, 16, dtype=e8),
             _tensor(128, 128), _tensor(128, 4, dtype=e8, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
             _tensor(128, 4, dtype=e8, layout=plgpu.TMEMLayout.SCALES_LAYOUT), barrier(2), barrier(2), _done()]
  return kernel(body, f32(128, 128), scratch)(_SA, _SB, _as_in_memory(_scales(128, 4, 0)), _as_in_memory(_scales(128, 4, 1)))


@CASES.add(jax="error: source must be an SMEM ref", expect=lambda: _sparse()[0] @ _sparse()[2].astype(np.float32))
def sparse_mma():
  def body(x, y, meta, o, a, b, meta_smem, acc, meta_tmem, bar, done):
    _load(bar, (x, a), (y, b), (meta, meta_smem))
    plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta_tmem)
    plgpu.tcgen05_mma(acc, a, b, a_sparse_metadata=meta_tmem, accumulate=False)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)

  _, packed, y, meta = _sparse()
  meta = plgpu.format_tcgen05_sparse_metadata(meta, F16)
  scratch = [smem(128, 64, dtype=F16), smem(128, 32, dtype=F16), smem(*meta.shape, dtype=meta.dtype), _tensor(128, 32),
             _tensor(128, 64, dtype=jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT), barrier(3), _done()]
  return kernel(body, f32(128, 32), scratch)(packed, y, meta)


def _sparse():
  """A matrix of which two of four elements are zero, what is left, a dense one, and where it was."""
  packed = small(128, 64, dtype=F16)
  first = numbers(128, 32) % 3
  second = first + 1 + numbers(128, 32) % (3 - first)
  places = np.stack([first, second], axis=-1)
  full = np.zeros((128, 32, 4), np.float32)
  np.put_along_axis(full, places, packed.reshape(128, 32, 2).astype(np.float32), axis=-1)
  return full.reshape(128, 128), packed, small(128, 32, dtype=F16, seed=3), jnp.asarray(places, jnp.uint2)


@CASES.add(expect=lambda: _product(small(64, 16, dtype=F16), small(16, 8, dtype=F16, seed=3)) + 1, jax="error: MLIR translation rule for primitive 'mma' not found")
def mma_of_registers():
  """The product of Ampere's tensor cores, of arrays."""

  def body(x, y, o):
    o[...] = plgpu.mma(jnp.ones((64, 8), jnp.float32), x[...], y[...])

  return kernel(body, f32(64, 8))(small(64, 16, dtype=F16), small(16, 8, dtype=F16, seed=3))

