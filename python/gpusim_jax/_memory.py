"""Exports accesses of memory and copies."""

import jax

from gpusim_jax._export import Exporter, handles, split


@handles("get", "load")
def _get(x: Exporter, e) -> None:
  transforms, _ = split(e.invars[1:], e.params["tree"])
  x.emit(e, "get", [x.ref(e, e.invars[0], transforms)])


@handles("swap", "store", "addupdate")
def _swap(x: Exporter, e) -> None:
  transforms, _ = split(e.invars[2:], e.params["tree"])
  name = "addupdate" if e.primitive.name == "addupdate" else "swap"
  x.emit(e, name, [x.ref(e, e.invars[0], transforms), x.atom(e.invars[1])])


def _optional(x: Exporter, a):
  return None if a is None else x.atom(a)


@handles("masked_load")
def _masked_load(x: Exporter, e) -> None:
  ref, transforms, mask, other = jax.tree.unflatten(e.params["args_tree"], e.invars)
  if mask is None:
    x.emit(e, "get", [x.ref(e, ref, transforms)])
  else:
    x.emit(e, "masked_load", [x.ref(e, ref, transforms), x.atom(mask), _optional(x, other)])


@handles("masked_swap")
def _masked_swap(x: Exporter, e) -> None:
  ref, transforms, value, mask = jax.tree.unflatten(e.params["args_tree"], e.invars)
  if mask is None:
    x.emit(e, "swap", [x.ref(e, ref, transforms), x.atom(value)])
  else:
    x.emit(e, "masked_swap", [x.ref(e, ref, transforms), x.atom(value), x.atom(mask)])


@handles("mgpu_atomic_store")
def _atomic_store(x: Exporter, e) -> None:
  ref, transforms, value, *mask = jax.tree.unflatten(e.params["args_tree"], e.invars)
  ins = [x.ref(e, ref, transforms or ()), x.atom(value)]
  if mask and mask[0] is not None:
    ins.append(x.atom(mask[0]))
  x.emit(e, "atomic_store", ins, params={"op": e.params["atomic_type"].value})


@handles("multimem_store")
def _multimem_store(x: Exporter, e) -> None:
  transforms, _ = split(e.invars[2:], e.params["transforms_tree"])
  x.emit(e, "multimem_store", [x.ref(e, e.invars[1], transforms), x.atom(e.invars[0])])


@handles("multimem_load_reduce")
def _multimem_load_reduce(x: Exporter, e) -> None:
  transforms, _ = split(e.invars[1:], e.params["tree"])
  x.emit(e, "multimem_load_reduce", [x.ref(e, e.invars[0], transforms)], params={"op": str(e.params["reduction_op"])})


def _predicate(e, rest):
  return rest[-1] if e.params.get("has_user_predicate") else None


def _leader(tracked) -> dict:
  """How the blocks of a collective copy share the work."""
  if tracked is None:
    return {}
  axis = getattr(tracked, "axis", None)
  return {"leader": "replicated"} if axis is None else {"leader": "partitioned", "dim": int(axis)}


@handles("copy_gmem_to_smem")
def _copy_in(x: Exporter, e) -> None:
  p = e.params
  first = 3 if p["has_barrier"] else 2
  src, dst, bar, rest = split(e.invars[first:], p["src_transforms_treedef"], p["dst_transforms_treedef"], p["barrier_transforms_treedef"])
  ins = [x.ref(e, e.invars[0], src), x.ref(e, e.invars[1], dst)]
  ins.append(x.barrier(e, e.invars[2], bar) if p["has_barrier"] else None)
  params = {"cluster": x.axes.cluster_dims(p["collective_axes"])} | _leader(p["leader_tracked"])
  if p.get("oob_mode") is not None:
    params["oob"] = p["oob_mode"].name.lower()
  x.emit(e, "copy_gmem_to_smem", ins, params=params, when=_predicate(e, rest))


@handles("copy_smem_to_gmem")
def _copy_out(x: Exporter, e) -> None:
  p = e.params
  src, dst, rest = split(e.invars[2:], p["src_transforms_treedef"], p["dst_transforms_treedef"])
  params = {"commit": bool(p["commit_group"])}
  if p["reduction_op"]:
    params["op"] = str(p["reduction_op"])
  x.emit(e, "copy_smem_to_gmem", [x.ref(e, e.invars[0], src), x.ref(e, e.invars[1], dst)], params=params, when=_predicate(e, rest))


@handles("async_store_smem")
def _async_store(x: Exporter, e) -> None:
  p = e.params
  value, ref, barrier, index = e.invars[:4]
  dst, bar, _ = split(e.invars[4:], p["ref_transforms_treedef"], p["barrier_transforms_treedef"])
  params = {"cluster": x.axes.cluster_dims(p["cluster_dim"])}
  if p["atomic"]:
    params["op"] = str(p["atomic"])
  x.emit(e, "async_store_smem", [x.ref(e, ref, dst), x.atom(value), x.barrier(e, barrier, bar), x.atom(index)], params=params)


@handles("async_prefetch")
def _prefetch(x: Exporter, e) -> None:
  transforms, rest = split(e.invars[1:], e.params["ref_transforms_treedef"])
  x.emit(e, "async_prefetch", [x.ref(e, e.invars[0], transforms)], when=_predicate(e, rest))


@handles("wait_smem_to_gmem")
def _wait_out(x: Exporter, e) -> None:
  x.emit(e, "wait_smem_to_gmem", [], params={"n": int(e.params["n"]), "read_only": bool(e.params["wait_read_only"])})


@handles("wait_gmem_to_smem")
def _wait_in(x: Exporter, e) -> None:
  x.emit(e, "wait_gmem_to_smem", [], params={"n": int(e.params["n"])})


@handles("commit_group", "commit_smem", "commit_tmem", "wait_load_tmem", "griddepcontrol_wait", "griddepcontrol_launch_dependents")
def _bare(x: Exporter, e) -> None:
  x.blackwell |= e.primitive.name in ("commit_tmem", "wait_load_tmem")
  x.emit(e, e.primitive.name, [])


@handles("set_max_registers")
def _set_max_registers(x: Exporter, e) -> None:
  x.emit(e, "set_max_registers", [], params={"n": int(e.params["n"]), "action": str(e.params["action"])})


@handles("delay")
def _delay(x: Exporter, e) -> None:
  x.emit(e, "delay", x.atoms(e.invars))


@handles("print_layout")
def _print_layout(x: Exporter, e) -> None:
  """It prints when a kernel is compiled, and does nothing when it runs."""
