"""Builds the program of a kernel: the header of gpusim's program format (docs/pallas-program.md) and its functions."""

import dataclasses
import math
from typing import Any, Sequence

import jax
import numpy as np
from jax._src import dtypes
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks
from jax.experimental.mosaic.gpu import utils as mgpu_utils

from gpusim_jax import _memory, _names, _scopes, _sync, _tensorcore  # what they export is registered when they are read
from gpusim_jax._axes import Axes
from gpusim_jax._export import Exporter, UnsupportedError

FORMAT = 2

del _memory, _sync, _tensorcore


@dataclasses.dataclass(frozen=True)
class Kernel:
  """An exported kernel."""

  program: dict[str, Any]
  bounds: tuple[int, ...]  # dimensions of the grid whose extents are the first operands of the call
  results: tuple[int, ...]  # buffers that hold the results

  def bind(self, args: Sequence[Any]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The program for the operands of a call, and the contents of its first buffers."""
    if not self.bounds:
      return self.program, [np.asarray(a) for a in args]
    grid = list(self.program["grid"])
    for d, a in zip(self.bounds, args):
      grid[d] = int(a)
    return dict(self.program, grid=grid), [np.asarray(a) for a in args[len(self.bounds):]]


def build(
    jaxpr, grid_mapping, mesh=None, input_output_aliases=(), interpret_params=None, kernel_arg_transforms=(), compiler_params=None
) -> Kernel:
  """The program of a kernel, given what JAX gives to its interpreter."""
  if mesh is not None and not isinstance(mesh, gpu_core.Mesh):
    raise ValueError(f"Unsupported mesh type: {type(mesh)}")
  gm = grid_mapping
  whole = tuple(gm.grid)
  bounds = tuple(i for i, b in enumerate(whole) if pallas_core.is_dynamic_dim(b))
  if mesh is None:
    grid: tuple[Any, ...] = tuple(0 if i in bounds else int(b) for i, b in enumerate(whole))
    names = tuple(gm.grid_names) if gm.grid_names is not None else tuple(object() for _ in grid)
  else:
    grid, names = tuple(mesh.grid), tuple(mesh.grid_names)
    expected = grid + tuple(mesh.cluster) + (int(mesh.num_threads or 1),)
    if math.prod(whole) != math.prod(expected):
      raise NotImplementedError(f"Invalid grid {gm.grid} in grid_mapping: expected grid to have the same size as {expected}")
  axes = Axes(mesh, grid, names, tuple(gm.vmapped_dims))
  x = Exporter(axes, getattr(interpret_params, "inline_mgpu", "error"))

  buffers, of = _buffers(jaxpr, gm, dict((o, i) for i, o in input_output_aliases))
  operands = _operands(x, jaxpr, gm, of, kernel_arg_transforms)
  program: dict[str, Any] = {
      "gpusim-pallas": FORMAT, "name": _name(jaxpr), "jax": jax.__version__,
      "devices": math.prod(axes.device.values()), "axes": [{"name": str(n), "size": int(s)} for n, s in axes.device.items()],
      "grid": list(grid), "cluster": list(axes.cluster_shape), "threads": axes.threads,
      "thread_axis": axes.thread is not None,
      "sequential": _sequential(compiler_params, mesh, len(grid)),
      "options": _options(interpret_params),
      "buffers": buffers, "operands": operands,
  }
  first = gm.num_index_operands + gm.num_inputs
  results = tuple(of[first + k] for k in range(gm.num_outputs))
  program["results"] = list(results)
  program["kernel"] = x.write(jaxpr, len(jaxpr.invars))
  program["arch"] = _arch(x.blackwell)
  if (place := _names.place(jaxpr)) is not None:
    program["src"] = x.sources.number(*place)
  program["sources"] = x.sources.places
  if (lowering := _lowering(mesh, compiler_params)) != "warpgroup":
    program["lowering"] = lowering
  if x.erased:
    program["erased"] = x.erased
  return Kernel(program, bounds, results)


def _options(p) -> dict[str, Any]:
  return {
      "detect_races": bool(getattr(p, "detect_races", False)),
      "uninitialized_memory": str(getattr(p, "uninitialized_memory", "nan")),
      "out_of_bounds_reads": str(getattr(p, "out_of_bounds_reads", "raise")),
      "skip_floating_point_ops": bool(getattr(p, "skip_floating_point_ops", False)),
  }


def _name(jaxpr) -> str:
  name = jaxpr.debug_info.func_name if jaxpr.debug_info else None
  if name in (None, "", "anonymous", "<lambda>"):  # functools.partial has no name
    inner = next((e.params["jaxpr"] for e in jaxpr.eqns if e.primitive.name == "run_scoped"), None)
    name = next((n for j in (inner, jaxpr) if j is not None and (n := _names.function(j))), None)
  return name or "kernel"


def _arch(blackwell: bool) -> str:
  try:
    major = mgpu_utils._infer_arch()[0]
  except (ValueError, AttributeError):
    major = 9
  return "sm_100" if blackwell or major >= 10 else "sm_90"  # whose capacities gpusim knows


def _lowering(mesh, params) -> str:
  """Which semantics of the Mosaic GPU compiler the kernel would be compiled with.

  It does not compile pl.pallas_call: without parameters of Mosaic GPU, Triton does.
  """
  if mesh is None:
    return "none" if isinstance(params, gpu_core.CompilerParams) else "triton"
  semantics = getattr(params, "lowering_semantics", None)
  return "lane" if semantics is not None and semantics.name == "Lane" else "warpgroup"


def _sequential(params, mesh, rank: int) -> list[int]:
  """The dimensions of the grid that each block goes through by itself, in order."""
  semantics = params.get("dimension_semantics") if isinstance(params, dict) else getattr(params, "dimension_semantics", None)
  if mesh is not None or not semantics:
    return []
  return [i for i in range(rank) if i < len(semantics) and semantics[i] == "sequential"]


def _buffers(jaxpr, gm, alias: dict[int, int]) -> tuple[list[dict[str, Any]], list[int]]:
  """The arrays in global memory, and which of them each operand of the kernel is."""
  names = _operand_names(jaxpr)
  first = gm.num_index_operands
  avals = [a.inner_aval if hasattr(a, "inner_aval") else a for a in gm.index_map_avals[len(gm.grid):]]
  avals += [bm.array_aval for bm in gm.block_mappings]
  buffers: list[dict[str, Any]] = []
  of: list[int] = []
  unique = _names.Unique()
  for i, aval in enumerate(avals):
    k = i - first - gm.num_inputs
    if k >= 0 and k in alias:
      of.append(first + alias[k])
      continue
    if dtypes.issubdtype(aval.dtype, dtypes.extended) or dtypes.issubdtype(aval.dtype, np.complexfloating):
      raise UnsupportedError(f"gpusim does not support an operand of the kernel that is a {aval.dtype}")
    name = names[i] if i < len(names) and names[i] else f"out{k}" if k >= 0 else f"in{i}"
    of.append(len(buffers))
    entry = {"name": unique(name), "dtype": dtypes.dtype(aval.dtype).name, "shape": list(aval.shape)}
    if k < 0:
      entry["input"] = True
    buffers.append(entry)
  return buffers, of


def _operand_names(jaxpr) -> list[str]:
  """What the kernel calls its operands; the function that plgpu.kernel makes hides it, but that within it knows."""
  shown = list(jaxpr.debug_info.arg_names or []) if jaxpr.debug_info else []
  hidden = not shown or any((n or "refs[").startswith(("refs[", "args[")) for n in shown)
  if hidden:
    inner = next((e.params["jaxpr"] for e in jaxpr.eqns if e.primitive.name == "run_scoped"), None)
    for j in (jaxpr, inner):
      params = _names.parameters(j) if j is not None else None
      if params and len(params) >= len(jaxpr.invars):
        scratch = len(inner.invars) if inner is not None else 0
        bound = max(len(params) - len(jaxpr.invars) - scratch, 0)  # by functools.partial
        return params[bound:bound + len(jaxpr.invars)]
    return []
  return [_names.clean(n) for n in shown]


def _operands(x: Exporter, jaxpr, gm, of: list[int], layouts) -> list[dict[str, Any]]:
  """What the parameters of the kernel refer to."""
  first, inputs = gm.num_index_operands, gm.num_inputs
  layouts = list(layouts) or [()] * len(jaxpr.invars)
  out: list[dict[str, Any]] = []
  names = list(jaxpr.debug_info.arg_names or []) if jaxpr.debug_info else []
  for i, var in enumerate(jaxpr.invars):
    layout = tuple(layouts[i]) if i < len(layouts) else ()
    x.layouts[var] = layout
    if i >= len(of):
      name = _names.clean(names[i] if i < len(names) else "") or f"scratch{i - len(of)}"
      out.append({"kind": "scratch", "scratch": _scopes.scratch(x, var.aval, layout, name)})
      continue
    kind = "gmem" if gpu_callbacks.is_gmem_memory_space(var.aval.memory_space) else _scopes.space_of(var.aval)
    if kind not in ("gmem", "smem"):
      raise UnsupportedError(f"gpusim does not support an operand of the kernel in {kind}")
    entry: dict[str, Any] = {"kind": kind, "buffer": of[i]}
    if kind == "smem":
      is_output = i >= first + inputs
      entry |= {"input": not is_output or of[i] < first + inputs, "output": is_output}
    if i >= first:
      bm = gm.block_mappings[i - first]
      if not bm.has_trivial_window():
        entry["window"] = _window(x, bm, len(gm.grid) + first)
    out.append(entry)
  return out


def _window(x: Exporter, bm, params: int) -> dict[str, Any]:
  """The block of an array that a grid point has, and the function that says where it lies."""
  dims = []
  for d in bm.block_shape:
    match d:
      case pallas_core.Blocked(size):
        dims.append({"size": int(size), "mode": "blocked"})
      case pallas_core.Element(size, padding):
        dims.append({"size": int(size), "mode": "element", "padding": [int(q) for q in padding]})
      case pallas_core.Squeezed():
        dims.append({"size": 1, "mode": "squeezed"})
      case _:
        raise UnsupportedError(f"gpusim does not support a BlockSpec with {type(d).__name__} ({bm.origin})")
  return {"dims": dims, "map": x.write(bm.index_map_jaxpr, params)}
