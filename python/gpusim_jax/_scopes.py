"""Exports allocations: run_scoped, run_state, get_global, the scratch of a kernel, and warps."""

from typing import Any

from jax._src import dtypes
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.state import types as state_types

from gpusim_jax import _names, _refs
from gpusim_jax._export import Exporter, handles, is_accumulator


def space_of(aval) -> str:
  """The memory that a reference refers to."""
  match aval.memory_space:
    case pallas_core.MemorySpace.DEFAULT | gpu_core.MemorySpace.SMEM:
      return "smem"
    case None | gpu_core.MemorySpace.GMEM | pallas_core.MemorySpace.ANY:
      return "gmem"
    case gpu_core.MemorySpace.TMEM:
      return "tmem"
    case other if str(other) == "smem":  # that of scalars which are prefetched has a type of its own
      return "smem"
    case _:
      raise NotImplementedError(f"Unsupported memory space: {aval.memory_space}")


def scratch(x: Exporter, aval, layout: tuple[Any, ...], name: str) -> dict[str, Any]:
  """An allocation."""
  out: dict[str, Any] = {"name": name}
  inner = getattr(aval, "inner_aval", None)
  if is_accumulator(aval):
    return out | {"kind": "accumulator", "dtype": dtypes.dtype(aval.dtype).name, "shape": list(aval.shape)}
  if isinstance(aval, gpu_core.AbstractRefUnion):
    space = space_of(aval)
    x.blackwell |= space == "tmem"
    return out | {"kind": "union", "space": space, "bytes": _refs.union_bytes(aval)}
  dtype = inner.dtype
  if isinstance(dtype, gpu_core.BarrierType):
    return out | {
        "kind": "barrier", "shape": list(inner.shape), "arrivals": int(dtype.num_arrivals),
        "orders_tensor_core": bool(dtype.orders_tensor_core),
    }
  if isinstance(dtype, gpu_core.ClusterBarrierType):
    return out | {
        "kind": "cluster_barrier", "shape": list(inner.shape), "arrivals": int(dtype.num_arrivals),
        "orders_tensor_core": bool(dtype.orders_tensor_core), "leader_tracked": bool(dtype.leader_tracked),
        "axes": x.axes.barrier_dims(dtype.collective_axes),
    }
  if isinstance(dtype, pallas_core.AbstractSemaphoreTy) or dtypes.issubdtype(dtype, pallas_core.semaphore_dtype):
    return out | {"kind": "semaphore", "shape": list(inner.shape)}
  space = space_of(aval)
  if space == "tmem":
    x.blackwell = True
    out |= {"collective": bool(getattr(aval, "collective", False)), "packed": _packed(aval)}
  return out | {"kind": "array", "space": space, "dtype": dtypes.dtype(dtype).name, "shape": list(_refs.logical_shape(aval, layout))} | _refs.physical(layout)


def _packed(aval) -> bool:
  """Whether elements that are smaller than a column of tensor memory share one."""
  columns = 1
  for d in (*aval.shape[:-2], aval.shape[-1]):
    columns *= d
  bits = dtypes.itemsize_bits(aval.dtype)
  try:
    return bits < 32 and int(aval.layout.cols_in_shape((aval.shape[-2], columns), bits)) < columns
  except (AttributeError, ValueError, IndexError):
    return False


@handles("run_scoped")
def _run_scoped(x: Exporter, e) -> None:
  p = e.params
  # dynamic_scheduling_loop names the axis None where there are no threads, and the compiler takes that for none.
  jaxpr, collective = p["jaxpr"], tuple(a for a in p["collective_axes"] if a is not None)
  layouts = p.get("ref_transforms") or ((),) * len(jaxpr.invars)
  threads = False
  plain = [v for v in jaxpr.invars if not is_accumulator(v.aval) and not _is_semaphore(v.aval)]
  if plain or collective:
    if any(is_accumulator(v.aval) for v in jaxpr.invars) and not plain and collective:
      raise ValueError("Scoped allocations in MemorySpace.REGS cannot be collective allocations.")
    threads = x.axes.check_collective(collective)
  names = list(jaxpr.debug_info.arg_names or []) if jaxpr.debug_info else []
  params = _names.parameters(jaxpr) if any("[" in (n or "[") for n in names) else None
  list_ = []
  for i, (v, layout) in enumerate(zip(jaxpr.invars, layouts, strict=True)):
    name = names[i] if i < len(names) else ""
    if params and len(params) >= len(jaxpr.invars) and (not name or name.startswith("args[")):
      name = params[len(params) - len(jaxpr.invars) + i]
    list_.append(scratch(x, v.aval, tuple(layout), _names.clean(name) or f"scratch{i}"))
    x.layouts[v] = tuple(layout)
  # The operands of the equation are the constants of the function, then come the allocations.
  x.sources.enter(e)
  try:
    inner = _with_operands(x, jaxpr, e.invars)
  finally:
    x.sources.leave()
  x.emit(e, "run_scoped", x.atoms(e.invars), params={"scratch": list_, "threads": threads, "body": inner})


def _with_operands(x: Exporter, jaxpr, operands) -> dict[str, Any]:
  for inner, a in zip(jaxpr.constvars, operands, strict=True):
    x.layouts[inner] = x.layouts.get(a, ()) if not hasattr(a, "val") else ()
  return x.write(jaxpr, len(operands) + len(jaxpr.invars))


def _is_semaphore(aval) -> bool:
  dtype = getattr(getattr(aval, "inner_aval", None), "dtype", None)
  return dtype is not None and (isinstance(dtype, pallas_core.AbstractSemaphoreTy) or dtypes.issubdtype(dtype, pallas_core.semaphore_dtype))


@handles("run_state")
def _run_state(x: Exporter, e) -> None:
  """References that live in registers while a function runs; others are handed on to it."""
  p = e.params
  jaxpr = p["jaxpr"]
  names = list(jaxpr.debug_info.arg_names or []) if jaxpr.debug_info else []
  list_: list[dict[str, Any] | None] = []
  ins: list[Any] = []
  operands = iter(e.invars)
  for i, (v, initialized) in enumerate(zip(jaxpr.invars, p["is_initialized"], strict=True)):
    a = next(operands) if initialized else None
    if a is not None and isinstance(a.aval, state_types.AbstractRef):
      list_.append(None)
      ins.append(x.atom(a))
      x.layouts[v] = x.layouts.get(a, ())
      continue
    if not is_accumulator(v.aval) and v.aval.memory_space is not None:
      raise x.refuse(e, f"run_state with a new reference to {v.aval.memory_space}")
    name = _names.clean(names[i] if i < len(names) else "") or f"state{i}"
    list_.append({"kind": "accumulator", "name": name, "dtype": dtypes.dtype(v.aval.dtype).name, "shape": list(v.aval.shape)})
    ins.append(None if a is None else x.atom(a))
    x.layouts[v] = ()
  x.sources.enter(e)
  try:
    body = x.write(jaxpr, len(jaxpr.invars))
  finally:
    x.sources.leave()
  x.emit(e, "run_state", ins, params={"scratch": list_, "body": body})


@handles("get_global")
def _get_global(x: Exporter, e) -> None:
  aval = e.params["what"]
  if not _is_semaphore(aval):
    raise x.refuse(e, "get_global of something else than semaphores")
  x.emit(e, "get_global", [], params={"call": x.globals, "shape": list(aval.shape)})
  x.globals += 1


@handles("core_map")
def _core_map(x: Exporter, e) -> None:
  if not isinstance(e.params["mesh"], gpu_core.WarpMesh):
    raise ValueError("Only core_map over WarpMesh is supported in an MGPU kernel.")
  if x.axes.warp is not None:
    raise ValueError("Cannot core_map over WarpMesh while already core_mapped.")
  _warps(x, e, e.params["mesh"], e.params["jaxpr"])


@handles("mpmd_map")
def _mpmd_map(x: Exporter, e) -> None:
  if len(e.params["jaxprs"]) > 1:
    raise NotImplementedError("mpmd_map with multiple meshes is not supported in an MGPU kernel.")
  mesh = e.params["meshes"][0]
  if not isinstance(mesh, gpu_core.WarpMesh):
    raise ValueError("Only mpmd_map over WarpMesh is supported in an MGPU kernel.")
  if x.axes.warp is not None:
    raise ValueError("Cannot mpmd_map over WarpMesh while already mpmd_mapped.")
  _warps(x, e, mesh, e.params["jaxprs"][0])


def _warps(x: Exporter, e, mesh, jaxpr) -> None:
  x.axes.warp = mesh.axis_name
  try:
    body = x.within(e, jaxpr, e.invars)
  finally:
    x.axes.warp = None
  x.emit(e, "warps", x.atoms(e.invars), outs=[], params={"body": body})
