"""Names of axes: what an axis of the kernel's mesh or of the ambient one stands for."""

import math
from typing import Any

from jax._src import core as jax_core
from jax._src.pallas import primitives as pallas_primitives


class Axes:
  """The axes that a kernel can name. Their names may be any hashable objects; programs hold dimensions."""

  def __init__(self, mesh, grid: tuple[Any, ...], grid_names: tuple[Any, ...], vmapped: tuple[int, ...] = ()):
    self.cluster = tuple(mesh.cluster_names) if mesh is not None else ()
    self.cluster_shape = tuple(mesh.cluster) if mesh is not None else ()
    self.thread = mesh.thread_name if mesh is not None else None
    self.threads = (mesh.num_threads or 1) if mesh is not None else 1
    self.grid_names = grid_names
    self.grid = grid
    self.mesh = mesh
    self.vmapped = vmapped
    self.device = {name: size for name, size in jax_core.get_axis_env().axis_sizes.items()}
    self.warp: Any = None  # the name of the warps' axis, inside of a WarpMesh

  def part(self, name) -> dict[str, Any]:
    """What one axis stands for."""
    if self.mesh is not None:
      if self.thread is not None and name == self.thread:
        return {"kind": "thread", "dim": 0, "size": self.threads}
      if name in self.cluster:
        d = self.cluster.index(name)
        return {"kind": "cluster", "dim": d, "size": self.cluster_shape[d]}
    if name in self.grid_names:
      d = self.grid_names.index(name)
      return {"kind": "grid", "dim": d, "size": self._size(d)}
    if self.warp is not None and name == self.warp:
      return {"kind": "warp", "dim": 0, "size": 4}
    if name in self.device:
      return {"kind": "device", "dim": list(self.device).index(name), "size": self.device[name]}
    raise ValueError(f"Unable to determine axis index for axis name {name}")

  def _size(self, d: int) -> int:
    return self.grid[d] if isinstance(self.grid[d], int) else 0

  def index(self, names) -> list[dict[str, Any]]:
    """The parts of an axis name or of a tuple of names, the last varies fastest."""
    return [self.part(n) for n in (names if isinstance(names, tuple) else (names,))]

  def program_id(self, axis: int) -> list[dict[str, Any]]:
    """What pl.program_id(axis) is: of the grid, then of the cluster, then of the threads."""
    if self.mesh is None:
      d = [i for i in range(len(self.grid)) if i not in self.vmapped][axis]
      return [{"kind": "grid", "dim": d, "size": self._size(d)}]
    names = [*self.grid_names, *self.cluster] + ([self.thread] if self.thread is not None else [])
    return [self.part(names[axis])]

  def cluster_dims(self, axes) -> list[int]:
    """The dimensions of the cluster that a name, or a possibly nested tuple of names, stands for."""
    if axes is None:
      return []
    if isinstance(axes, (tuple, list)):
      return [d for a in axes for d in self.cluster_dims(a)]
    if isinstance(axes, int) and axes not in self.cluster:
      return [axes]
    if axes not in self.cluster:
      names = list(self.cluster) + [self.thread if self.thread is not None else object()]
      raise ValueError(f"Collective axis `{axes}` not found among axes `{names}`")
    return [self.cluster.index(axes)]

  def barrier_dims(self, axes) -> list[list[int]]:
    """The collective axes of a cluster barrier; one may be composite."""
    return [self.cluster_dims(a) for a in axes if a != self.thread or self.thread is None]

  def check_collective(self, axes: tuple[Any, ...]) -> bool:
    """Whether an allocation is collective over the threads; raises what JAX raises for axes that it cannot have."""
    names = list(self.cluster) + [self.thread if self.thread is not None else object()]
    for a in axes:
      if a not in names:
        raise ValueError(f"Collective axis `{a}` not found among axes `{names}`")
    if self.thread is None:
      if axes:
        raise ValueError("Requesting collective allocations, but no explicit thread axis specified.")
      return False
    if any(a in self.cluster for a in axes):
      raise ValueError("Collective allocations along cluster axes are not supported.")
    if self.thread not in axes:
      raise ValueError("Scoped allocation must have the thread axis in its collective axes.")
    return True

  def device_id(self, device_id, kind, atom) -> dict[str, Any]:
    """A device, given by its number or by coordinates of the ambient mesh; null stands for this device's own."""
    if kind is pallas_primitives.DeviceIdType.LOGICAL and not isinstance(device_id, dict):
      return {"logical": atom(device_id)}
    names = list(self.device)
    if isinstance(device_id, dict):
      at: dict[Any, Any] = {}
      for key, index in device_id.items():
        parts = key if isinstance(key, tuple) else (key,)
        for i, name in enumerate(parts):
          if name not in self.device:
            raise NotImplementedError(f"gpusim does not support the axis {name} in a device id: it is no axis of the mesh of devices")
          div = math.prod(self.device[n] for n in parts[i + 1:])
          at[name] = {"at": atom(index), "div": div, "mod": self.device[name] if len(parts) > 1 else 0}
      return {"mesh": [at.get(n) for n in names]}
    ids = list(device_id) if isinstance(device_id, (tuple, list)) else [device_id]
    if len(ids) != len(names):
      raise ValueError(f"Number of device ids must match the number of mesh axes, but got {len(ids)} ids for a {len(names)}D mesh.")
    return {"mesh": [{"at": atom(i), "div": 1, "mod": 0} for i in ids]}
