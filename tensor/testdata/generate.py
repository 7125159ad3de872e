"""Writes cases.jsonl.gz: primitives with operands and the results that JAX has on a CPU.

A case is a line {prim, params, in, out, ulp, flush}: arrays as [dtype, shape, base64], ulp the
units of the last place by which a result may differ, flush whether XLA takes subnormal numbers
for zero in it. Run it with a Python that has JAX, from any directory.
"""

import base64
import gzip
import json
import os
import pathlib

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
from jax import lax
from jax._src.lax import lax as inner
from jax._src.random.threefry2x32 import threefry2x32_p
import jax.numpy as jnp
import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(7)

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NIBBLES = ["int4", "uint4", "int2", "uint2"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
MINI = ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4"]
EXACT_MOVES = {"neg", "abs", "copy", "stop_gradient", "reshape", "squeeze", "expand_dims", "broadcast_in_dim", "transpose", "rev", "iota", "slice", "dynamic_slice",
               "dynamic_update_slice", "concatenate", "split", "pad", "select_n", "bitcast_convert_type", "gather", "scatter", "stack", "unstack", "tile", "is_finite",
               "nextafter", "eq_to", "lt_to", "le_to", "optimization_barrier"}
cases = []
failed = []


def dtype(name):
  return jnp.dtype(name)


def bits(name):
  return {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[dtype(name).itemsize]


def edges(name):
  """Values at which arithmetic is special, and some random ones."""
  d = dtype(name)
  if name == "bool":
    return np.array([False, True, True, False])
  if name in NIBBLES:
    n = ml_dtypes.iinfo(d)
    return np.arange(n.min, n.max + 1).astype(d)
  if name in INTS:
    n = np.iinfo(d)
    few = [0, 1, 2, 3, 7, 8, 31, 33, n.max, n.max - 1, n.min, n.min + 1, n.max // 2 + 1] + ([-1, -2, -8] if n.min else [n.max - 5])
    return np.concatenate([np.array(few, dtype=d), RANDOM.integers(n.min, n.max, 8, dtype=d, endpoint=True)])
  if name in MINI:
    return np.arange(16 if name.startswith("float4") else 256, dtype=np.uint8).view(d)
  f = ml_dtypes.finfo(d)
  few = [0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, -3.5, 3, 1 / 3, np.pi, -100.25, 2.0, np.inf, -np.inf, np.nan, float(f.max), -float(f.max), float(f.tiny), float(f.smallest_subnormal) * 3]
  with np.errstate(all="ignore"):
    return np.concatenate([np.array(few).astype(d), RANDOM.normal(0, 10, 7).astype(d), RANDOM.integers(0, np.iinfo(bits(name)).max, 4, dtype=bits(name)).view(d)])


def smooth(name, low=-4.0, high=4.0, n=24):
  return RANDOM.uniform(low, high, n).astype(dtype(name))


def shaped(name, *shape):
  """Random elements of all kinds."""
  n = int(np.prod(shape))
  d = dtype(name)
  if name in FLOATS or name in MINI:
    return RANDOM.normal(0, 3, n).astype(d).reshape(shape)
  if name == "bool":
    return RANDOM.integers(0, 2, n).astype(bool).reshape(shape)
  low, high = (-2, 1) if name == "int2" else (0, 3) if name == "uint2" else (-8, 7) if name == "int4" else (0, 15) if name == "uint4" else (-100, 100) if name[0] == "i" else (0, 200)
  return RANDOM.integers(low, high, n, endpoint=True).astype(d).reshape(shape)


def normal(x):
  """Without subnormal numbers, with which XLA's functions differ among themselves."""
  with np.errstate(all="ignore"):
    return np.where((x != 0) & (np.abs(x) < ml_dtypes.finfo(x.dtype).tiny), x.dtype.type(0.25), x)


def pairs(name, limit=160):
  e = edges(name)
  a, b = np.repeat(e, len(e)), np.tile(e, len(e))
  if len(a) > limit:
    pick = RANDOM.choice(len(a), limit, replace=False)
    a, b = a[pick], b[pick]
  return a, b


def pack(x):
  x = np.asarray(x)
  return [x.dtype.name, list(x.shape), base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()]


def numbers(p):
  return [int(x) for x in p]


def indexing(p, window, collapsed, index_map, index_batch):
  d = p["dimension_numbers"]
  g = {"window": numbers(getattr(d, window)), "collapsed": numbers(getattr(d, collapsed)), "map": numbers(getattr(d, index_map)),
       "batch": numbers(d.operand_batching_dims), "index_batch": numbers(getattr(d, index_batch))}
  mode = {"CLIP": "clip", "FILL_OR_DROP": "fill"}.get(p["mode"].name)
  if mode:
    g["mode"] = mode
  if p.get("fill_value") is not None and p["fill_value"] == p["fill_value"]:
    g["fill"] = float(p["fill_value"])
  return g


def parameters(eqn):
  """The keys of tensor.Params for an equation."""
  p, name = eqn.params, eqn.primitive.name
  if name.startswith("reduce_") and "axes" in p or name in ("argmax", "argmin"):
    return {"axes": numbers(p["axes"])}
  if name.startswith("cum"):
    return {"dim": p["axis"], "reverse": bool(p["reverse"])}
  if name.startswith("scatter"):
    return {"gather": indexing(p, "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "scatter_indices_batching_dims")}
  match name:
    case "broadcast_in_dim":
      return {"axes": numbers(p["broadcast_dimensions"])}
    case "transpose":
      return {"axes": numbers(p["permutation"])}
    case "rev":
      return {"axes": numbers(p["dimensions"])}
    case "iota" | "concatenate":
      return {"dim": p["dimension"]}
    case "sort":
      return {"dim": p["dimension"], "keys": p["num_keys"]}
    case "top_k" | "split" | "stack" | "unstack":
      return {"dim": int(p["axis"])}
    case "tile":
      return {"sizes": numbers(p["reps"])}
    case "slice":
      return {"start": numbers(p["start_indices"]), "strides": numbers(p["strides"] or ())}
    case "pad":
      return {"padding": [numbers(q) for q in p["padding_config"]]}
    case "round":
      return {"y": int(p["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN)}
    case "integer_pow":
      return {"y": p["y"]}
    case "reduce_precision":
      return {"exponent": p["exponent_bits"], "mantissa": p["mantissa_bits"]}
    case "gather":
      return {"gather": indexing(p, "offset_dims", "collapsed_slice_dims", "start_index_map", "start_indices_batching_dims"), "sizes": numbers(p["slice_sizes"])}
    case "dot_general":
      (lc, rc), (lb, rb) = p["dimension_numbers"]
      return {"dot": [numbers(lc), numbers(rc), numbers(lb), numbers(rb)]}
  return {}


def case(f, *args, ulp=0, prim=None, flush=True):
  """One equation, evaluated by XLA. What JAX has no rule for is left out."""
  args = [jnp.asarray(a) for a in args]
  try:
    closed = jax.make_jaxpr(f)(*args)
    jaxpr = closed.jaxpr
    while len(jaxpr.eqns) == 1 and jaxpr.eqns[0].primitive.name == "jit":
      jaxpr = jaxpr.eqns[0].params["jaxpr"].jaxpr
    if prim:
      eqn = next(e for e in jaxpr.eqns if e.primitive.name == prim)
    else:
      (eqn,) = jaxpr.eqns
    values, feed = [], dict(zip(jaxpr.invars, args))
    for v in eqn.invars:
      values.append(np.asarray(v.val, dtype=v.aval.dtype) if hasattr(v, "val") else np.asarray(feed[v]))
    run = jax.jit(lambda *a: eqn.primitive.bind(*a, **eqn.params))
    out = run(*[jnp.asarray(v) for v in values])
    out = out if eqn.primitive.multiple_results else [out]
    out = [np.asarray(o) for o in out]
  except Exception as e:
    failed.append((str(e).splitlines() or [""])[0][:90])
    return
  name = eqn.primitive.name
  flush = flush and name not in EXACT_MOVES
  cases.append({"prim": name, "params": parameters(eqn), "in": [pack(v) for v in values], "out": [pack(o) for o in out], "ulp": ulp, "flush": flush})


def binary():
  for name in FLOATS + MINI[:4]:
    a, b = pairs(name)
    for f in [lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge]:
      case(f, a, b)
  for name in FLOATS:
    a, b = pairs(name)
    case(lax.rem, a, b)
    case(lax.nextafter, normal(a), normal(b))
    loose = 64 if name == "float64" else 4
    case(lax.atan2, normal(a), normal(b), ulp=loose)
    case(lax.pow, normal(a), normal(b), ulp=loose)
    case(lax.pow, normal(pairs(name, 20)[0]), np.arange(-10, 10, dtype=np.int32), ulp=loose)
    case(lax.add, a, b[3])
    case(lax.sub, a[4], b)
    case(lax.lt, a, b[5])
    for f in (lax.add, lax.div, lax.lt, lax.atan2, lax.nextafter, lax.pow):
      x, y = shaped(name, 1, 4, 3), shaped(name, 5, 1, 3)
      ulp = loose if f in (lax.atan2, lax.pow) else int(f == lax.div)  # XLA multiplies by the inverse of what it repeats
      case(f, np.abs(x), y, ulp=ulp)
      case(f, y[:, :, :1], x[:, :1, :1], ulp=ulp)
    for total in ("eq_to_p", "lt_to_p", "le_to_p"):
      case(getattr(inner, total).bind, a, b)
  for name in INTS + NIBBLES:
    a, b = pairs(name)
    for f in [lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, lax.shift_left, lax.shift_right_logical,
              lax.shift_right_arithmetic, lax.eq, lax.lt, lax.ge]:
      case(f, a, b)
    case(lax.mul, a, b[3])
    if name in INTS:  # XLA takes those below a byte for bytes
      case(inner.mulhi_p.bind, a, b)
    for f in (lax.add, lax.rem, lax.ge, lax.bitwise_xor, lax.shift_left):
      case(f, shaped(name, 1, 4, 3), shaped(name, 5, 1, 3))
  for name, other, out in [("int8", "int8", "int32"), ("bfloat16", "bfloat16", "float32"), ("int8", "bfloat16", "float32"), ("float32", "float32", "bfloat16"), ("uint8", "uint8", "float16")]:
    case(lambda a, b: lax.mul(a, b, out_dtype=dtype(out)), shaped(name, 4, 5), shaped(other, 4, 5))
    case(lambda a, b: lax.mul(a, b, out_dtype=dtype(out)), shaped(name, 4, 1), shaped(other, 1, 5))
  a, b = pairs("bool")
  for f in [lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, lax.eq, lax.ne, lax.lt, lax.max, lax.min]:
    case(f, a, b)


def unary():
  for name in FLOATS + MINI[:4]:
    e = edges(name)[64:200] if name == "float8_e8m0fnu" else edges(name)  # without what float32 has as subnormal
    for f in [lax.neg, lax.abs, lax.sign, lax.sqrt, lax.floor, lax.ceil, lax.square, lax.is_finite, lax.reciprocal]:
      case(f, e)
    case(lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), e)
    case(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), e)
    for y in [0, 1, 2, -1] if name == "float8_e8m0fnu" else [0, 1, 2, 3, 7, -1, -3]:
      case(lambda x: lax.integer_pow(x, y), e, ulp=1 if abs(y) > 3 or y == -3 else 0)
  ulps = {"tan": 4, "erf_inv": 16, "lgamma": 64, "erfc": 64, "expm1": 4, "sinh": 8, "cosh": 8, "acos": 8, "asin": 8, "acosh": 8, "asinh": 8, "atanh": 8, "logistic": 6, "log1p": 4, "tanh": 8, "pow": 8, "exp": 4, "exp2": 8, "cos": 4, "sin": 4, "cbrt": 4, "erf": 6}
  loose = lambda name, fn: 256 if fn == "lgamma" else 32 if name == "float64" else ulps.get(fn, 2)
  for name in FLOATS:
    e = normal(edges(name))
    for fn in ["exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc",
               "erf_inv", "lgamma", "logistic", "rsqrt"]:
      f = getattr(lax, fn)
      if fn != "exp2":  # XLA rounds the product with the logarithm of 2, which large numbers show
        case(f, e, ulp=loose(name, fn))
      low, high = (-0.99, 0.99) if fn in ("asin", "acos", "atanh", "erf_inv") else (0.1, 9.0) if fn in ("log", "lgamma", "rsqrt") else (1.01, 9.0) if fn == "acosh" else (-3.0, 3.0)
      case(f, smooth(name, low, high), ulp=loose(name, fn))
  for name in INTS + NIBBLES:
    for f in [lax.neg, lax.abs, lax.sign, lax.bitwise_not, lax.clz, lax.square] + [lax.population_count] * (name in INTS):
      case(f, edges(name))
    for y in [0, 2, 5]:
      case(lambda x: lax.integer_pow(x, y), edges(name))
  case(lax.bitwise_not, edges("bool"))


def conversions():
  halfway = [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 65519.0, 65520.0,
             448.0, 464.0, 465.0, 480.0, 61440.0, 61439.0, 2.0**-10, 3 * 2.0**-10, 2.0**-17, 2.0**-16, 1.0625, 1.1875, 1.125, 1.375, 5.0, 7.0, 0.25, 0.75, 3.4e38, 3.5e38, 2.0**-149,
             2.0**-25, 1.1 * 2.0**-25, 127.5, 255.9, -128.9, -0.9, 2.0**31, 2.0**32, 2.0**63, 2.0**64, -(2.0**31) - 1, -(2.0**63), 1e20, -1e20, 3e-8, 1e-45]
  everything = ["bool"] + INTS + NIBBLES + FLOATS + MINI
  for source in everything:
    x = edges(source)
    if source in FLOATS:
      with np.errstate(all="ignore"):
        x = np.concatenate([x, np.array(halfway).astype(dtype(source))])
    elif source in ("int32", "int64", "uint64"):
      x = np.concatenate([x, np.array([16777217, 2049, 2051, 257, 65519, 65520, 2147483583, 2147483585, 33554435]).astype(dtype(source))])
    if len(x) == 256:
      x = x[RANDOM.permutation(256)[:64]]
    for target in everything:
      # XLA makes the greatest integer of the greatest float4_e2m1fn.
      if source != target and not (source == "float4_e2m1fn" and target in INTS + NIBBLES):
        case(lambda a: lax.convert_element_type(a, dtype(target)), x, flush=source != "float8_e8m0fnu")
  for source, target in [("float32", "int32"), ("float32", "uint8"), ("int16", "uint8"), ("uint8", "float32"), ("float64", "uint32"), ("bfloat16", "int16"), ("int8", "int4"), ("uint4", "uint8"),
                         ("float16", "bfloat16"), ("float8_e5m2", "int8"), ("int2", "int8"), ("uint8", "int4")]:
    shape = (4, 8)
    case(lambda a: lax.bitcast_convert_type(a, dtype(target)), shaped(source, *shape))
    k = max(8 * dtype(target).itemsize, 1) // max(8 * dtype(source).itemsize, 1)
    if k > 1:
      case(lambda a: lax.bitcast_convert_type(a, dtype(target)), shaped(source, 3, k))
  case(lambda a: lax.bitcast_convert_type(a, dtype("int8")), shaped("int4", 3, 2))
  case(lambda a: lax.bitcast_convert_type(a, dtype("int8")), shaped("int2", 3, 4))
  for name in FLOATS:
    for e, m in [(5, 10), (8, 7), (4, 3), (8, 23), (2, 1), (11, 52), (5, 0)]:
      case(lambda x: lax.reduce_precision(x, e, m), edges(name))


def shapes():
  for name in ["float32", "bfloat16", "int8", "int64", "bool"]:
    x = shaped(name, 3, 4, 5)
    case(lambda a: lax.reshape(a, (5, 12)), x)
    case(lambda a: lax.squeeze(a, (1,)), x[:, :1])
    case(lambda a: lax.broadcast_in_dim(a, (2, 3, 4, 5), (1, 2, 3)), x)
    case(lambda a: lax.broadcast_in_dim(a, (3, 6, 5, 2), (0, 1, 2)), x[:, :1])
    case(lambda a: lax.broadcast_in_dim(a, (3, 2), ()), x[0, 0, 0])
    for p in [(2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]:
      case(lambda a: lax.transpose(a, p), x)
    case(lambda a: lax.rev(a, (0, 2)), x)
    case(lambda a: lax.slice(a, (1, 0, 2), (3, 4, 5)), x)
    case(lambda a: lax.slice(a, (0, 1, 0), (3, 4, 5), (2, 2, 3)), x)
    case(lambda a, i, j, k: lax.dynamic_slice_p.bind(a, i, j, k, slice_sizes=(2, 2, 5)), x, np.int32(2), np.int32(-1), np.int32(7))
    case(lambda a, u, i, j, k: lax.dynamic_update_slice_p.bind(a, u, i, j, k), x, shaped(name, 2, 1, 3), np.int32(5), np.int32(2), np.int32(-1))
    case(lambda a, b: lax.concatenate([a, b, a], 1), x, x[:, :2])
    case(lambda a: lax.split(a, (1, 3), axis=1), x)
    case(lambda a, b: lax.pad(a, b, [(1, 2, 0), (0, 1, 2), (-1, 3, 1)]), x, x[0, 0, 0])
    case(lambda a, b: lax.pad(a, b, [(-1, -1, 0), (-3, 0, 2), (2, -4, 1)]), x, x[0, 0, 0])
    case(lambda p, a, b: lax.select_n(p, a, b), shaped("bool", 3, 4, 5), x, x[::-1])
    case(lambda p, a, b: lax.select_n(p, a, b), np.True_, x, x[::-1])
    case(lambda p, a, b, c: lax.select_n(p, a, b, c), RANDOM.integers(0, 3, (3, 4, 5)).astype(np.int32), x, x[::-1], x[:, ::-1])
    case(lambda a, b: jnp.stack([a, b], 1), x, x[::-1], prim="stack")
    case(lambda a: jnp.unstack(a, axis=1), x, prim="unstack")
    case(lambda a: jnp.tile(a, (2, 1, 3)), x, prim="tile")
    case(lax.optimization_barrier, x)
  for name in INTS + FLOATS:
    case(lambda: lax.broadcasted_iota(dtype(name), (3, 5, 2), 1))
    lo, hi = np.array(-2).astype(dtype(name)), np.array(2).astype(dtype(name))
    case(lax.clamp, lo, edges(name), hi)
    case(lax.clamp, edges(name), edges(name)[::-1], edges(name))


def folds():
  for name in ["float32", "float64", "bfloat16", "float16", "int32", "uint8", "int64"]:
    x = shaped(name, 4, 6, 5)
    ulp = 0 if name[0] in "iu" else 4 if name in ("float32", "float64") else 8  # XLA rounds the partial sums of narrow types
    small = (x / np.array(4).astype(x.dtype)).astype(x.dtype) if ulp else x
    for axes in [(0,), (1,), (2,), (0, 2), (0, 1, 2)]:
      case(lambda a: lax.reduce_sum(a, axes), np.abs(x), ulp=ulp)
      case(lambda a: lax.reduce_max(a, axes), x)
      case(lambda a: lax.reduce_min(a, axes), x)
    case(lambda a: lax.reduce_prod(a, (1,)), small, ulp=ulp)
    for f in (lax.cumsum, lax.cumprod):
      case(lambda a: f(a, axis=1), np.abs(small), ulp=ulp)
      case(lambda a: f(a, axis=2, reverse=True), np.abs(small), ulp=ulp)
    case(lambda a: lax.cummax(a, axis=0), x)
    case(lambda a: lax.cummin(a, axis=2, reverse=True), x)
    if ulp:
      case(lambda a: lax.cumlogsumexp(a, axis=1), np.abs(x), ulp=8)
    for axis in range(3):
      case(lambda a: lax.argmax(a, axis, np.int32), x)
      case(lambda a: lax.argmin(a, axis, np.int64), x)
    case(lambda a: lax.sort(a, dimension=1), x)
    case(lambda a, b: lax.sort((a, b), dimension=2, num_keys=1, is_stable=True), np.round(x / np.array(3).astype(x.dtype)).astype(x.dtype), shaped("int32", 4, 6, 5))
    case(lambda a, b, c: lax.sort((a, b, c), dimension=0, num_keys=2), shaped("bool", 4, 6, 5), x, shaped("uint8", 4, 6, 5))
    case(lambda a: lax.top_k(a, 3), x, prim="top_k")
    case(lambda a: lax.top_k(a, 2, axis=1), x, prim="top_k")
  for name in FLOATS:
    e = edges(name)
    case(lambda a: lax.sort(a, dimension=0), e)
    case(lambda a: lax.argmax(a, 0, np.int32), e)
    case(lambda a: lax.argmin(a, 0, np.int32), e)
    case(lambda a: lax.reduce_max(a, (0,)), e)
    case(lambda a: lax.reduce_max(a, (0,)), np.zeros((0, 3), dtype(name)))
    case(lambda a: lax.reduce_min(a, (0,)), np.zeros((0, 3), dtype(name)))
    case(lambda a: lax.reduce_sum(a, (0,)), np.zeros((0, 3), dtype(name)))
  for name in ["bool", "int32", "uint8"]:
    for f in (lax.reduce_and, lax.reduce_or, lax.reduce_xor):
      case(lambda a: f(a, (0,)), shaped(name, 3, 7))
      case(lambda a: f(a, (1,)), shaped(name, 3, 0))
  for name in INTS:
    for f in (lax.reduce_max, lax.reduce_min, lax.reduce_prod):
      case(lambda a: f(a, (0,)), edges(name))
      case(lambda a: f(a, (0,)), np.zeros((0, 2), dtype(name)))


def indexed():
  modes = ["clip", "fill", "promise_in_bounds"]
  for name in ["float32", "int8", "bfloat16", "uint32", "bool"]:
    x = shaped(name, 5, 6, 4)
    i = np.array([[0, 1], [4, 3], [2, 5]], dtype=np.int32)
    out = np.array([[0, 1], [7, 3], [-2, 5], [4, 6]], dtype=np.int32)
    dims = [lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0, 1), start_index_map=(0, 1)),
            lax.GatherDimensionNumbers(offset_dims=(0, 2), collapsed_slice_dims=(1,), start_index_map=(1, 0)),
            lax.GatherDimensionNumbers(offset_dims=(1, 2, 3), collapsed_slice_dims=(), start_index_map=(0, 2))]
    sizes = [(1, 1, 4), (2, 1, 3), (2, 2, 3)]
    for d, s in zip(dims, sizes):
      for mode in modes:
        case(lambda a, j: lax.gather(a, j, d, s, mode=mode), x, i if mode == "promise_in_bounds" else out)
    case(lambda a, j: lax.gather(a, j, dims[0], sizes[0], mode="fill", fill_value=1), x, out)
    case(lambda a, j: lax.gather(a, j, lax.GatherDimensionNumbers(offset_dims=(2,), collapsed_slice_dims=(1,), start_index_map=(1,), operand_batching_dims=(0,), start_indices_batching_dims=(0,)),
                                 (1, 1, 4), mode="clip"), x, RANDOM.integers(0, 6, (5, 3, 1)).astype(np.int32))
    updates = [shaped(name, 4, 4), shaped(name, 2, 4, 3), shaped(name, 4, 2, 2, 3)]
    scatters = [lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(0, 1), scatter_dims_to_operand_dims=(0, 1)),
                lax.ScatterDimensionNumbers(update_window_dims=(0, 2), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1, 0)),
                lax.ScatterDimensionNumbers(update_window_dims=(1, 2, 3), inserted_window_dims=(), scatter_dims_to_operand_dims=(0, 2))]
    for d, u in zip(scatters, updates):
      for mode in ["clip", "fill"]:
        case(lambda a, j, v: lax.scatter(a, j, v, d, mode=mode), x, out, u)
        if name != "bool":
          for f in (lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max, lax.scatter_sub):
            case(lambda a, j, v: f(a, j, v, d, mode=mode), x, out, u)
    case(lambda a, j, v: lax.scatter(a, j, v, lax.ScatterDimensionNumbers(update_window_dims=(2,), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1,), operand_batching_dims=(0,),
                                                                        scatter_indices_batching_dims=(0,)), mode="clip"),
         x, np.array([[[0], [1], [2]]] * 5, dtype=np.int32), shaped(name, 5, 3, 4))
  for shape in [(5,), ()]:
    keys = [RANDOM.integers(0, 2**32, shape, dtype=np.uint32) for _ in range(4)]
    case(threefry2x32_p.bind, *keys)


def dots():
  for name, out in [("float32", None), ("float64", None), ("bfloat16", "float32"), ("float16", "float32"), ("float8_e4m3fn", "float32"), ("int8", "int32"), ("int32", None), ("uint8", "uint32"),
                    ("int64", None), ("bfloat16", None), ("float16", None)]:
    integral = lambda *s: np.round(shaped(name, *s).astype(np.float64) / (20 if name[0] in "iu" else 1)).astype(dtype(name))
    t = out and dtype(out)
    # Small whole numbers, so that every order of the sum has one result.
    case(lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=t), integral(4, 6), integral(6, 5))
    case(lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=t), integral(4, 6), integral(5, 6))
    case(lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))), preferred_element_type=t), integral(3, 4, 5), integral(3, 5, 2))
    case(lambda a, b: lax.dot_general(a, b, (((0, 3), (2, 1)), ((1,), (0,))), preferred_element_type=t), integral(2, 3, 4, 5), integral(3, 5, 2, 3))
    case(lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ())), preferred_element_type=t), integral(7), integral(7))
    case(lambda a, b: lax.dot_general(a, b, (((), ()), ((), ())), preferred_element_type=t), integral(3), integral(2))


for group in (binary, unary, conversions, shapes, folds, indexed, dots):
  before = len(cases)
  group()
  print(group.__name__, len(cases) - before)
for text in sorted(set(failed)):
  print(failed.count(text), "left out:", text)
lines = "".join(json.dumps(c, separators=(",", ":")) + "\n" for c in cases)
with open(HERE / "cases.jsonl.gz", "wb") as f:
  f.write(gzip.compress(lines.encode(), 9, mtime=0))
print(len(cases), "cases,", len(lines), "bytes,", (HERE / "cases.jsonl.gz").stat().st_size, "compressed")
