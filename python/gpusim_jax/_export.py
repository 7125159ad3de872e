"""Turns a Pallas kernel's jaxpr into gpusim's program format (docs/pallas-program.md)."""

import base64
import math
from typing import Any, Callable

import jax
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src import source_info_util
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.state import indexing
from jax._src.state import types as state_types

FORMAT = 1

_INLINED = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat": "jaxpr", "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr", "jaxpr_call": "jaxpr",
}

# Primitives whose only parameters are the types of operands and results.
_PLAIN = frozenset(
    "add sub mul div rem max min pow atan2 and or xor not neg sign abs floor ceil exp exp2 expm1 log log1p sin cos tan tanh"
    " sqrt rsqrt erf logistic square clz population_count eq ne lt le gt ge select_n clamp convert_element_type is_finite"
    " bitcast_convert_type shift_left shift_right_logical shift_right_arithmetic reshape squeeze expand_dims copy"
    " stop_gradient optimization_barrier layout_cast commit_group commit_smem set_max_registers".split()
)


class UnsupportedError(NotImplementedError):
  """A kernel that uses something that gpusim does not support yet."""


class Exporter:
  """Exports one kernel."""

  def __init__(self, mesh, grid_names: tuple[Any, ...], device_axes: tuple[Any, ...]):
    self.mesh = mesh
    self.grid_names = grid_names
    self.device_axes = device_axes
    self.sources: list[list[Any]] = []
    self._source_ids: dict[tuple[Any, ...], int] = {}
    self._scratch = 0
    self._outer: int | None = None

  # Sources.

  def source(self, eqn) -> int:
    frame = source_info_util.user_frame(eqn.source_info.traceback)
    if frame is None and self._outer is not None:
      return self._outer  # inside of a function of JAX's: the place of the call
    key = (frame.file_name, frame.start_line, frame.function_name) if frame else ("", 0, "")
    if key not in self._source_ids:
      self._source_ids[key] = len(self.sources)
      self.sources.append(list(key))
    return self._source_ids[key]

  def refuse(self, eqn, what: str) -> UnsupportedError:
    file, line, _ = self.sources[self.source(eqn)]
    return UnsupportedError(f"gpusim does not support {what} yet ({file}:{line})")

  # Functions.

  def jaxpr(self, jaxpr, operands: int | None = None) -> dict[str, Any]:
    """A function; if it is given so many operands, they stand for its constants too."""
    ids: dict[Any, int] = {}

    def number(var) -> int:
      if isinstance(var, jax_core.DropVar):
        return -1
      return ids.setdefault(var, len(ids))

    constants = list(zip(jaxpr.constvars, jaxpr.consts, strict=True))
    params = list(jaxpr.invars)
    if operands == len(constants) + len(params):
      params, constants = list(jaxpr.constvars) + params, []
    out: dict[str, Any] = {"in": [number(v) for v in params], "consts": []}
    for v, c in constants:
      c = np.asarray(c)
      out["consts"].append({"var": number(v), "dtype": c.dtype.name, "shape": list(c.shape), "data": base64.b64encode(c.tobytes()).decode()})
    atom = lambda a: self.atom(a, number)
    out["eqns"] = [self.eqn(e, atom, number) for e in jaxpr.eqns]
    out["out"] = [atom(a) for a in jaxpr.outvars]
    out["vars"] = len(ids)
    return out

  def atom(self, a, number: Callable[[Any], int]):
    if isinstance(a, jax_core.Var):
      return number(a)
    value = a.val if isinstance(a, jax_core.Literal) else a
    array = np.asarray(value)
    dtype = a.aval.dtype.name if isinstance(a, jax_core.Literal) else ("int32" if array.dtype.kind in "iu" else array.dtype.name)
    x = array.item() if array.dtype.kind in "iubf" else float(array)
    if isinstance(x, float) and not math.isfinite(x):
      x = "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return {"lit": x, "dtype": dtype}

  def eqn(self, e, atom, number) -> dict[str, Any]:
    outer, self._outer = self._outer, self.source(e)
    try:
      return self._eqn(e, atom, number)
    finally:
      self._outer = outer

  def _eqn(self, e, atom, number) -> dict[str, Any]:
    name = e.primitive.name
    out: dict[str, Any] = {"prim": name, "src": self.source(e)}
    out["out"] = [self.var(v, number) for v in e.outvars]
    out["in"] = [atom(a) for a in e.invars] if name in _PLAIN or name in _INLINED or name in _WITH_PARAMS else []
    p = e.params
    if name in _PLAIN:
      pass
    elif name in _INLINED:
      out["prim"], out["params"] = "call", {"jaxpr": self.jaxpr(p[_INLINED[name]], len(e.invars))}
    elif name in _WITH_PARAMS:
      out["params"] = _WITH_PARAMS[name](self, e)
    elif name in _WITH_REFS:
      _WITH_REFS[name](self, e, out, atom)
    else:
      raise self.refuse(e, f"the primitive {name}")
    return out

  def var(self, v, number) -> dict[str, Any]:
    out: dict[str, Any] = {"var": number(v)}
    if isinstance(v.aval, jax_core.ShapedArray):
      out |= {"dtype": v.aval.dtype.name, "shape": list(v.aval.shape)}
    return out

  # References.

  def view(self, e, transforms, atom) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for t in transforms:
      if isinstance(t, indexing.NDIndexer):
        out.append({"index": [self.index(e, i, atom) for i in t.indices]})
      elif type(t).__name__ in ("UntilingTransform", "UntileRef", "UnswizzleRef") and not out:
        continue  # buffers have their logical shape
      elif type(t).__name__ in ("TransposeTransform", "TransposeRef", "RefTransposer"):
        out.append({"transpose": list(getattr(t, "permutation", None) or t.perm)})
      else:
        raise self.refuse(e, f"a reference with {type(t).__name__}")
    return out

  def index(self, e, i, atom) -> dict[str, Any]:
    if isinstance(i, indexing.Slice):
      if not isinstance(i.size, int):
        raise self.refuse(e, "a slice of dynamic size")
      return {"start": atom(i.start), "size": i.size, "stride": i.stride}
    if getattr(getattr(i, "aval", i), "shape", ()) != ():
      raise self.refuse(e, "an index that is an array")
    return {"at": atom(i)}

  def views(self, e, out, atom, refs: int, flat, trees) -> None:
    """Sets the operands and the views of the references, the first operands of an equation."""
    out["in"] = [atom(a) for a in e.invars[:refs]]
    views = []
    for tree in trees:
      n = tree.num_leaves if tree is not None else 0
      transforms = jax.tree.unflatten(tree, flat[:n]) if tree is not None else ()
      flat = flat[n:]
      views.append(self.view(e, transforms, atom))
    out["params"] = {"views": views}
    if flat:  # a predicate
      out["in"].append(atom(flat[0]))
      out["params"]["predicate"] = True

  def get(self, e, out, atom):
    self.views(e, out, atom, 1, e.invars[1:], [e.params["tree"]])
    out["prim"] = "get"

  def swap(self, e, out, atom):
    self.views(e, out, atom, 2, e.invars[2:], [e.params["tree"]])
    out["prim"] = "swap"

  def barrier(self, e, out, atom):
    tree = e.params["transforms_treedef"]
    self.views(e, out, atom, 1, e.invars[1:], [tree])
    self.check_barrier(e, e.invars[0], out["params"]["views"][0])

  def check_barrier(self, e, var, view):
    """Raises what JAX raises for a use of a barrier array that does not name one barrier."""
    shape = var.aval.shape
    indices = [i for t in view for i in t.get("index", ())]
    if len(indices) > len(shape):
      raise ValueError(f"Index {indices} has more axes than barrier {shape}.")
    if any(d != 1 for d in shape[len(indices):]):
      if not indices:
        raise ValueError(f"Attempting to operate on barrier without indexing, but `num_barriers = {math.prod(shape)}`")
      raise ValueError(f"Index {indices} does not select one barrier of an array of {shape} barriers.")

  def copy_in(self, e, out, atom):
    p = e.params
    if not p["has_barrier"]:
      raise self.refuse(e, "copy_gmem_to_smem without a barrier")
    if p["collective_axes"]:
      raise self.refuse(e, "copy_gmem_to_smem with collective_axes")
    self.views(e, out, atom, 3, e.invars[3:], [p["src_transforms_treedef"], p["dst_transforms_treedef"], p["barrier_transforms_treedef"]])
    self.check_barrier(e, e.invars[2], out["params"]["views"][2])

  def copy_out(self, e, out, atom):
    p = e.params
    if p.get("reduction_op") is not None:
      raise self.refuse(e, "copy_smem_to_gmem with reduction_op")
    self.views(e, out, atom, 2, e.invars[2:], [p["src_transforms_treedef"], p["dst_transforms_treedef"]])
    out["params"]["commit"] = bool(p["commit_group"])

  # Parameters of the other primitives.

  def run_scoped(self, e):
    p = e.params
    invars = p["jaxpr"].invars
    spaces = {v.aval.memory_space for v in invars}
    names = self.axis_names()
    for axis in p["collective_axes"]:
      if axis not in names:
        raise ValueError(f"Collective axis `{axis}` not found among axes `{names}`")
    if gpu_core.MemorySpace.REGS in spaces:
      if len(spaces) > 1:
        raise ValueError("Scoped allocations in MemorySpace.REGS cannot be mixed with scoped allocations in other memory spaces.")
      if p["collective_axes"]:
        raise ValueError("Scoped allocations in MemorySpace.REGS cannot be collective allocations.")
    else:
      self.check_axes(p["collective_axes"])
    thread = self.mesh.thread_name if self.mesh is not None else None
    arg_names = p["jaxpr"].debug_info.arg_names
    scratch = [
        self.scratch(e, v.aval, t, _scratch_name(n)) for v, t, n in
        zip(invars, p["ref_transforms"], arg_names or [None] * len(invars), strict=True)
    ]
    return {"jaxpr": self.jaxpr(p["jaxpr"], len(e.invars) + len(invars)), "scratch": scratch, "collective": ["thread" for a in p["collective_axes"] if a == thread]}

  def axis_names(self) -> list[Any]:
    if self.mesh is None:
      return [object()]
    return [*(self.mesh.cluster_names or ()), self.mesh.thread_name if self.mesh.thread_name is not None else object()]

  def check_axes(self, axes):
    if self.mesh is None or self.mesh.thread_name is None:
      if axes:
        raise ValueError("Requesting collective allocations, but no explicit thread axis specified.")
      return
    if any(a in (self.mesh.cluster_names or ()) for a in axes):
      raise ValueError("Collective allocations along cluster axes are not supported.")
    if self.mesh.thread_name not in axes:
      raise ValueError("Scoped allocation must have the thread axis in its collective axes.")

  def scratch(self, e, aval, transforms, name) -> dict[str, Any]:
    self._scratch += 1
    out: dict[str, Any] = {"name": name or f"scratch{self._scratch}"}
    inner = getattr(aval, "inner_aval", None)
    if not isinstance(inner, jax_core.ShapedArray) or type(aval).__name__ == "AbstractRefUnion":
      raise self.refuse(e, f"an allocation of {type(aval).__name__}")
    if isinstance(inner.dtype, gpu_core.BarrierType):
      return out | {"space": "smem", "shape": list(inner.shape), "arrivals": inner.dtype.num_arrivals}
    if isinstance(inner.dtype, gpu_core.ClusterBarrierType):
      raise self.refuse(e, "a cluster barrier")
    if transforms:
      inner = state_types.TransformedRef(inner, tuple(transforms)).type
    space = {gpu_core.MemorySpace.SMEM: "smem", gpu_core.MemorySpace.GMEM: "gmem", None: "smem"}.get(aval.memory_space)
    if space is None:
      raise self.refuse(e, f"an allocation in {aval.memory_space}")
    return out | {"space": space, "dtype": inner.dtype.name, "shape": list(inner.shape)}

  def axis_index(self, e):
    axis = e.params["axis_name"]
    mesh = self.mesh
    if mesh is not None and axis == mesh.thread_name:
      return {"axis": "thread"}
    if mesh is not None and axis in (mesh.cluster_names or ()):
      return {"axis": "one"}
    if axis in self.grid_names:
      return {"axis": "grid", "dim": self.grid_names.index(axis)}
    if axis in self.device_axes:
      return {"axis": str(axis)}
    raise ValueError(f"Unable to determine axis index for axis name {axis}")

  def scan(self, e):
    consts, carry, _ = (list(g) for g in e.params["ft_in"].update(e.invars).unpack())
    p = e.params
    return {"jaxpr": self.jaxpr(p["jaxpr"], len(e.invars)), "length": p["length"], "reverse": p["reverse"], "consts": len(consts), "carry": len(carry)}

  def while_(self, e):
    p = e.params
    cond, body = p["cond_nconsts"], p["body_nconsts"]
    return {
        "cond": self.jaxpr(p["cond_jaxpr"], len(e.invars) - body), "jaxpr": self.jaxpr(p["body_jaxpr"], len(e.invars) - cond),
        "cond_consts": cond, "consts": body,
    }

  def slice(self, e):
    return {"start": list(e.params["start_indices"]), "strides": list(e.params["strides"] or ())}

  def dot(self, e):
    (lc, rc), (lb, rb) = e.params["dimension_numbers"]
    return {"dot": [list(lc), list(rc), list(lb), list(rb)]}


def _scratch_name(name: str | None) -> str | None:
  return name.replace("['", ".").replace("']", "").replace("args", "scratch") if name else None


_WITH_PARAMS: dict[str, Callable[[Exporter, Any], dict[str, Any]]] = {
    "run_scoped": Exporter.run_scoped,
    "axis_index": Exporter.axis_index,
    "scan": Exporter.scan,
    "while": Exporter.while_,
    "slice": Exporter.slice,
    "dot_general": Exporter.dot,
    "cond": lambda self, e: {"branches": [self.jaxpr(b, len(e.invars) - 1) for b in e.params["branches"]]},
    "program_id": lambda self, e: {"dim": e.params["axis"]},
    "num_programs": lambda self, e: {"dim": e.params["axis"]},
    "integer_pow": lambda self, e: {"y": e.params["y"]},
    "round": lambda self, e: {"y": int(e.params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN)},
    "broadcast_in_dim": lambda self, e: {"axes": list(e.params["broadcast_dimensions"])},
    "transpose": lambda self, e: {"axes": list(e.params["permutation"])},
    "iota": lambda self, e: {"dim": e.params["dimension"]},
    "dynamic_slice": lambda self, e: {"sizes": list(e.params["slice_sizes"])},
    "concatenate": lambda self, e: {"dim": e.params["dimension"]},
    "wait_smem_to_gmem": lambda self, e: {"n": e.params["n"], "read_only": bool(e.params["wait_read_only"])},
}
for _name in ("sum", "prod", "max", "min", "and", "or"):
  _WITH_PARAMS["reduce_" + _name] = lambda self, e: {"axes": list(e.params["axes"])}

_WITH_REFS = {
    "get": Exporter.get,
    "load": Exporter.get,
    "swap": Exporter.swap,
    "store": Exporter.swap,
    "barrier_arrive": Exporter.barrier,
    "barrier_wait": Exporter.barrier,
    "barrier_arrive_and_wait": Exporter.barrier,
    "copy_gmem_to_smem": Exporter.copy_in,
    "copy_smem_to_gmem": Exporter.copy_out,
}
