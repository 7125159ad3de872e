"""Turns the jaxpr of a Pallas kernel into functions of gpusim's program format (docs/pallas-program.md)."""

import base64
import math
from typing import Any, Callable, Sequence

import jax
import numpy as np
from jax._src import core as jax_core
from jax._src import dtypes
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.state import types as state_types

from gpusim_jax import _arrays, _refs
from gpusim_jax._axes import Axes
from gpusim_jax._names import Sources

# Primitives that call a function, and the parameter that holds it.
_CALLS = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "call": "call_jaxpr",
    "remat": "jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_vmap_call": "call", "jaxpr_call": "jaxpr", "eval_jaxpr": "jaxpr",
}

# Primitives that are written as others.
_REWRITTEN = frozenset("program_id num_programs unstack broadcast_to masked_load masked_swap semaphore_signal_parallel".split())


class UnsupportedError(NotImplementedError):
  """A kernel that uses something that gpusim does not support."""


class Function:
  """A function of a program that is being written."""

  def __init__(self):
    self.vars = 0
    self.consts: list[dict[str, Any]] = []
    self.eqns: list[dict[str, Any]] = []

  def fresh(self) -> int:
    self.vars += 1
    return self.vars - 1

  def constant(self, value) -> int:
    value = np.asarray(value)
    n = self.fresh()
    self.consts.append({
        "var": n, "dtype": value.dtype.name, "shape": list(value.shape),
        "data": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
    })
    return n


class Exporter:
  """Exports one kernel: its functions, and the places in the source that they name."""

  def __init__(self, axes: Axes, inline_mgpu: str = "error"):
    self.axes = axes
    self.inline_mgpu = inline_mgpu
    self.sources = Sources()
    self.layouts: dict[Any, tuple[Any, ...]] = {}  # of references, by their variables
    self.globals = 0  # calls of get_global
    self.blackwell = False  # something of the tensor cores of Blackwell is used
    self.erased: list[dict[str, Any]] = []  # primitives that the program does not hold, for those who check what compiles
    self.function: Function = Function()
    self.env: dict[Any, Any] = {}

  def refuse(self, eqn, what: str) -> UnsupportedError:
    file, line, _ = self.sources.places[self.sources.of(eqn)]
    return UnsupportedError(f"gpusim does not support {what} ({file}:{line})")

  def erase(self, eqn) -> None:
    """Notes a primitive that the program does not hold under its name."""
    entry: dict[str, Any] = {"prim": eqn.primitive.name, "src": self.sources.of(eqn)}
    if self.axes.warp is not None:
      entry["warp"] = True
    if entry not in self.erased:
      self.erased.append(entry)

  # Functions.

  def write(self, jaxpr, outer: Sequence[Any] | int) -> dict[str, Any]:
    """A function of its own; outer are the operands that it is given, or how many.

    If there are operands for its constants too, those are parameters.
    """
    saved = self.function, self.env
    self.function, self.env = Function(), {}
    try:
      f = self.function
      count = outer if isinstance(outer, int) else len(outer)
      params = list(jaxpr.constvars) + list(jaxpr.invars) if count == len(jaxpr.constvars) + len(jaxpr.invars) else list(jaxpr.invars)
      if len(params) != count:
        raise UnsupportedError(f"gpusim found a function of {len(params)} parameters that is given {count} operands")
      if not isinstance(outer, int):
        self._inherit(params, outer)
      ids = [f.fresh() for _ in params]
      out = self.inline(jaxpr, params, ids)
      return {"vars": f.vars, "in": ids, "consts": f.consts, "eqns": f.eqns, "out": out}
    finally:
      self.function, self.env = saved

  def inline(self, jaxpr, params, atoms) -> list[Any]:
    """Writes the equations of a function into the present one; returns its results."""
    saved, self.env = self.env, dict(zip(params, atoms, strict=True))
    try:
      if len(params) == len(jaxpr.invars) and jaxpr.constvars:
        for v, c in zip(jaxpr.constvars, jaxpr.consts, strict=True):
          self.env[v] = self.function.constant(c)
      for e in jaxpr.eqns:
        self._eqn(e)
      return [self.atom(a) for a in jaxpr.outvars]
    finally:
      self.env = saved

  def _inherit(self, params, outer) -> None:
    for inner, a in zip(params, outer, strict=True):
      self.layouts[inner] = self.layouts.get(a, ()) if isinstance(a, jax_core.Var) else ()

  def atom(self, a) -> Any:
    """A variable or a literal."""
    if isinstance(a, jax_core.Var):
      return self.env[a]
    value = a.val if isinstance(a, jax_core.Literal) else a
    array = np.asarray(value)
    if isinstance(a, jax_core.Literal):
      dtype = dtypes.dtype(a.aval.dtype)
      array = array.astype(dtype) if array.dtype != dtype else array
    elif array.dtype == np.int64:
      array = array.astype(np.int32)  # a number of Python's, which JAX would make an int32
    if array.shape:
      return self.function.constant(array)
    x = array.item() if array.dtype.kind in "iub" else float(array) if _is_number(array.dtype) else int(array)
    if isinstance(x, float) and not math.isfinite(x):
      x = "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return {"lit": x, "dtype": array.dtype.name}

  def atoms(self, list_) -> list[Any]:
    return [self.atom(a) for a in list_]

  # Equations.

  def emit(self, eqn, prim: str, ins: list[Any], outs: Sequence[Any] | None = None, params: dict[str, Any] | None = None, when=None) -> None:
    """Writes an equation; its results are those of the jaxpr's equation unless they are given."""
    out: dict[str, Any] = {"prim": prim, "src": self.sources.of(eqn)}
    if ins:
      out["in"] = ins
    results = [self._result(v) for v in (eqn.outvars if outs is None else outs)]
    if results:
      out["out"] = results
    if params:
      out["params"] = params
    if when is not None:
      out["when"] = self.atom(when)
    self.function.eqns.append(out)

  def _result(self, v) -> dict[str, Any]:
    n = -1
    if not isinstance(v, jax_core.DropVar):
      n = self.env[v] = self.function.fresh()
    out: dict[str, Any] = {"var": n}
    if isinstance(v.aval, jax_core.ShapedArray):
      out |= {"dtype": dtypes.dtype(v.aval.dtype).name, "shape": list(v.aval.shape)}
    return out

  def same(self, eqn, atoms) -> None:
    """The results of an equation are these atoms."""
    for v, a in zip(eqn.outvars, atoms, strict=True):
      if not isinstance(v, jax_core.DropVar):
        self.env[v] = a

  def _eqn(self, e) -> None:
    name = e.primitive.name
    if name not in _CALLS and any(isinstance(v.aval, jax_core.ShapedArray) and dtypes.issubdtype(v.aval.dtype, np.complexfloating) for v in (*e.invars, *e.outvars)):
      raise self.refuse(e, f"complex numbers ({name})")
    if name in _arrays.IDENTITIES or name in _arrays.RENAMED or name in _REWRITTEN or name in _CALLS and name not in ("jit", "pjit"):
      self.erase(e)
    if (handler := HANDLERS.get(name)) is not None:
      handler(self, e)
    elif name in _arrays.PARAMS:
      try:
        params = _arrays.PARAMS[name](e.params)
      except _refs.Unsupported as x:
        raise self.refuse(e, str(x)) from None
      self.emit(e, _arrays.RENAMED.get(name, name), self.atoms(e.invars), params=params)
    elif name in _arrays.PLAIN:
      self.emit(e, _arrays.RENAMED.get(name, name), self.atoms(e.invars))
    elif name in _arrays.IDENTITIES:
      self.same(e, self.atoms(e.invars))
    elif name in _CALLS and _CALLS[name] in e.params:
      self.call(e, e.params[_CALLS[name]])
    else:
      raise self.refuse(e, f"the primitive {name}")

  def call(self, e, jaxpr) -> None:
    """A call, whose function is written in place."""
    invars = list(e.invars)
    params = list(jaxpr.constvars) + list(jaxpr.invars) if len(invars) == len(jaxpr.constvars) + len(jaxpr.invars) else list(jaxpr.invars)
    if len(params) != len(invars):
      raise self.refuse(e, f"a call {e.primitive.name} of {len(invars)} operands")
    atoms = self.atoms(invars)
    self._inherit(params, invars)
    self.sources.enter(e, jaxpr)
    try:
      out = self.inline(jaxpr, params, atoms)
    finally:
      self.sources.leave()
    self.same(e, out)

  def within(self, e, jaxpr, outer: Sequence[Any] | int) -> dict[str, Any]:
    """A function that an equation holds."""
    self.sources.enter(e)
    try:
      return self.write(jaxpr, outer)
    finally:
      self.sources.leave()

  # References.

  def ref(self, e, var, transforms=()) -> dict[str, Any]:
    """A reference and the transforms of its use."""
    try:
      steps = _refs.view(
          var.aval, self.layouts.get(var, ()), transforms, self.atom,
          lambda i, kind: self.axes.device_id(i, kind, self.atom), self.axes.cluster_dims)
    except _refs.Unsupported as x:
      raise self.refuse(e, str(x)) from None
    return {"ref": self.env[var], "view": steps} if steps else {"ref": self.env[var]}

  def barrier(self, e, var, transforms) -> dict[str, Any]:
    """One barrier or semaphore of an array of them."""
    try:
      steps = _refs.barrier_index(tuple(var.aval.shape), transforms, self.atom)
    except _refs.Unsupported as x:
      raise self.refuse(e, str(x)) from None
    return {"ref": self.env[var], "view": steps} if steps else {"ref": self.env[var]}

  # Control flow.

  def cond(self, e) -> None:
    branches = [self.within(e, b, e.invars[1:]) for b in e.params["branches"]]
    self.emit(e, "cond", self.atoms(e.invars), params={"branches": branches})

  def scan(self, e) -> None:
    p = e.params
    if "ft_in" in p:
      consts, carry, _ = (len(list(g)) for g in p["ft_in"].update(list(e.invars)).unpack())
    else:
      consts, carry = p["num_consts"], p["num_carry"]
    params = {
        "body": self.within(e, p["jaxpr"], e.invars), "length": int(p["length"]), "reverse": bool(p["reverse"]),
        "consts": consts, "carry": carry}
    if int(p.get("unroll") or 1) > 1:
      params["unroll"] = int(p["unroll"])
    self.emit(e, "scan", self.atoms(e.invars), params=params)

  def while_(self, e) -> None:
    p = e.params
    cond, body = p["cond_nconsts"], p["body_nconsts"]
    first, second, carry = e.invars[:cond], e.invars[cond:cond + body], e.invars[cond + body:]
    self.emit(e, "while", self.atoms(e.invars), params={
        "cond": self.within(e, p["cond_jaxpr"], [*first, *carry]), "body": self.within(e, p["body_jaxpr"], [*second, *carry]),
        "cond_consts": cond, "consts": body})

  def axis_index(self, e) -> None:
    self.emit(e, "axis_index", [], params={"of": self.axes.index(e.params["axis_name"])})

  def program_id(self, e) -> None:
    self.emit(e, "axis_index", [], params={"of": self.axes.program_id(e.params["axis"])})

  def num_programs(self, e) -> None:
    self.emit(e, "axis_size", [], params={"of": self.axes.program_id(e.params["axis"])})


  def unstack(self, e) -> None:
    axis = int(e.params["axis"])
    shape = list(e.invars[0].aval.shape)
    start, part = [0] * len(shape), shape[:axis] + [1] + shape[axis + 1:]
    whole = self.atoms(e.invars)
    for i, v in enumerate(e.outvars):
      start[axis] = i
      n = self.function.fresh()
      dtype = dtypes.dtype(v.aval.dtype).name
      src = self.sources.of(e)
      self.function.eqns.append({
          "prim": "slice", "src": src, "in": whole, "out": [{"var": n, "dtype": dtype, "shape": part}], "params": {"start": list(start)}})
      self.emit(e, "reshape", [n], outs=[v])

  def broadcast_to(self, e) -> None:
    shape, rank = e.invars[0].aval.shape, len(e.outvars[0].aval.shape)
    self.emit(e, "broadcast_in_dim", self.atoms(e.invars), params={"axes": list(range(rank - len(shape), rank))})


def _is_number(dtype) -> bool:
  return dtypes.issubdtype(dtype, np.floating)


HANDLERS: dict[str, Callable[[Exporter, Any], None]] = {
    "cond": Exporter.cond,
    "scan": Exporter.scan,
    "while": Exporter.while_,
    "axis_index": Exporter.axis_index,
    "program_id": Exporter.program_id,
    "num_programs": Exporter.num_programs,
    "unstack": Exporter.unstack,
    "broadcast_to": Exporter.broadcast_to,
}


def handles(*names: str):
  """Registers the function that exports these primitives."""

  def add(f: Callable[[Exporter, Any], None]):
    for name in names:
      HANDLERS[name] = f
    return f

  return add


def split(list_: Sequence[Any], *trees) -> list[Any]:
  """The transforms of references, whose leaves stand one after the other, and what is left of the list."""
  out = []
  rest = list(list_)
  for tree in trees:
    n = tree.num_leaves if tree is not None else 0
    out.append(jax.tree.unflatten(tree, rest[:n]) if tree is not None else ())
    del rest[:n]
  return [*out, rest]


def is_accumulator(aval) -> bool:
  """Whether a reference is to an accumulator of wgmma."""
  return isinstance(aval, gpu_core.WGMMAAbstractAccumulatorRef) or (
      isinstance(aval, state_types.AbstractRef) and aval.memory_space == gpu_core.MemorySpace.REGS)
