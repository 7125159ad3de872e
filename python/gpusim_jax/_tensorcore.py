"""Exports the operations of the tensor cores: mma, wgmma, tcgen05, and tensor memory."""

import inspect
import re

from jax._src.state import types as state_types

from gpusim_jax import _names
from gpusim_jax._export import Exporter, handles, split


@handles("wgmma_ref")
def _wgmma(x: Exporter, e) -> None:
  p = e.params
  acc, a, b = e.invars[:3]
  at, bt, ct, _ = split(e.invars[3:], p["acc_transforms_tree"], p["a_transforms_tree"], p["b_transforms_tree"])
  left = x.ref(e, a, bt) if isinstance(a.aval, state_types.AbstractRef) else x.atom(a)
  x.emit(e, "wgmma", [x.ref(e, acc, at), left, x.ref(e, b, ct)])


@handles("wgmma_wait")
def _wgmma_wait(x: Exporter, e) -> None:
  x.emit(e, "wgmma_wait", [], params={"n": int(e.params["n"])})


@handles("wgmma_accumulator_deref")
def _deref(x: Exporter, e) -> None:
  n = e.params.get("wait_n", 0)
  x.emit(e, "wgmma_load", [x.ref(e, e.invars[0])], params={"n": -1 if n is None else int(n)})


@handles("wgmma_accumulator_store")
def _store(x: Exporter, e) -> None:
  x.emit(e, "wgmma_store", [x.ref(e, e.invars[0]), x.atom(e.invars[1])], outs=[])


@handles("tcgen05_mma")
def _mma(x: Exporter, e) -> None:
  x.blackwell = True
  p = e.params
  acc, a, b, accumulate, *rest = e.invars
  barrier = rest.pop(0) if p["arrive"] else None
  a_scale, b_scale = (rest.pop(0), rest.pop(0)) if p["scaled"] else (None, None)
  sparse = rest.pop(0) if p["sparse"] else None
  names = ("acc", "a", "b", "barrier", "a_scale", "b_scale", "a_sparse_metadata")
  *views, _ = split(rest, *(p[n + "_transforms_tree"] for n in names))
  views = dict(zip(names, views))

  def ref(var, name):
    return None if var is None else x.ref(e, var, views[name])

  ins = [ref(acc, "acc"), ref(a, "a"), ref(b, "b"), x.atom(accumulate)]
  ins.append(None if barrier is None else x.barrier(e, barrier, views["barrier"]))
  ins += [ref(a_scale, "a_scale"), ref(b_scale, "b_scale"), ref(sparse, "a_sparse_metadata")]
  x.emit(e, "tcgen05_mma", ins, params={"cluster": x.axes.cluster_dims(p["collective_axis"])})


@handles("tcgen05_commit_arrive")
def _commit(x: Exporter, e) -> None:
  x.blackwell = True
  p = e.params
  transforms, rest = split(e.invars[1:], p["barrier_transforms_tree"])
  when = rest[-1] if p.get("has_user_predicate") else None
  x.emit(e, "tcgen05_commit_arrive", [x.barrier(e, e.invars[0], transforms)], params={"cluster": x.axes.cluster_dims(p["collective_axis"])}, when=when)


_KINDS = {
    "async_copy_smem_to_tmem": "data",
    "async_copy_scales_to_tmem": "scales",
    "async_copy_sparse_metadata_to_tmem": "sparse",
}


@handles(*_KINDS)
def _copy(x: Exporter, e) -> None:
  x.blackwell = True
  p = e.params
  src, dst, _ = split(e.invars[2:], p["smem_tree"], p["tmem_tree"])
  x.emit(e, "copy_smem_to_tmem", [x.ref(e, e.invars[0], src), x.ref(e, e.invars[1], dst)], params={
      "kind": _KINDS[e.primitive.name], "cluster": x.axes.cluster_dims(p["collective_axis"])})


@handles("async_load")
def _load(x: Exporter, e) -> None:
  x.blackwell = True
  transforms, _ = split(e.invars[1:], e.params["tree"])
  op = e.params.get("reduce")
  x.emit(e, "load_tmem", [x.ref(e, e.invars[0], transforms)], params={"op": str(op)} if op else None)


@handles("async_store_tmem")
def _store_tmem(x: Exporter, e) -> None:
  x.blackwell = True
  transforms, _ = split(e.invars[2:], e.params["tree"])
  x.emit(e, "store_tmem", [x.ref(e, e.invars[0], transforms), x.atom(e.invars[1])])


def _fence(fn) -> bool:
  """Whether a function for inline_mgpu is a fence between proxies that JAX's own inline_ptx has made."""
  if fn.__module__ != "jax._src.pallas.mosaic_gpu.helpers" or not fn.__qualname__.startswith("inline_ptx."):
    return False
  text = inspect.getclosurevars(fn).nonlocals.get("asm", "")
  return isinstance(text, str) and re.fullmatch(r"fence\.proxy\.async[a-z_:.]*;", text) is not None


@handles("inline_mgpu")
def _inline(x: Exporter, e) -> None:
  """Code for the compiler, of which nothing can be known here."""
  if not e.outvars and _fence(e.params["mgpu_fn"]):
    x.emit(e, "commit_smem", [], params={"inline": True})
    return
  if x.inline_mgpu == "ignore" and not e.outvars:
    return
  file, line, _ = x.sources.places[x.sources.of(e)]
  fn = e.params["mgpu_fn"]
  name = getattr(fn, "__name__", str(fn))
  if x.inline_mgpu == "ignore":
    raise ValueError(f"GPU interpret mode does not support `inline_mgpu` with a return value even in `ignore` mode. ({name}, {file}:{line})")
  if x.inline_mgpu != "error":
    raise ValueError(f"GPU interpret mode does not support `inline_mgpu` param with value {x.inline_mgpu}.")
  raise ValueError(
      "GPU interpret mode does not support `inline_mgpu`. Pass `inline_mgpu='ignore'` to skip MGPU calls."
      f" ({_names.clean(name)}, {file}:{line})")
