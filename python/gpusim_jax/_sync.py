"""Exports barriers, semaphores, cluster launch control, output and checks."""

import string
from typing import Any

import jax
from jax._src import core as jax_core
from jax._src.pallas import primitives as pallas_primitives

from gpusim_jax._export import Exporter, handles, split


@handles("barrier_arrive", "barrier_wait", "barrier_test", "barrier_arrive_and_wait")
def _barrier(x: Exporter, e) -> None:
  transforms, rest = split(e.invars[1:], e.params["transforms_treedef"])
  when = rest[-1] if e.params.get("has_user_predicate") else None
  ins = [x.barrier(e, e.invars[0], transforms)]
  if e.primitive.name == "barrier_arrive_and_wait":
    x.emit(e, "barrier_arrive", ins, outs=[])
    x.emit(e, "barrier_wait", ins, outs=[])
  else:
    x.emit(e, e.primitive.name, ins, when=when)


def _unflatten(e):
  return jax.tree.unflatten(e.params["args_tree"], e.invars)


def _device(x: Exporter, device_id, kind) -> dict[str, Any] | None:
  return None if device_id is None else x.axes.device_id(device_id, kind, x.atom)


def _signal_params(e, device) -> dict[str, Any]:
  params: dict[str, Any] = {"device": device} if device is not None else {}
  if e.params.get("memory_scope"):
    params["scope"] = str(e.params["memory_scope"])
  return params


@handles("semaphore_signal")
def _signal(x: Exporter, e) -> None:
  ref, transforms, value, device_id, *core = _unflatten(e)
  if core and core[0] is not None:
    raise x.refuse(e, "semaphore_signal with core_index")
  device = _device(x, device_id, e.params["device_id_type"])
  x.emit(e, "semaphore_signal", [x.barrier(e, ref, transforms), x.atom(value)], params=_signal_params(e, device))


@handles("semaphore_signal_parallel")
def _signal_parallel(x: Exporter, e) -> None:
  refs, transforms, values, devices = _unflatten(e)
  for ref, t, value, device_id in zip(refs, transforms, values, devices, strict=True):
    device = _device(x, device_id, pallas_primitives.DeviceIdType.MESH)
    x.emit(e, "semaphore_signal", [x.barrier(e, ref, t), x.atom(value)], outs=[], params=_signal_params(e, device))


@handles("semaphore_signal_multicast")
def _signal_multicast(x: Exporter, e) -> None:
  ref, transforms, value = _unflatten(e)
  axes = e.params["collective_axes"]
  if set(axes if isinstance(axes, (tuple, list)) else (axes,)) != set(x.axes.device):
    raise ValueError(f"collective_axes {axes} must equal entire mesh axes {tuple(x.axes.device)}")
  x.emit(e, "semaphore_signal", [x.barrier(e, ref, transforms), x.atom(value)], params={"device": {"all": True}})


@handles("semaphore_wait")
def _wait(x: Exporter, e) -> None:
  ref, transforms, value, *decrement = _unflatten(e)
  ins = [x.barrier(e, ref, transforms), x.atom(value)]
  if decrement:
    ins.append(x.atom(decrement[0]))
  x.emit(e, "semaphore_wait", ins)


@handles("semaphore_read")
def _read(x: Exporter, e) -> None:
  ref, transforms = _unflatten(e)
  x.emit(e, "semaphore_read", [x.barrier(e, ref, transforms)])


@handles("try_cluster_cancel")
def _try_cancel(x: Exporter, e) -> None:
  p = e.params
  result, bar, _ = split(e.invars[2:], p["result_transforms_tree"], p["barrier_transforms_tree"])
  axes = p["collective_axes"]
  threads = x.axes.thread is not None and x.axes.thread in axes
  x.emit(e, "try_cluster_cancel", [x.ref(e, e.invars[0], result), x.barrier(e, e.invars[1], bar)], params={
      "threads": threads, "cluster": x.axes.cluster_dims(tuple(a for a in axes if a != x.axes.thread or x.axes.thread is None))})


@handles("query_cluster_cancel")
def _query_cancel(x: Exporter, e) -> None:
  transforms, _ = split(e.invars[1:], e.params["transforms_tree"])
  dims = []
  for name in e.params["grid_names"]:
    part = x.axes.part(name)
    if part["kind"] != "grid":
      raise x.refuse(e, f"query_cluster_cancel of the axis {name}, which is no axis of the grid")
    dims.append(part["dim"])
  x.emit(e, "query_cluster_cancel", [x.ref(e, e.invars[0], transforms)], params={"dims": dims})


@handles("debug_print")
def _debug_print(x: Exporter, e) -> None:
  p = e.params
  if not isinstance(p["fmt"], str):
    raise x.refuse(e, "debug_print whose format is no string")
  static, dynamic = dict(p.get("static_args") or ()), iter(e.invars)
  flat = [static[i] if i in static else next(dynamic) for i in range(len(static) + len(e.invars))]
  args, kwargs = jax.tree.unflatten(p["in_tree"], flat)
  parts, ins = _parts(x, p["fmt"], list(args), dict(kwargs))
  if args and not ins:  # values without a placeholder come after the text
    for a in args:
      parts += [" ", {"arg": len(ins)}]
      ins.append(x.atom(a))
  x.emit(e, "debug_print", ins, params={"parts": parts} | ({"named": True} if kwargs else {}))


@handles("check")
def _check(x: Exporter, e) -> None:
  error = jax.tree.unflatten(e.params["err_tree"], list(e.invars))
  for kind, failed in error._pred.items():
    code = error._code[kind]
    metadata = error._metadata.get(int(code.val)) if isinstance(code, jax_core.Literal) else next(iter(error._metadata.values()), None)
    parts: list[Any] = ["a check failed"]
    ins: list[Any] = []
    if metadata is not None:
      exception = jax.tree.unflatten(metadata, list(error._payload.get(kind) or ()))
      if hasattr(exception, "fmt_string"):
        parts, ins = _parts(x, exception.fmt_string, list(exception.args), dict(exception.kwargs))
        for q in parts:
          if isinstance(q, dict):
            q["arg"] += 1
    x.emit(e, "check", [x.atom(failed), *ins], outs=[], params={"parts": parts} | ({"debug": True} if e.params.get("debug") else {}))


def _parts(x: Exporter, text: str, values: list[Any], named: dict[str, Any]) -> tuple[list[Any], list[Any]]:
  """The parts of a text with placeholders, and the values that stand in it."""
  parts: list[Any] = []
  ins: list[Any] = []
  used = 0
  for literal, field, spec, _ in string.Formatter().parse(text):
    if literal:
      parts.append(literal)
    if field is None:
      continue
    if field == "" or field.isdigit():
      i = int(field) if field else used
      used += field == ""
      value = values[i] if i < len(values) else None
    else:
      value = named.get(field)
    if isinstance(value, (jax_core.Var, jax_core.Literal)):
      parts.append({"arg": len(ins), "spec": spec} if spec else {"arg": len(ins)})
      ins.append(x.atom(value))
    else:
      parts.append(format(value, spec or "") if value is not None else "{" + field + "}")
  return parts, ins
