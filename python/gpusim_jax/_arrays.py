"""Primitives on arrays, and which of their parameters a program holds."""

import math
from typing import Any, Callable

from jax import lax

from gpusim_jax import _refs

# Primitives whose only parameters are the types of operands and results.
PLAIN = frozenset(
    "add sub mul div rem max min pow atan2 nextafter and or xor not neg sign abs floor ceil exp exp2 expm1 log log1p"
    " sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt rsqrt cbrt erf erfc erf_inv logistic square lgamma"
    " clz population_count eq ne lt le gt ge eq_to le_to lt_to select_n clamp convert_element_type is_finite bitcast_convert_type"
    " shift_left shift_right_logical shift_right_arithmetic reshape squeeze expand_dims copy copy_p stop_gradient"
    " log2 one_minus_square reciprocal dynamic_update_slice mma add_any mulhi tie _copysign".split()
)

# Primitives that do nothing to their operands.
IDENTITIES = frozenset(
    "optimization_barrier layout_cast multiple_of pvary pcast name with_memory_space_constraint sharding_constraint".split()
)


def _dims(d) -> list[int]:
  return [int(x) for x in d]


def _slice(p):
  return {"start": _dims(p["start_indices"]), "strides": _dims(p["strides"] or ())}


def _dot(p):
  (lc, rc), (lb, rb) = p["dimension_numbers"]
  return {"dot": [_dims(lc), _dims(rc), _dims(lb), _dims(rb)]}


def _gather(p):
  d = p["dimension_numbers"]
  out = {
      "window": _dims(d.offset_dims), "collapsed": _dims(d.collapsed_slice_dims), "map": _dims(d.start_index_map),
      "batch": _dims(d.operand_batching_dims), "index_batch": _dims(d.start_indices_batching_dims), "mode": _mode(p["mode"]),
  }
  fill = p.get("fill_value")
  if fill is not None and not math.isnan(fill):  # NaN is what it is without one, and JSON has none
    if math.isinf(fill):
      raise _refs.Unsupported(f"a gather that fills with {fill}")
    out["fill"] = float(fill)
  return {"sizes": _dims(p["slice_sizes"]), "gather": out}


def _scatter(p):
  d = p["dimension_numbers"]
  return {"gather": {
      "window": _dims(d.update_window_dims), "collapsed": _dims(d.inserted_window_dims), "map": _dims(d.scatter_dims_to_operand_dims),
      "batch": _dims(d.operand_batching_dims), "index_batch": _dims(d.scatter_indices_batching_dims), "mode": _mode(p["mode"]),
  }}


def _mode(mode) -> str:
  return "fill" if lax.GatherScatterMode.from_any(mode) is lax.GatherScatterMode.FILL_OR_DROP else "clip"


def _reduce(p):
  return {"axes": _dims(p["axes"])}


def _cumulative(p):
  return {"dim": int(p["axis"]), "reverse": bool(p["reverse"])}


PARAMS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "slice": _slice,
    "dot_general": _dot,
    "gather": _gather,
    "integer_pow": lambda p: {"y": int(p["y"])},
    "round": lambda p: {"y": int(p["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN)},
    "broadcast_in_dim": lambda p: {"axes": _dims(p["broadcast_dimensions"])},
    "transpose": lambda p: {"axes": _dims(p["permutation"])},
    "rev": lambda p: {"axes": _dims(p["dimensions"])},
    "iota": lambda p: {"dim": int(p["dimension"])},
    "dynamic_slice": lambda p: {"sizes": _dims(p["slice_sizes"])},
    "concatenate": lambda p: {"dim": int(p["dimension"])},
    "stack": lambda p: {"dim": int(p["axis"])},
    "unstack": lambda p: {"dim": int(p["axis"])},
    "tile": lambda p: {"sizes": _dims(p["reps"])},
    "top_k": lambda p: {"dim": int(p["axis"])},
    "pad": lambda p: {"padding": [_dims(x) for x in p["padding_config"]]},
    "split": lambda p: {"dim": int(p["axis"]), "sizes": _dims(p["sizes"])},
    "reduce_precision": lambda p: {"exponent": int(p["exponent_bits"]), "mantissa": int(p["mantissa_bits"])},
    "argmax": _reduce,
    "argmin": _reduce,
    "sort": lambda p: {"dim": int(p["dimension"]), "keys": int(p["num_keys"])},
}
for _name in ("sum", "prod", "max", "min", "and", "or", "xor"):
  PARAMS["reduce_" + _name] = _reduce
for _name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
  PARAMS[_name] = _cumulative
for _name in ("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"):
  PARAMS[_name] = _scatter

# Primitives that have another name in a program.
RENAMED = {"copy_p": "copy", "eq_to": "eq", "le_to": "le", "lt_to": "lt", "add_any": "add"}
for _name in ("sum", "max", "min", "prod"):
  RENAMED["mosaic_gpu_reduce_" + _name] = "reduce_" + _name
  PARAMS["mosaic_gpu_reduce_" + _name] = _reduce
