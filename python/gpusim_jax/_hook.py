"""Takes the place of JAX's GPU interpreter."""

import contextlib
import pathlib
import threading
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax._src.pallas.mosaic_gpu.interpret import params as interpret_params_lib
from jax.experimental import io_callback

from gpusim_jax import _engine, _program
from gpusim_jax._report import Finding, KernelError, Report

TESTED_WITH = "0.12"


class _Races:
  """Stands for JAX's race detection state."""

  races_found = False


class _State:
  """What the installed drop-in remembers."""

  def __init__(self):
    self.lock = threading.Lock()
    self.options: dict[str, Any] = {}
    self.original: tuple[Any, ...] | None = None
    self.races = _Races()
    self.last: dict[str, Any] | None = None
    self.error: KernelError | None = None
    self.reports: list[dict[str, Any]] = []
    self.exports: list[tuple[dict[str, Any], list[np.ndarray]]] | None = None


_state = _State()


def _interpret_pallas_call(
    *args, jaxpr, input_output_aliases, grid_mapping, mesh, interpret_params, kernel_arg_transforms=(), compiler_params=None, **_
):
  kernel = _program.build(
      jaxpr, grid_mapping, mesh, input_output_aliases, interpret_params, kernel_arg_transforms, compiler_params)
  results = [kernel.program["buffers"][i]["name"] for i in kernel.results]
  axes = tuple(jax_core.get_axis_env().axis_sizes)
  avals = [jax.ShapeDtypeStruct(bm.array_aval.shape, bm.array_aval.dtype) for bm in grid_mapping.block_mappings_output]

  def run(indices, *inputs):
    del indices
    text, inputs = kernel.bind(inputs)
    if _state.exports is not None:
      _state.exports.append((text, inputs))
    try:
      outputs, report = _engine.run(text, inputs, list(zip(results, avals, strict=True)), _state.options)
    except KernelError as e:
      with _state.lock:
        _state.error = e
      _remember(e.report)
      raise
    _remember(report)
    return outputs

  return io_callback(run, avals, tuple(lax.axis_index(a) for a in axes), *args, ordered=not axes)


def _remember(report: dict[str, Any]) -> None:
  with _state.lock:
    _state.last = report
    _state.reports.append(report)
    del _state.reports[:-1000]
    _state.races.races_found = any(f["kind"] == "data-race" for f in report["findings"])


def _reset() -> None:
  with _state.lock:
    _state.races = _Races()


class _Installed(contextlib.AbstractContextManager):
  """Returned by install(): as a context manager it uninstalls, and gives errors their type."""

  def __exit__(self, kind, value, traceback):
    uninstall()
    _typed(value)
    return None


def _typed(error: BaseException | None) -> None:
  """Raises the KernelError that JAX has turned into an error of its runtime."""
  with _state.lock:
    found, _state.error = _state.error, None
  if found is not None and isinstance(error, Exception) and not isinstance(error, KernelError) and "KernelError" in str(error):
    raise found from None


def install(*, any_jax: bool = False, **options: Any) -> _Installed:
  """Makes gpusim run what JAX's GPU interpreter would. Options: `seed`."""
  if not jax.__version__.startswith(TESTED_WITH + ".") and not any_jax:
    raise ImportError(f"gpusim_jax is tested with JAX {TESTED_WITH}, this is {jax.__version__}; install(any_jax=True) tries it all the same")
  unknown = set(options) - {"seed"}
  if unknown:
    raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
  _engine.find_binary()
  _state.options = options
  if _state.original is None:
    _state.original = (
        interpreter.interpret_pallas_call, interpreter.get_races, gpu_callbacks.get_races,
        interpreter.reset_gpu_interpret_mode_state, gpu_callbacks.reset_gpu_interpret_mode_state,
    )
    interpreter.interpret_pallas_call = _interpret_pallas_call
    interpreter.get_races = gpu_callbacks.get_races = lambda: _state.races
    interpreter.reset_gpu_interpret_mode_state = gpu_callbacks.reset_gpu_interpret_mode_state = _reset
    jax.clear_caches()
  return _Installed()


def installed() -> bool:
  """Whether the drop-in is in place."""
  return _state.original is not None


def uninstall() -> None:
  """Gives JAX its own interpreter back."""
  if _state.original is None:
    return
  (interpreter.interpret_pallas_call, interpreter.get_races, gpu_callbacks.get_races,
   interpreter.reset_gpu_interpret_mode_state, gpu_callbacks.reset_gpu_interpret_mode_state) = _state.original
  _state.original = None
  jax.clear_caches()


def last_report() -> dict[str, Any] | None:
  """The report of the kernel that ran last, as gpusim wrote it."""
  return _state.last


@contextlib.contextmanager
def _in_place(**options: Any):
  was, before = installed(), dict(_state.options)
  install(**options)
  try:
    with interpret_params_lib.force_gpu_interpret_mode(interpret_params_lib.InterpretGPUParams(detect_races=True)):
      yield
  finally:
    _state.options = before
    if not was:
      uninstall()


def check(fn, *args, **options: Any) -> Report:
  """Calls a function with every detector on, and returns what was found in its kernels.

  A kernel that leaves no result raises no error here: its report says why.
  """
  result = None
  with _in_place(**options):
    first = len(_state.reports)
    _state.error = None
    try:
      result = jax.block_until_ready(fn(*args))
      jax.effects_barrier()
    except Exception:
      if _state.error is None:
        raise
      _state.error = None
    reports = tuple(_state.reports[first:])
  return Report(tuple(Finding.of(f) for r in reports for f in r["findings"]), reports, result)


def _relative(program: dict[str, Any]) -> dict[str, Any]:
  """The program with source files named relative to the working directory, where they are below it."""
  here = pathlib.Path.cwd()
  sources = [[str(pathlib.Path(f).relative_to(here)) if f and pathlib.Path(f).is_relative_to(here) else f, n, name]
             for f, n, name in program["sources"]]
  return dict(program, sources=sources)


def export(fn, *args, path) -> list[pathlib.Path]:
  """Runs a function and writes its kernels as programs: path, then path with -1, -2, ... ."""
  path = pathlib.Path(path)
  with _in_place():
    _state.exports = []
    try:
      jax.block_until_ready(fn(*args))
    except Exception:
      if _state.error is None:
        raise
      _state.error = None
    finally:
      kernels, _state.exports = _state.exports, None
  written = []
  for i, (program, inputs) in enumerate(kernels):
    to = path if i == 0 else path.with_stem(f"{path.stem}-{i}")
    _engine.write(_relative(program), inputs, to)
    written.append(to)
  return written
