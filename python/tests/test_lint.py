"""What would not compile for a GPU: gpusim's findings, and what JAX's compiler says of the same kernels.

Lowering a kernel for CUDA needs no GPU: it runs the Mosaic GPU compiler up to the point where the
code leaves Python, with all its checks of shapes, types and layouts.

Run as a program, this writes the cases for the tests of package pallas/lint.
"""

import json
import pathlib
import tempfile

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import checkify
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.sharding import AbstractDevice, AbstractMesh

import gpusim_jax

H100, B200 = "NVIDIA H100 80GB HBM3", "NVIDIA B200"
f32, f16, bf16, i32, i8 = jnp.float32, jnp.float16, jnp.bfloat16, jnp.int32, jnp.int8
f8 = jnp.float8_e4m3fn
SMEM, TMEM, ACC, Barrier = plgpu.SMEM, plgpu.TMEM, plgpu.ACC, plgpu.Barrier
TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))  # of 16-bit elements
LANES = dict(compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane))
CLUSTER = dict(cluster=(2,), cluster_names=("c",))


def _on(device):
  abstract = AbstractDevice(device_kind=device, platform="gpu", num_cores=4)
  return jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=abstract))


def compiler_says(fn, args, device):
  """The compiler's error, or None."""
  with _on(device):
    traced = jax.jit(lambda *x: fn(*x)).trace(*args)
    try:
      traced.lower(lowering_platforms=("cuda",))
    except Exception as error:  # of many types, also assertions
      return error
  return None


def gpusim_says(fn, args, device, **options):
  """The findings about compilation."""
  arrays = [jnp.zeros(a.shape, a.dtype) for a in args]
  with _on(device):
    report = gpusim_jax.check(lambda *x: fn(*x), *arrays, max_instructions=100_000, **({"lint": True} | options))
  return [f for f in report.findings if f.kind == "would-not-lower"]


def _array(*shape, dtype=f32):
  return jax.ShapeDtypeStruct(shape, dtype)


def kernel(body, ins, out, scratch=(), **kw):
  return plgpu.kernel(body, out_type=out, scratch_types=scratch, **kw), ins


def loaded(fn, shape=(128, 128), dtype=f32, out=None, out_dtype=None, **kw):
  """A kernel that loads an array, computes something of it, and stores that."""

  def body(x, o):
    o[...] = fn(x[...])

  kw = {"grid": (2,), "grid_names": ("g",)} | kw
  return kernel(body, [_array(*shape, dtype=dtype)], _array(*(out or shape), dtype=out_dtype or dtype), **kw)


def with_two(fn, dtype):
  """The same with two arrays, whose result is converted."""

  def body(x, y, o):
    o[...] = fn(x[...], y[...]).astype(f32)

  return kernel(body, [_array(128, 128, dtype=dtype)] * 2, _array(128, 128))


def warps(fn, scratch=(), ins=None, **kw):
  """A kernel whose warps run something."""

  def body(x, o, *s):
    @plgpu.warp_map
    def _(_):
      fn(x, o, *s)

  return kernel(body, ins or [_array(8, dtype=i32)], _array(8, dtype=i32), scratch, **kw)


def one(fn, scratch=(), ins=None, **kw):
  """A kernel of one statement."""

  def body(x, o, *s):
    fn(x, o, *s)

  return kernel(body, ins or [_array(8, dtype=i32)], _array(8, dtype=i32), scratch, **kw)


def put(ref, value):
  ref[0] = value


def copied(gmem, smem, index=None, part=None, dtype=f32, transforms=(), barrier=True, how=None, view=None, **kw):
  """A kernel that copies to shared memory."""

  def body(x, o, s, b):
    del o
    src = x if index is None else x.at[index() if callable(index) else index]
    src = src if view is None else view(src)
    dst = s if part is None else s.at[part]
    plgpu.copy_gmem_to_smem(src, dst, *([b] if barrier else []), **(how or {}))
    if barrier:
      plgpu.barrier_wait(b)

  return kernel(body, [_array(*gmem, dtype=dtype)], _array(8, dtype=i32), [SMEM(smem, dtype, transforms=transforms), Barrier()], **kw)


def copied_back(dtype=f32, **how):
  def body(x, o, s):
    del x
    plgpu.copy_smem_to_gmem(s, o, **how)
    plgpu.wait_smem_to_gmem(0)

  return kernel(body, [_array(8, dtype=i32)], _array(128, 128, dtype=dtype), [SMEM((128, 128), dtype)])


def hopper(m, n, k, dtype=f16, acc=f32, a=(), b=(), turn_a=False, turn_b=False, registers=False, **kw):
  """A kernel with wgmma."""

  def body(o, sa, sb):
    def product(total):
      left = sa.T if turn_a else sa
      left = sa[...] if registers else left
      plgpu.wgmma(total, left, sb.T if turn_b else sb)
      plgpu.wgmma_wait(0)
      return total[...]

    o[...] = pl.run_scoped(product, ACC((m, n), acc)).astype(o.dtype)

  sa, sb = ((k, m) if turn_a else (m, k)), ((n, k) if turn_b else (k, n))
  out = f32 if acc == f16 else acc  # threads have too little of 16-bit accumulators in a row to store it
  return kernel(body, [], _array(m, n, dtype=out), [SMEM(sa, dtype, transforms=a), SMEM(sb, dtype, transforms=b)], **kw)


def blackwell(m, n, k, dtype=f16, acc=f32, a=(), b=(), turn_b=False, together=False, in_tmem=None, cluster=(2,), axes=("c",), store=False):
  """A kernel with tcgen05_mma."""

  def body(o, sa, sb, total, ta, bar):
    def product():
      plgpu.tcgen05_mma(total, sa if in_tmem is None else ta, sb.T if turn_b else sb, bar, accumulate=False,
                        **({"collective_axis": "c"} if together else {}))

    if together:
      pl.when(lax.axis_index("c") == 0)(product)
    else:
      product()
    plgpu.barrier_wait(bar)
    if store:
      o[...] = plgpu.async_load_tmem(total)

  columns = n // 2 if together else n
  scratch = [
      SMEM((m, k), dtype, transforms=a), SMEM((columns, k) if turn_b else (k, columns), dtype, transforms=b),
      TMEM((m, n), acc, collective=together, **({"packed": False} if jnp.dtype(acc).itemsize < 4 else {})),
      TMEM((m, k), dtype, collective=together, **(in_tmem or {})) if in_tmem is not None else TMEM((128, 32), f32, collective=together),
      Barrier(orders_tensor_core=True)]
  kw = dict(cluster=cluster, cluster_names=axes) if together else {}
  return kernel(body, [], _array(m, n, dtype=acc), scratch, **kw)


def _indices(n=64):
  return jnp.zeros((n,), i32)


def scoped(*scratch, **kw):
  collective = {"collective_axes": kw.pop("axes")} if "axes" in kw else {}
  return one(lambda x, o: pl.run_scoped(lambda *s: None, *scratch, **collective), **kw)


def pallas_call(x):
  return pl.pallas_call(lambda x, o: put(o, x[0]), out_shape=_array(8, dtype=i32), compiler_params=plgpu.CompilerParams())(x)


THREADS = dict(num_threads=2, thread_name="t")
TRACKED = plgpu.CopyPartition.PARTITIONED(0)

# Kernels by name: how they are made, and a part of what gpusim says; None for those that compile.
CASES = {
    # Primitives.
    "add": (lambda: loaded(lambda x: x + 1), None),
    "dot_general": (lambda: loaded(lambda x: x @ x), "dot_general"),
    "sort": (lambda: loaded(jnp.sort), "sort"),
    "cumsum": (lambda: loaded(lambda x: jnp.cumsum(x, 0)), "cumsum"),
    "transpose": (lambda: loaded(lambda x: x.T), "transpose"),
    "gather": (lambda: loaded(lambda x: jnp.take(x, jnp.zeros((128,), i32), axis=0, mode="clip")), "gather"),
    "dynamic_slice": (lambda: loaded(lambda x: lax.dynamic_slice(x, (lax.axis_index("g"), 0), (128, 128))), "dynamic_slice"),
    "scatter": (lambda: loaded(lambda x: x.at[0, 0].set(1.0)), "scatter"),
    "unstack": (lambda: loaded(lambda x: jnp.unstack(x)[0], out=(128,)), "unstack"),
    "argmax": (lambda: loaded(lambda x: x + jnp.argmax(x)), "argmax"),
    "pow": (lambda: loaded(lambda x: jnp.power(x, x)), "pow"),
    "floor": (lambda: loaded(jnp.floor), "floor"),
    "log1p": (lambda: loaded(jnp.log1p), "log1p"),
    "is_finite": (lambda: loaded(lambda x: jnp.where(jnp.isfinite(x), x, 0)), "is_finite"),
    "stop_gradient": (lambda: loaded(lax.stop_gradient), "stop_gradient"),
    "checkpoint": (lambda: loaded(lambda x: jax.checkpoint(lambda y: y + 1)(x)), "jax.checkpoint"),
    "softmax": (lambda: loaded(jax.nn.softmax), "stop_gradient"),
    "gelu": (lambda: loaded(jax.nn.gelu), None),
    "exp": (lambda: loaded(jnp.exp), None),
    "logistic": (lambda: loaded(jax.nn.sigmoid), None),
    "erf": (lambda: loaded(lax.erf), "erf"),
    "erf with lanes": (lambda: loaded(lax.erf, **LANES), None),
    "remainder": (lambda: loaded(lambda x: lax.rem(x, 3.0)), "remainder"),
    "remainder of integers": (lambda: loaded(lambda x: lax.rem(x, 3), dtype=i32), None),
    "power 3": (lambda: loaded(lambda x: x**3), None),
    "power -2": (lambda: loaded(lambda x: lax.integer_pow(x, -2)), "power"),
    "select of 3": (lambda: loaded(lambda x: lax.select_n(x.astype(i32), x, x + 1, x + 2)), "3 cases"),
    "select by a scalar": (lambda: loaded(lambda x: lax.select_n(lax.axis_index("g") > 0, x, x + 1)), "condition of shape"),
    "select by a scalar with lanes": (lambda: loaded(lambda x: lax.select_n(lax.axis_index("g") > 0, x, x + 1), **LANES), None),
    "where": (lambda: loaded(lambda x: jnp.where(x > 0, x, 0.0)), None),
    "pl.pallas_call": (lambda: (pallas_call, [_array(8, dtype=i32)]), "pl.pallas_call"),
    # Types of elements.
    "int8": (lambda: with_two(lambda x, y: x + y, i8), "16 bits"),
    "float8": (lambda: with_two(lambda x, y: x * y, f8), "16 bits"),
    "int8 and": (lambda: with_two(lambda x, y: x & y, i8), None),
    "int8 converted": (lambda: with_two(lambda x, y: x.astype(i32) + y, i8), None),
    "int8 scalar": (lambda: one(lambda x, o: put(o, (x[0] + x[1]).astype(i32)), ins=[_array(8, dtype=i8)]), None),
    "float8 to float8": (lambda: loaded(lambda x: x.astype(jnp.float8_e5m2), dtype=f8, out_dtype=jnp.float8_e5m2), "both have 8 bits"),
    "float16 to bfloat16": (lambda: loaded(lambda x: x.astype(bf16), dtype=f16, out_dtype=bf16), None),
    "float8_e8m0fnu": (lambda: loaded(lambda x: x.astype(f32), dtype=jnp.float8_e8m0fnu, out_dtype=f32), "sm_90 does not have"),
    "to booleans": (lambda: loaded(lambda x: x.astype(jnp.bool_).astype(f32)), "to booleans"),
    "not": (lambda: loaded(lambda x: jnp.where(~(x > 0), x, x + 1)), "negate"),
    "and of booleans": (lambda: loaded(lambda x: jnp.where((x > 0) & (x < 3), x, x + 1)), None),
    "max of booleans": (lambda: loaded(lambda x: jnp.where(lax.max(x > 0, x < 3), x, x + 1)), "max of booleans"),
    "bitcast": (lambda: loaded(lambda x: lax.bitcast_convert_type(x, i32), out_dtype=i32), None),
    "bitcast to 16 bits": (lambda: loaded(lambda x: lax.bitcast_convert_type(x, f16)[..., 0].astype(f32)), "different sizes"),
    # Shapes and layouts of arrays in registers.
    "100 elements": (lambda: loaded(lambda x: x + 1, shape=(100,)), "128 threads"),
    "4 by 4": (lambda: loaded(lambda x: x + 1, shape=(4, 4)), "128 threads"),
    "128 by 3": (lambda: loaded(lambda x: x + 1, shape=(128, 3)), None),
    "scalars": (lambda: one(lambda x, o: put(o, x[0] + 1)), None),
    "splat of 35": (lambda: loaded(lambda x: jnp.zeros((7, 5)), out=(7, 5)), "128 threads"),
    "slice": (lambda: loaded(lambda x: x[:64], out=(64, 128)), "tiled layout"),
    "slice with stride": (lambda: loaded(lambda x: x[::2], out=(64, 128)), "strides"),
    "concatenate": (lambda: loaded(lambda x: jnp.concatenate([x, x]), out=(256, 128)), "tiled layout"),
    "rows summed": (lambda: loaded(lambda x: x - x.max(1, keepdims=True)), "tiled layout"),
    "rows summed in a layout": (lambda: loaded(lambda x: (y := plgpu.layout_cast(x, plgpu.Layout.WGMMA)) - lax.broadcast_in_dim(y.max(1), (128, 128), (0,))), None),
    "all summed": (lambda: loaded(lambda x: x + x.sum()), None),
    "iota": (lambda: loaded(lambda x: x + lax.broadcasted_iota(f32, (128, 128), 0)), None),
    "iota with lanes": (lambda: loaded(lambda x: x + lax.broadcasted_iota(f32, (128, 128), 0), **LANES), "iota"),
    # Control flow, output, checks.
    "fori_loop": (lambda: one(lambda x, o: lax.fori_loop(0, x[0], lambda i, c: put(o, i), None)), None),
    "while_loop": (lambda: one(lambda x, o: put(o, lax.while_loop(lambda c: c < 9, lambda c: c + 1, x[0]))), None),
    "reversed scan": (lambda: one(lambda x, o: lax.scan(lambda c, _: (put(o, c) or c + 1, None), jnp.int32(0), None, length=3, reverse=True)), "reversed"),
    "scan of an array": (lambda: loaded(lambda x: x + lax.scan(lambda c, y: (c + y.sum(), None), 0.0, x)[0]), "elements of an array"),
    "scan that collects": (lambda: loaded(lambda x: x + lax.scan(lambda c, _: (c + 1, c), 0.0, None, length=4)[1].sum()), "collects"),
    "unrolled by 3": (lambda: one(lambda x, o: lax.fori_loop(0, 4, lambda i, c: put(o, i), None, unroll=3)), "unrolled"),
    "debug_print": (lambda: one(lambda x, o: pl.debug_print("{} {}", x[0], x[1])), None),
    "debug_print by name": (lambda: one(lambda x, o: jax.debug.print("{a}", a=x[0])), "by position"),
    "debug_print of two arrays": (lambda: loaded(lambda x: (pl.debug_print("{} {}", x, x), x)[1]), "debug_print"),
    "debug_print with a format": (lambda: one(lambda x, o: pl.debug_print("{:d}", x[0])), "specification"),
    "debug_check": (lambda: one(lambda x, o: pl.debug_check(x[0] >= 0, "a")), None),
    "check": (lambda: one(lambda x, o: checkify.check(x[0] >= 0, "a")), "debugging checks"),
    # Warps.
    "warp": (lambda: warps(lambda x, o: put(o, x[0] + 1)), None),
    "warp: negation": (lambda: warps(lambda x, o: put(o, -x[0])), "neg inside of a warp"),
    "warp: negation with lanes": (lambda: warps(lambda x, o: put(o, -x[0]), **LANES), None),
    "warp: exp": (lambda: warps(lambda x, o: put(o, jnp.exp(x[0].astype(f32)).astype(i32))), "exp inside of a warp"),
    "warp: array": (lambda: warps(lambda x, o: o.__setitem__(..., x[...])), "inside of a warp"),
    "warp: loop": (lambda: warps(lambda x, o: lax.fori_loop(0, x[0], lambda i, c: put(o, i), None)), None),
    "warp: while_loop": (lambda: warps(lambda x, o: put(o, lax.while_loop(lambda c: c < 3, lambda c: c + 1, x[0]))), "while loop inside of a warp"),
    "warp: when": (lambda: one(lambda x, o: plgpu.warp_map(lambda w: pl.when(w == 0)(lambda: put(o, 1)))), None),
    "warp: commit_smem": (lambda: warps(lambda x, o: plgpu.commit_smem()), "commit_smem inside of a warp"),
    "warp: run_scoped": (lambda: warps(lambda x, o: pl.run_scoped(lambda s: put(s, 1), SMEM((8,), i32))), "run_scoped inside of a warp"),
    "warp: program_id": (lambda: warps(lambda x, o: put(o, pl.program_id(0)), grid=(2,), grid_names=("g",)), "pl.program_id inside of a warp"),
    "warp: multiple_of": (lambda: warps(lambda x, o: put(o, pl.multiple_of(x[0], 8))), "multiple_of inside of a warp"),
    "warp: load from shared memory": (lambda: warps(lambda x, o, s: put(o, s[0]), [SMEM((8,), i32)]), "load from shared memory inside of a warp"),
    "warp: store to shared memory": (lambda: warps(lambda x, o, s: put(s, x[0]), [SMEM((8,), i32)]), None),
    "warp: copy": (lambda: warps(lambda x, o, s, b: (plgpu.copy_gmem_to_smem(x, s, b), plgpu.barrier_wait(b)), [SMEM((128,), i32), Barrier()], [_array(128, dtype=i32)]), None),
    "warp: tensor memory": (lambda: warps(lambda x, o, t: plgpu.async_load_tmem(t), [TMEM((128, 128), f32)]), "async_load_tmem inside of a warp", B200),
    "warp: cluster barrier": (lambda: warps(lambda x, o, b: plgpu.barrier_arrive(b), [plgpu.ClusterBarrier(collective_axes=("c",))], **CLUSTER), "cluster barrier"),
    # Scopes and capacities.
    "scope": (lambda: scoped(SMEM((8,), f32)), None),
    "scope of threads": (lambda: scoped(SMEM((8,), f32), axes=("t",), **THREADS), None),
    "accumulator and memory together": (lambda: scoped(ACC((64, 64), f32), SMEM((8,), f32), axes=("t",), **THREADS), "accumulator"),
    "accumulator in threads": (lambda: scoped(ACC((64, 64), f32), **THREADS), None),
    "semaphore of each thread": (lambda: scoped(plgpu.SemaphoreType.REGULAR, **THREADS), "semaphore"),
    "scratch in global memory": (lambda: scoped(plgpu.GMEM((8,), f32)), "global memory"),
    "227 KiB": (lambda: scoped(SMEM((227 * 1024,), i8)), None),
    "228 KiB": (lambda: scoped(SMEM((228 * 1024,), i8)), "bytes of shared memory"),
    "scopes in scopes": (lambda: one(lambda x, o: pl.run_scoped(lambda a: pl.run_scoped(lambda b: None, SMEM((150 * 1024,), i8)), SMEM((150 * 1024,), i8))), "bytes of shared memory"),
    "scopes after scopes": (lambda: one(lambda x, o: [pl.run_scoped(lambda a: None, SMEM((150 * 1024,), i8)) for _ in range(2)]), None),
    "600 columns": (lambda: one(lambda x, o, t: None, [TMEM((128, 600), f32)]), "columns", B200),
    "512 columns": (lambda: one(lambda x, o, t: None, [TMEM((128, 512), f32)]), None, B200),
    "1024 packed columns": (lambda: one(lambda x, o, t: None, [TMEM((128, 1024), f16, packed=True)]), None, B200),
    "collective and not": (lambda: one(lambda x, o, s, t: None, [TMEM((128, 32), f32), TMEM((128, 32), f32, collective=True)], **CLUSTER), "mixed", B200),
    "collective alone": (lambda: one(lambda x, o, t: None, [TMEM((128, 32), f32, collective=True)]), "odd number of blocks", B200),
    # Access to memory.
    "load with stride": (lambda: kernel(lambda x, o: o.__setitem__(..., x[pl.ds(0, 128, 2)]), [_array(256)], _array(128)), "stride"),
    "load with indices": (lambda: kernel(lambda x, o: o.__setitem__(..., x[x[...].astype(i32)]), [_array(128)], _array(128)), "indices"),
    "load through a transposed reference": (lambda: kernel(lambda x, o: o.__setitem__(..., x.T[...]), [_array(128, 128)], _array(128, 128)), "transposed"),
    "load through a reshaped reference": (lambda: kernel(lambda x, o: o.__setitem__(..., x.reshape(128 * 128)[...]), [_array(128, 128)], _array(128 * 128)), None),
    "load through a bitcast reference": (lambda: kernel(lambda o, s: o.__setitem__(..., s.bitcast(i32)[...]), [], _array(128, 128, dtype=i32), [SMEM((128, 128), f32)]), "bitcast"),
    "load from tensor memory": (lambda: kernel(lambda o, t: o.__setitem__(..., t[...]), [], _array(128, 128), [TMEM((128, 128), f32)]), "asynchronously", B200),
    "rows of tensor memory": (lambda: kernel(lambda o, t: o.__setitem__(..., plgpu.async_load_tmem(t.at[pl.ds(0, 64), :])), [], _array(64, 128), [TMEM((128, 128), f32)]), "rows of tensor memory", B200),
    "columns of tensor memory": (lambda: kernel(lambda o, t: o.__setitem__(..., plgpu.async_load_tmem(t.at[:, pl.ds(0, 64)])), [], _array(128, 64), [TMEM((128, 128), f32)]), None, B200),
    "atomic add": (lambda: kernel(lambda x, o: plgpu.atomic_add(o, x[...]), [_array(128)], _array(128)), None),
    "atomic max": (lambda: kernel(lambda x, o: plgpu.atomic_max(o, x[...]), [_array(128)], _array(128)), "only add"),
    "atomic max of int32": (lambda: kernel(lambda x, o: plgpu.atomic_max(o, x[...]), [_array(128, dtype=i32)], _array(128, dtype=i32)), None),
    "atomic add of int8": (lambda: kernel(lambda x, o: plgpu.atomic_add(o, x[...]), [_array(128, dtype=i8)], _array(128, dtype=i8)), "int8"),
    # Copies.
    "copy": (lambda: copied((128, 128), (128, 128)), None),
    "copy of tiles": (lambda: copied((128, 128), (128, 128), dtype=f16, transforms=TILES), None),
    "copy of a row": (lambda: copied((128, 128), (128,), (3,)), None),
    "copy of a column": (lambda: copied((128, 128), (128,), (slice(None), 3)), "column"),
    "copy of 12 bytes": (lambda: copied((128, 128), (128, 3), (slice(None), pl.ds(0, 3))), "12 bytes"),
    "copy of 16 bytes": (lambda: copied((128, 128), (128, 4), (slice(None), pl.ds(0, 4))), None),
    "copy from rows of 20 bytes": (lambda: copied((8, 5), (8, 4), (slice(None), pl.ds(0, 4))), "multiple of 16 bytes"),
    "copy of 384": (lambda: copied((384,), (384,)), "at most 256"),
    "copy of 6 dimensions": (lambda: copied((2, 2, 2, 2, 2, 16), (2, 2, 2, 2, 2, 16)), "6 dimensions"),
    "copy of booleans": (lambda: copied((128, 128), (128, 128), dtype=jnp.bool_), "booleans"),
    "copy to whole tiles": (lambda: copied((8, 128), (128, 128), part=(pl.ds(8, 8),), dtype=f16, transforms=TILES), None),
    "copy to parts of tiles": (lambda: copied((8, 128), (128, 128), part=(pl.ds(4, 8),), dtype=f16, transforms=TILES), "whole tiles"),
    "copy to a row of tiles": (lambda: copied((128,), (128, 128), part=(3,), dtype=f16, transforms=TILES), "picks a row"),
    "copy to columns": (lambda: copied((128, 64), (128, 128), part=(slice(None), pl.ds(64, 64))), "not in one piece"),
    "copy to every second row": (lambda: copied((64, 128), (128, 128), part=(pl.ds(0, 64, 2),)), "stride"),
    "copy from a transposed reference": (lambda: copied((64, 128), (128, 64), view=lambda x: x.T), "only be indexed"),
    "copy from a reshaped reference": (lambda: copied((64, 128), (128, 64), view=lambda x: x.reshape(128, 64)), "only be indexed"),
    "copy without a barrier": (lambda: copied((128, 128), (128, 128), barrier=False), "without a barrier"),
    "gather": (lambda: copied((128, 128), (64, 128), _indices), None),
    "gather of 10": (lambda: copied((128, 128), (10, 128), lambda: _indices(10)), "multiple of 4"),
    "gather of columns": (lambda: copied((128, 128), (128, 64), lambda: (slice(None), _indices())), "only the first one"),
    "collective copy": (lambda: copied((128, 128), (128, 128), how=dict(collective_axes=("c",)), **CLUSTER), None),
    "copy by 3 blocks": (lambda: copied((128, 128), (128, 128), how=dict(collective_axes=("c",)), cluster=(3,), cluster_names=("c",)), "cannot share"),
    "partitioned copy": (lambda: copied((256, 128), (128, 128), how=dict(collective_axes=("c",), leader_tracked=TRACKED), **CLUSTER), None, B200),
    "partitioned copy of 4": (lambda: copied((512, 128), (128, 128), how=dict(collective_axes=("c",), leader_tracked=TRACKED), cluster=(4,), cluster_names=("c",)), "of size 2", B200),
    "reduction": (lambda: copied_back(reduction_op="add"), None),
    "reduction of int8": (lambda: copied_back(i8, reduction_op="add"), "cannot reduce"),
    "minimum of float32": (lambda: copied_back(reduction_op="min"), "cannot reduce"),
    "minimum of float16": (lambda: copied_back(f16, reduction_op="min"), None),
    # wgmma.
    "wgmma": (lambda: hopper(64, 128, 64), None),
    "wgmma of tiles": (lambda: hopper(64, 128, 64, a=TILES, b=TILES), None),
    "wgmma with 96 rows": (lambda: hopper(96, 128, 64), "96 rows"),
    "wgmma with 264 columns": (lambda: hopper(64, 264, 64), "264 columns"),
    "wgmma with 8 columns": (lambda: hopper(64, 8, 64), "16 bytes"),
    "wgmma contracting 8": (lambda: hopper(64, 64, 8), "contracts 8"),
    "wgmma of unequal swizzles": (lambda: hopper(64, 128, 64, a=TILES, b=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))), "must be equal"),
    "wgmma without swizzle": (lambda: hopper(64, 128, 64, a=TILES[:1], b=TILES[:1]), "needs both"),
    "wgmma of large tiles": (lambda: hopper(64, 128, 64, a=(plgpu.TilingTransform((16, 64)), TILES[1]), b=TILES), "(8, 64)"),
    "wgmma to bfloat16": (lambda: hopper(64, 64, 64, bf16, bf16), "bfloat16 are added"),
    "wgmma to float16": (lambda: hopper(64, 64, 64, f16, f16), None),
    "wgmma of int16": (lambda: hopper(64, 64, 64, jnp.int16, i32), "does not multiply"),
    "wgmma of int8": (lambda: hopper(64, 64, 128, i8, i32, turn_b=True), None),
    "wgmma of int8 along columns": (lambda: hopper(64, 64, 128, i8, i32), "contracted dimension"),
    "wgmma to uint32": (lambda: hopper(64, 64, 128, jnp.uint8, jnp.uint32, turn_b=True), "signed"),
    "wgmma from registers": (lambda: hopper(64, 64, 64, registers=True), None),
    "wgmma of float32 from registers": (lambda: hopper(64, 64, 64, f32, registers=True, turn_b=True), "in registers"),
    "wgmma without tiles, with lanes": (lambda: hopper(64, 128, 64, **LANES), "has no tiles"),
    # tcgen05.
    "mma": (lambda: blackwell(128, 128, 64, store=True), None, B200),
    "mma of tiles": (lambda: blackwell(128, 128, 64, a=TILES, b=TILES, store=True), None, B200),
    "mma without swizzle": (lambda: blackwell(128, 128, 64, a=TILES[:1], b=TILES[:1]), "needs both", B200),
    "mma with 264 columns": (lambda: blackwell(128, 264, 64, turn_b=True), "264 columns", B200),
    "mma with 12 columns": (lambda: blackwell(128, 12, 64, turn_b=True), "12 columns", B200),
    "mma with 8 columns": (lambda: blackwell(128, 8, 64, turn_b=True), None, B200),
    "mma of int8 with 8 columns": (lambda: blackwell(128, 8, 128, i8, i32, turn_b=True), "8 columns", B200),
    "mma contracting 32": (lambda: blackwell(128, 128, 32), "contracts 32", B200),
    "mma contracting 32 along rows": (lambda: blackwell(128, 128, 32, turn_b=True), None, B200),
    "mma of float32": (lambda: blackwell(128, 128, 64, f32), "float32", B200),
    "mma of int8 to float32": (lambda: blackwell(128, 128, 128, i8, f32), "int8 are added", B200),
    "mma from tensor memory": (lambda: blackwell(128, 128, 64, in_tmem=dict(packed=True)), None, B200),
    "mma from tensor memory, not packed": (lambda: blackwell(128, 128, 64, in_tmem=dict(packed=False)), "packed", B200),
    "mma of 64 rows": (lambda: blackwell(64, 128, 64), None, B200),
    "mma of 64 rows from tensor memory": (lambda: blackwell(64, 128, 64, in_tmem=dict(packed=True)), "64 rows in tensor memory", B200),
    "mma of 64 rows and 16 columns": (lambda: blackwell(64, 16, 64), "64 rows and 16 columns", B200),
    "collective mma": (lambda: blackwell(128, 256, 64, together=True), None, B200),
    "collective mma of 4 blocks": (lambda: blackwell(128, 256, 64, together=True, cluster=(4,)), "of size 2", B200),
    "collective mma with 16 columns": (lambda: blackwell(128, 16, 64, together=True, turn_b=True), "8 columns in a block", B200),
}


def _case(name):
  make, says, *device = CASES[name]
  return make(), says, (device or [H100])[0]


@pytest.mark.parametrize("name", CASES)
def test_findings(name):
  (fn, args), says, device = _case(name)
  found = [f.message for f in gpusim_says(fn, args, device)]
  if says is None:
    assert not found
  else:
    assert any(says in m for m in found), found


@pytest.mark.parametrize("name", CASES)
def test_the_compiler_agrees(name):
  (fn, args), says, device = _case(name)
  error = compiler_says(fn, args, device)
  assert (error is None) == (says is None), error


def test_more_threads_than_a_block_has():
  """The compiler lets them pass up to 14; the launch fails."""
  fn, args = one(lambda x, o: put(o, x[0]), num_threads=9, thread_name="t")
  (finding,) = gpusim_says(fn, args, H100)
  assert "1152 threads" in finding.message


def test_places_and_severity():
  fn, args = loaded(lambda x: jnp.cumsum(x, 0))
  (finding,) = gpusim_says(fn, args, H100)
  assert finding.severity == "warning" and finding.places[0][0].endswith("test_lint.py")
  assert not gpusim_says(fn, args, H100, lint=False)
  assert not gpusim_says(fn, args, H100, policy={"would-not-lower": "off"})
  (finding,) = gpusim_says(fn, args, H100, policy={"would-not-lower": "error"})
  assert finding.severity == "error"


def test_install_with_lint():
  fn, args = loaded(lambda x: jnp.cumsum(x, 0))
  with gpusim_jax.install(lint=True), plgpu.force_gpu_interpret_mode():
    fn(jnp.zeros(args[0].shape))
  assert [f["kind"] for f in gpusim_jax.last_report()["findings"]] == ["would-not-lower"]


EXPORTED = pathlib.Path(__file__).parents[2] / "pallas" / "lint" / "testdata" / "cases.json"


def test_the_exported_cases_are_these():
  kept = [json.loads(line) for line in EXPORTED.read_text().splitlines()]
  assert {c["name"]: c["says"] for c in kept} == {name: says for name, (_, says, *_) in CASES.items()}


def _exported(name, folder):
  """The program of a case, without the contents of its buffers."""
  (fn, args), says, device = _case(name)
  arrays = [jnp.zeros(a.shape, a.dtype) for a in args]
  with _on(device):
    (path,) = gpusim_jax.export(lambda *x: fn(*x), *arrays, path=folder / "case.json")
  program = json.loads(path.read_text())
  for b in program["buffers"]:
    if b.pop("data", None) is not None or b.pop("file", None) is not None:
      b["input"] = True
  for place in program["sources"]:
    place[0] = pathlib.Path(place[0]).name if place[0] else ""
  return {"name": name, "says": says, "program": program}


if __name__ == "__main__":
  with tempfile.TemporaryDirectory() as folder:
    lines = [json.dumps(_exported(name, pathlib.Path(folder))) for name in CASES]
  EXPORTED.parent.mkdir(exist_ok=True)
  EXPORTED.write_text("".join(line + "\n" for line in lines))
