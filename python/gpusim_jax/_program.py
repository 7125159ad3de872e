"""Builds the program of a kernel (docs/pallas-program.md)."""

import dataclasses
import math
from typing import Any, Sequence

import jax
import numpy as np
from jax._src import core as jax_core
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks

from gpusim_jax._export import FORMAT, Exporter, UnsupportedError


@dataclasses.dataclass(frozen=True)
class Kernel:
  """An exported kernel."""

  program: dict[str, Any]
  results: tuple[int, ...]  # buffers that hold the results

  def bind(self, args: Sequence[Any]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The program for the operands of a call, and the contents of its first buffers."""
    return self.program, [np.asarray(a) for a in args]


def build(jaxpr, grid_mapping, mesh, aliases, params, arg_transforms, compiler_params) -> Kernel:
  """The program of a kernel, given what JAX gives to its interpreter."""
  if grid_mapping.num_dynamic_grid_bounds:
    raise NotImplementedError("Dynamic grid bounds not (yet) supported on GPU")
  if grid_mapping.num_index_operands:
    raise NotImplementedError("Scalar arguments not (yet) supported on GPU")
  if params.skip_floating_point_ops:
    raise UnsupportedError("gpusim does not support skip_floating_point_ops yet")
  if params.out_of_bounds_reads != "raise":
    raise UnsupportedError(f"gpusim does not support out_of_bounds_reads={params.out_of_bounds_reads!r} yet")
  if not all(bm.has_trivial_window() for bm in grid_mapping.block_mappings):
    raise UnsupportedError("gpusim does not support BlockSpecs that are not trivial yet")
  if mesh is not None and not isinstance(mesh, gpu_core.Mesh):
    raise ValueError(f"Unsupported mesh type: {type(mesh)}")
  threads, thread_name, grid = 1, "", tuple(grid_mapping.grid)
  grid_names: tuple[Any, ...] = tuple(grid_mapping.grid_names or ())
  if mesh is not None:
    if math.prod(mesh.cluster or ()) != 1:
      raise UnsupportedError("gpusim does not support clusters of several blocks yet")
    threads = mesh.num_threads or 1
    thread_name = "" if mesh.thread_name is None else str(mesh.thread_name)
    grid, grid_names = tuple(mesh.grid), tuple(mesh.grid_names)
  sizes = jax_core.get_axis_env().axis_sizes
  ex = Exporter(mesh, grid_names, tuple(sizes))

  names = list(jaxpr.debug_info.arg_names or [])
  inputs, outputs = grid_mapping.num_inputs, grid_mapping.num_outputs
  avals = [bm.array_aval for bm in grid_mapping.block_mappings]
  alias = {o: i for i, o in aliases}
  buffers: list[dict[str, Any]] = []
  buffer_of: list[int] = []
  used: set[str] = set()
  for i, aval in enumerate(avals):
    if i >= inputs and (i - inputs) in alias:
      buffer_of.append(alias[i - inputs])
      continue
    name = names[i] if i < len(names) and names[i] else ""
    if name.startswith("refs["):  # plgpu.kernel wraps the kernel, and its parameters' names are lost
      name = ""
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_") or (f"in{i}" if i < inputs else f"out{i - inputs}")
    while name in used:
      name += "_"
    used.add(name)
    buffer_of.append(len(buffers))
    buffers.append({"name": name, "dtype": aval.dtype.name, "shape": list(aval.shape)})
  operands = []
  if len(jaxpr.invars) > inputs + outputs:
    raise UnsupportedError("gpusim does not support scratch_shapes of a pallas_call yet")
  for i, var in enumerate(jaxpr.invars):
    space = getattr(var.aval, "memory_space", None)
    gmem = gpu_callbacks.is_gmem_memory_space(space)
    if not gmem and space != gpu_core.MemorySpace.SMEM and "default" not in str(space).lower():
      raise UnsupportedError(f"gpusim does not support kernel operands in {space} yet")
    if not gmem and threads > 1:
      raise UnsupportedError("gpusim does not support operands outside of GMEM in kernels of several threads")
    operands.append({"buffer": buffer_of[i], "space": "gmem" if gmem else "smem", "output": i >= inputs})
  program = {
      "gpusim-pallas": FORMAT, "name": _name(jaxpr), "jax": jax.__version__,
      "grid": list(grid), "threads": threads, "thread_name": thread_name, "axes": {},
      "options": {"detect_races": bool(params.detect_races), "uninitialized_memory": params.uninitialized_memory},
      "buffers": buffers, "operands": operands,
  }
  program["jaxpr"] = ex.jaxpr(jaxpr, len(operands))
  program["sources"] = ex.sources
  return Kernel(program, tuple(buffer_of[inputs + k] for k in range(outputs)))


def _name(jaxpr) -> str:
  return (jaxpr.debug_info.func_name if jaxpr.debug_info else None) or "kernel"
