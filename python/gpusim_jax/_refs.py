"""References of a kernel: their layouts, and the transforms of their uses."""

import math
from typing import Any, Callable

import jax
import numpy as np
from jax._src import dtypes
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax._src.state import indexing
from jax._src.state import types as state_types

def logical_shape(aval, layout: tuple[Any, ...]) -> tuple[int, ...]:
  """The shape of a buffer once the transforms of its layout are undone."""
  for t in layout:
    aval = t.transform_type(aval)
  return tuple(aval.shape)


def physical(layout: tuple[Any, ...]) -> dict[str, Any]:
  """How a buffer lies in shared memory: its tiling and its swizzle in bytes, if it has one."""
  out: dict[str, Any] = {}
  for t in layout:
    match t:
      case gpu_core.UntilingTransform(tiling):
        out["tiling"] = [int(n) for n in tiling]
      case gpu_core.UnswizzleRef(swizzle):
        out["swizzle"] = int(swizzle)
  return out


def union_members(aval) -> list[Any]:
  """The members of a RefUnion, each with the transforms that select it."""
  tree = gpu_core.flatten_ref_union(aval)
  return jax.tree.leaves(tree, is_leaf=lambda x: isinstance(x, state_types.TransformedRef))


def union_bytes(aval) -> int:
  """The size of a RefUnion; a column of tensor memory has 128 rows of 4 bytes."""
  if aval.memory_space == gpu_core.MemorySpace.TMEM:
    return 512 * aval.shape[1]
  return math.prod(aval.shape)


class Unsupported(Exception):
  """A transform that gpusim does not support; the exporter says where."""


def _alias(aval, t) -> tuple[dict[str, Any], tuple[Any, ...]]:
  """The member of a union that a transform selects, and the layout of the member."""
  for member in union_members(aval):
    if member.transforms[0] == t:
      layout = tuple(member.transforms[1:])
      shape = logical_shape(t.transform_type(aval), layout)
      scale = 512 if aval.memory_space == gpu_core.MemorySpace.TMEM else 1
      return {"alias": dtypes.dtype(t.dtype).name, "shape": list(shape), "offset": t.offset * scale, "group": t.alias_group_idx} | physical(layout), layout
  raise Unsupported("a member that is not of its union")


def view(aval, layout, transforms, atom: Callable[[Any], Any], device: Callable[[Any, Any], Any], cluster: Callable[[Any], list[int]]) -> list[dict[str, Any]]:
  """The transforms of a use of a reference, without those of its layout."""
  out: list[dict[str, Any]] = []
  transforms = list(transforms)
  if transforms and isinstance(transforms[0], gpu_core.ExtractAliasedRef):
    member, layout = _alias(aval, transforms[0])
    out.append(member)
    aval = transforms.pop(0).transform_type(aval)
  if layout and tuple(transforms[:len(layout)]) == tuple(layout):
    for t in transforms[:len(layout)]:
      aval = t.transform_type(aval)
    del transforms[:len(layout)]
  elif layout and (transforms or logical_shape(aval, layout) != tuple(aval.shape)):
    raise Unsupported("a reference that undoes only a part of its layout")
  for t in transforms:
    aval = t.transform_type(aval)
    match t:
      case indexing.NDIndexer():
        out.append({"index": [_index(i, atom) for i in t.indices]})
      case state_types.TransposeTransform():
        out.append({"transpose": list(t.permutation)})
      case state_types.ReshapeTransform():
        out.append({"reshape": list(aval.shape)})
      case state_types.BitcastTransform():
        out.append({"bitcast": dtypes.dtype(t.dtype).name, "shape": list(aval.shape)})
      case gpu_core.PeerMemRef():
        out.append({"device": device(t.device_id, t.device_id_type)})
      case gpu_core.MulticastRef():
        out.append({"multicast": True})
      case gpu_core.ClusterRefTransform():
        dims = [cluster(d) for d in t.dims]
        if any(len(d) != 1 for d in dims):
          raise Unsupported("a cluster_ref along a composite axis")
        out.append({"cluster": [{"dim": d[0], "at": atom(i)} for d, i in zip(dims, t.idxs, strict=True)]})
      case gpu_core.ExpandLeadingBatchDimensionsTransform():
        out.append({"expand": list(t.batch_shape)})
      case gpu_core.IdentityTransform() | state_types.MemorySpaceCastTransform():
        pass
      case gpu_core.UnswizzleRef():
        pass  # of a reference that is not tiled
      case _:
        raise Unsupported(f"a reference with {type(t).__name__}")
  return out


def _index(i, atom) -> dict[str, Any]:
  if isinstance(i, indexing.Slice):
    if not isinstance(i.size, (int, np.integer)):
      raise Unsupported("a slice of dynamic size")
    return {"start": atom(i.start), "size": int(i.size), "stride": int(i.stride)}
  shape = tuple(getattr(getattr(i, "aval", i), "shape", ()))
  if isinstance(getattr(i, "aval", None), state_types.AbstractRef):
    raise Unsupported("an index that is a reference")
  return {"list": atom(i), "shape": list(shape)} if shape else {"at": atom(i)}


def barrier_index(shape: tuple[int, ...], transforms, atom) -> list[dict[str, Any]]:
  """Which barrier of an array a use names: a slice names its start, axes without an index have one element.

  Raises what JAX raises for a use that does not name one barrier.
  """
  if not transforms:
    if any(d != 1 for d in shape):
      raise ValueError(f"Attempting to operate on barrier without indexing, but `num_barriers = {math.prod(shape)}`")
    return []
  start: list[Any] = [0] * len(shape)
  left = list(range(len(shape)))  # dimensions that no integer has selected from
  for t in transforms:
    if not isinstance(t, indexing.NDIndexer):
      raise NotImplementedError(f"Indexing barrier with {t} not supported in GPU interpret mode")
    if len(t.indices) > len(left):
      raise ValueError(f"Index {tuple(t.indices)} has more axes than barrier {shape}.")
    keep = []
    for d, i in zip(left, t.indices):
      if isinstance(i, indexing.Slice):
        if i.stride != 1:
          raise NotImplementedError("Barrier does not support slice with `stride != 1`")
        keep.append(d)
        i = i.start
      if not _is_zero(start[d]) and not _is_zero(i):
        raise Unsupported("a slice of a slice of barriers")
      start[d] = i if _is_zero(start[d]) else start[d]
    left = keep + left[len(t.indices):]
  return [{"index": [{"at": atom(i)} for i in start]}]


def _is_zero(i) -> bool:
  i = getattr(i, "val", i)
  return isinstance(i, (int, np.integer)) and i == 0
