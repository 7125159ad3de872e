"""Takes the place of JAX's GPU interpreter."""

import contextlib
import dataclasses
import functools
import itertools
import logging
import math
import pathlib
import re
import threading
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax
from jax._src import callback
from jax._src import config
from jax._src import core as jax_core
from jax._src import dispatch
from jax._src.interpreters import pxla
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax._src.pallas.mosaic_gpu.interpret import params as interpret_params_lib
from jax._src.pallas.mosaic_gpu.interpret.race_detection_state import GPURaceDetectionState
from jax.experimental import io_callback

from gpusim_jax import _engine, _program
from gpusim_jax._report import Finding, KernelError, Report

TESTED_WITH = "0.12"

# The options of install() and check(), with their defaults and what they may be.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "seed": (1, int),
    "schedule": ("random", ("random", "rr")),
    "completion": ("eager", ("eager", "lazy", "random")),
    "lint": (False, bool),
    "arch": (None, (None, "sm_90", "sm_100")),
    "read_overwrite_fence": ("warning", ("warning", "error", "off")),
    "on_race": ("report", ("report", "raise")),
    "max_instructions": (0, int),
    "device_timeout": (30.0, (int, float)),
    "policy": ({}, dict),
}

_RANGES = {"seed": (0, 2**64 - 1), "max_instructions": (0, 2**63 - 1), "device_timeout": (0, threading.TIMEOUT_MAX)}
_SEVERITIES = ("error", "warning", "info", "off")


def _checked(options: dict[str, Any]) -> dict[str, Any]:
  """The options with their defaults; an error names what is wrong."""
  if unknown := sorted(set(options) - set(_OPTIONS)):
    raise TypeError(f"unknown options: {', '.join(unknown)}; known are {', '.join(_OPTIONS)}")
  for name, value in options.items():
    known = _OPTIONS[name][1]
    words = isinstance(known, tuple) and not isinstance(known[-1], type)
    if words and value not in known:
      raise ValueError(f"{name}={value!r}: one of {', '.join(map(repr, known))} is expected")
    if not words and (not isinstance(value, known) or isinstance(value, bool) and known is not bool):
      raise TypeError(f"{name}={value!r}: a value of another type is expected")
    if name in _RANGES and not _RANGES[name][0] <= value <= _RANGES[name][1]:  # NaN is in no range
      raise ValueError(f"{name}={value!r}: a number from {_RANGES[name][0]} to {_RANGES[name][1]} is expected")
  for kind, severity in options.get("policy", {}).items():
    if not isinstance(kind, str) or severity not in _SEVERITIES:
      raise ValueError(f"policy={{{kind!r}: {severity!r}}}: a kind of finding, and one of {', '.join(map(repr, _SEVERITIES))}, are expected")
  return {name: options.get(name, default) for name, (default, _) in _OPTIONS.items()}


def _for_engine(options: dict[str, Any]) -> dict[str, Any]:
  """The options as the engine takes them."""
  names = ("seed", "schedule", "completion", "lint", "read_overwrite_fence", "max_instructions", "policy")
  return {name: options[name] for name in names} | {"arch": options["arch"] or ""}


class _State:
  """What the installed drop-in remembers."""

  def __init__(self):
    self.lock = threading.Lock()
    self.met = threading.Condition()  # guards the meetings of all kernels
    self.programs = threading.RLock()  # held while a program of several devices runs
    self.options: dict[str, Any] = _checked({})
    self.original: tuple[Any, ...] | None = None
    self.last: dict[str, Any] | None = None
    self.errors: dict[int, BaseException] = {}  # the latest ones that went from a callback to the user
    self.numbers = itertools.count(1)
    self.reports: list[dict[str, Any]] | None = None  # of the kernels that check() runs
    self.exports: list[tuple[dict[str, Any], list[list[np.ndarray]]]] | None = None


_state = _State()


# JAX gives the errors of callbacks a type of its own, and keeps their text: this finds ours again.
_MARK = re.compile(r"\(gpusim error (\d+)\)")


def _marked(error: BaseException) -> BaseException:
  """The error to raise in a callback in place of one that the user shall get."""
  with _state.lock:
    number = next(_state.numbers)
    _state.errors[number] = error
    for old in [n for n in _state.errors if n < number - 100]:
      del _state.errors[old]
  text = f"{error} (gpusim error {number})"
  return KernelError(text, error.report) if isinstance(error, KernelError) else type(error)(text)


def _unmarked(error: BaseException) -> BaseException | None:
  """The error of a callback that JAX has turned into one of its own."""
  found = _MARK.search(str(error))
  if not found:
    return None
  with _state.lock:
    return _state.errors.get(int(found[1]))


def _unlogged(record: logging.LogRecord) -> bool:
  """JAX logs every error of a callback with its stack; those of kernels reach the user anyway."""
  return record.exc_info is None or not _MARK.search(str(record.exc_info[1]))


def _execute(original):
  """JAX's execution of a program, which raises the errors of kernels as what they are."""

  @functools.wraps(original)
  def call(self, *args):
    if not (self.has_host_callbacks or self.has_unordered_effects or self.ordered_effects):
      return original(self, *args)
    devices = self.xla_executable.local_devices()
    alone = _state.programs if len(devices) > 1 else contextlib.nullcontext()
    try:
      with alone:  # the calls of two such programs must not meet each other
        out = original(self, *args)
        jax.block_until_ready(out)
        for device in devices:  # a kernel may have no result that anybody uses
          token = dispatch.runtime_tokens.output_runtime_tokens.get(device)
          if token is not None:
            token.block_until_ready()
        return out
    except KeyboardInterrupt:
      # Threads of JAX's own run the kernels of several devices: without this, the next program
      # would wait for the kernel that the user has had enough of.
      _engine.interrupt()
      dispatch.runtime_tokens.clear()
      raise
    except jax.errors.JaxRuntimeError as e:
      error = _unmarked(e)
      if error is None:
        raise
      # The tokens of the program that has failed would fail the next one.
      dispatch.runtime_tokens.clear()
    raise error

  return call


def _begin() -> None:
  """A kernel begins: JAX's accessors answer for it from now on."""
  with gpu_callbacks._shared_memory_init_lock:
    gpu_callbacks._races = GPURaceDetectionState()


def _races(report: dict[str, Any]) -> list[dict[str, Any]]:
  return [f for f in report["findings"] if f["kind"] == "data-race"]


def _remember(report: dict[str, Any]) -> None:
  """A kernel has ended, with an error or without."""
  if report["output"]:  # of debug_print
    print(report["output"], end="", flush=True)
  with _state.lock:
    _state.last = report
    if _state.reports is not None:
      _state.reports.append(report)
  with gpu_callbacks._shared_memory_init_lock:
    if _races(report) and gpu_callbacks._races is not None:
      gpu_callbacks._races.races_found = True


class _Meeting:
  """One call of a kernel on all devices."""

  def __init__(self):
    self.inputs: dict[int, list[np.ndarray]] = {}
    self.outputs: list[list[np.ndarray]] = []
    self.error: BaseException | None = None
    self.done = False

  def end(self, outputs=(), error=None) -> None:
    self.outputs, self.error, self.done = outputs, error, True


def _missing(name: str, came: list[int], devices: int, seconds: float) -> KernelError:
  """The error of a kernel that some devices call and others do not."""
  missing = [d for d in range(devices) if d not in came]
  message = (
      f"kernel {name} needs all {devices} devices: {', '.join(map(str, came))} called it,"
      f" {', '.join(map(str, missing))} did not within {seconds:g} seconds"
  )
  finding = {
      "kind": "deadlock", "severity": "error", "message": message, "missing": "", "edge": "",
      "fix": "call the kernel on every device of the mesh, in the same order", "launch": 0, "kernel": name,
      "space": "", "object": "", "offset": 0, "size": 0, "count": 1, "waits": [], "accesses": [],
  }
  report = {
      "schema": "gpusim-report/1", "program": name, "seed": _state.options["seed"], "verdict": "findings", "complete": False,
      "errors": [], "output": "", "launches": [], "findings": [finding], "expect": [],
  }
  return KernelError.of(report)


class _Sent(NamedTuple):
  """A program that the engine has, or will have once it runs."""

  grid: tuple[int, ...]  # which may depend on the operands of the call
  program: dict[str, Any]
  engine: _engine.Program


class _Kernel:
  """What the jaxpr of a kernel was traced into: called with the operands on every device."""

  def __init__(self, kernel: _program.Kernel, avals: list[Any], axes: tuple[tuple[Any, int], ...]):
    self.kernel, self.avals, self.axes = kernel, avals, axes
    self.name = str(kernel.program["name"])
    self.devices = math.prod(n for _, n in axes)
    self.sent: _Sent | None = None
    self.meetings: list[_Meeting] = []

  def __call__(self, indices, *args):
    arrays = [np.asarray(x) for x in args]
    if self.devices == 1:
      return self.run([arrays])[0]
    return self.meet(int(np.ravel_multi_index([int(i) for i in indices], [n for _, n in self.axes])), arrays)

  def meet(self, device: int, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Waits for the calls of all devices; the last one to come runs the kernel for all."""
    with _state.met:
      meeting = next((m for m in self.meetings if device not in m.inputs), None)
      if meeting is None:
        meeting = _Meeting()
        self.meetings.append(meeting)
      meeting.inputs[device] = arrays
      last = len(meeting.inputs) == self.devices
      if last:
        self.meetings.remove(meeting)
      elif not _state.met.wait_for(lambda: meeting.done or len(meeting.inputs) == self.devices, _state.options["device_timeout"]):
        self.meetings.remove(meeting)
        error = _missing(self.name, sorted(meeting.inputs), self.devices, _state.options["device_timeout"])
        _remember(error.report)
        meeting.end(error=_marked(error))
        _state.met.notify_all()
      else:
        _state.met.wait_for(lambda: meeting.done)
    if last:
      try:
        meeting.end(outputs=self.run([meeting.inputs[d] for d in range(self.devices)]))
      except BaseException as e:
        meeting.end(error=e)
        raise
      finally:
        with _state.met:
          _state.met.notify_all()
    if meeting.error is not None:
      raise meeting.error
    return meeting.outputs[device]

  def run(self, args: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    """Runs the kernel for all devices; takes the operands and returns the results of each of them."""
    bound = [self.kernel.bind(a) for a in args]
    program, inputs = bound[0][0], [arrays for _, arrays in bound]
    grid = tuple(program["grid"])
    if any(tuple(p["grid"]) != grid for p, _ in bound):
      raise NotImplementedError(f"kernel {self.name} has a dynamic grid that differs from device to device")
    if self.sent is None or self.sent.grid != grid:
      buffers = [dict(b, input=True) if i < len(inputs[0]) else b for i, b in enumerate(program["buffers"])]
      program = dict(program, buffers=buffers)
      self.sent = _Sent(grid, program, _engine.Program(program))
    sent = self.sent
    if _state.exports is not None:
      _state.exports.append((sent.program, inputs))
    names = [program["buffers"][i]["name"] for i in self.kernel.results]
    results = [(name if self.devices == 1 else f"{name}@{d}", aval)
               for d in range(self.devices) for name, aval in zip(names, self.avals, strict=True)]
    _begin()
    try:
      outputs, report = _engine.run(sent.engine, [x for shard in inputs for x in shard], results, _for_engine(_state.options))
      _remember(report)
      if _state.options["on_race"] == "raise" and (races := _races(report)):
        raise KernelError("RACE DETECTED: " + "; ".join(f["message"] for f in races), report)
    except KernelError as e:
      if e.report is not _state.last:
        _remember(e.report)
      raise _marked(e) from None
    except (_engine.EngineError, KeyboardInterrupt) as e:
      raise _marked(e) from None
    n = len(names)
    return [outputs[d * n : (d + 1) * n] for d in range(self.devices)]


def _interpret_pallas_call(
    *args, jaxpr, input_output_aliases, grid_mapping, mesh, interpret_params, kernel_arg_transforms=(), compiler_params=None, **_
):
  kernel = _program.build(
      jaxpr, grid_mapping, mesh, input_output_aliases, interpret_params, kernel_arg_transforms, compiler_params)
  axes = tuple(jax_core.get_axis_env().axis_sizes.items())
  avals = [jax.ShapeDtypeStruct(bm.array_aval.shape, bm.array_aval.dtype) for bm in grid_mapping.block_mappings_output]
  return io_callback(_Kernel(kernel, avals, axes), avals, tuple(lax.axis_index(a) for a, _ in axes), *args, ordered=True)


class _Installed(contextlib.AbstractContextManager):
  """Returned by install(): as a context manager it takes back what install() has done."""

  def __init__(self, before: dict[str, Any] | None):
    self.before = before  # the options with which gpusim was installed already

  def __exit__(self, kind, value, traceback):
    if self.before is None:
      uninstall()
    elif installed():
      _state.options = self.before
    if isinstance(value, jax.errors.JaxRuntimeError) and (error := _unmarked(value)):
      raise error from None


def install(*, any_jax: bool = False, **options: Any) -> _Installed:
  """Makes gpusim run what JAX's GPU interpreter would.

  Options: `seed` and `schedule` ("random", "rr") of the order of execution; `completion` of asynchronous
  operations: "eager", "lazy" (as late as the program allows) or "random"; `lint`: report what would not
  compile for a GPU; `arch` whose limits hold ("sm_90", "sm_100"; None: the kernel's own);
  `read_overwrite_fence`: the severity ("warning", "error", "off") of an asynchronous write behind an
  ordinary read without commit_smem between them; `on_race`: "report" or "raise"; `max_instructions` of
  a kernel; `policy`: severities of kinds of findings; `device_timeout`: seconds for which the devices of
  a mesh wait for each other to call a kernel; `any_jax`: try with another version of JAX.
  """
  if not jax.__version__.startswith(TESTED_WITH + ".") and not any_jax:
    raise ImportError(f"gpusim_jax is tested with JAX {TESTED_WITH}, this is {jax.__version__}; install(any_jax=True) tries it all the same")
  checked = _checked(options)
  _engine.find_binary()
  before = _state.options if installed() else None
  _state.options = checked
  if _state.original is None:
    _state.original = (interpreter.interpret_pallas_call, pxla.ExecuteReplicated.__call__)
    interpreter.interpret_pallas_call = _interpret_pallas_call
    pxla.ExecuteReplicated.__call__ = _execute(pxla.ExecuteReplicated.__call__)
    callback.logger.addFilter(_unlogged)
    jax.clear_caches()
  return _Installed(before)


def installed() -> bool:
  """Whether the drop-in is in place."""
  return _state.original is not None


def uninstall() -> None:
  """Gives JAX its own interpreter back."""
  if _state.original is None:
    return
  interpreter.interpret_pallas_call, pxla.ExecuteReplicated.__call__ = _state.original
  _state.original = None
  callback.logger.removeFilter(_unlogged)
  jax.clear_caches()


def last_report() -> dict[str, Any] | None:
  """The report of the kernel that ran last, as gpusim wrote it."""
  return _state.last


@contextlib.contextmanager
def _in_place(interpret=None, **options: Any):
  """The drop-in with other options, and every kernel in GPU interpret mode: with the parameters that are given, or are in force."""
  any_jax = options.pop("any_jax", False)
  current = config.pallas_tpu_interpret_mode_context_manager.value
  params = interpret or (current if isinstance(current, interpret_params_lib.InterpretGPUParams) else interpret_params_lib.InterpretGPUParams())
  params = dataclasses.replace(params, detect_races=True)
  was, before = installed(), _state.options
  install(any_jax=any_jax, **({k: v for k, v in before.items() if was} | options))
  try:
    with interpret_params_lib.force_gpu_interpret_mode(params):
      yield
  finally:
    _state.options = before
    if not was:
      uninstall()


def check(fn, *args, interpret=None, **options: Any) -> Report:
  """Calls a function with every detector on, and returns what was found in its kernels.

  A kernel that leaves no result raises no error here: its report says why. Options are those of
  install(); what they do not say is as installed. JAX puts the parameters of interpret mode that are
  in force before those of a kernel: `interpret` are other ones than its defaults.
  """
  result = None
  with _in_place(interpret, **options):
    before, _state.reports = _state.reports, []
    try:
      result = jax.block_until_ready(fn(*args))
    except KernelError:
      pass  # its report is among the others
    finally:
      reports, _state.reports = tuple(_state.reports), before
      if before is not None:
        before.extend(reports)
  return Report(tuple(Finding.of(f) for r in reports for f in r["findings"]), reports, result)


def _relative(program: dict[str, Any]) -> dict[str, Any]:
  """The program with source files named relative to the working directory, where they are below it."""
  here = pathlib.Path.cwd()
  sources = [[str(pathlib.Path(f).relative_to(here)) if f and pathlib.Path(f).is_relative_to(here) else f, n, name]
             for f, n, name in program["sources"]]
  return dict(program, sources=sources)


def export(fn, *args, path, interpret=None) -> list[pathlib.Path]:
  """Runs a function and writes its kernels as programs: path, then path with -1, -2, ... ."""
  path = pathlib.Path(path)
  with _in_place(interpret):
    _state.exports = []
    try:
      jax.block_until_ready(fn(*args))
    except KernelError:
      pass  # the program shows it
    finally:
      kernels, _state.exports = _state.exports, None
  written = []
  for i, (program, inputs) in enumerate(kernels):
    to = path if i == 0 else path.with_stem(f"{path.stem}-{i}")
    _engine.write(_relative(program), inputs, to)
    written.append(to)
  return written
