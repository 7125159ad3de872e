"""Finds the gpusim binary and runs programs on it."""

import base64
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Sequence

import numpy as np

from gpusim_jax._report import KernelError


class EngineError(RuntimeError):
  """gpusim could not be found, or did not accept a program."""


@functools.cache
def _build(checkout: pathlib.Path) -> str:
  out = pathlib.Path(tempfile.gettempdir()) / f"gpusim-{os.getuid()}" / "gpusim"
  out.parent.mkdir(mode=0o700, exist_ok=True)
  done = subprocess.run(
      ["go", "build", "-o", str(out), "./cmd/gpusim"], cwd=checkout, capture_output=True, text=True, check=False
  )
  if done.returncode != 0:
    raise EngineError(f"go build of {checkout} failed:\n{done.stderr}")
  return str(out)


def find_binary() -> str:
  """The gpusim binary: GPUSIM_BIN, then PATH, then built with Go from the checkout beside this package."""
  if path := os.environ.get("GPUSIM_BIN"):
    if not os.access(path, os.X_OK):
      raise EngineError(f"GPUSIM_BIN is {path}, which is no executable file")
    return path
  if path := shutil.which("gpusim"):
    return path
  checkout = pathlib.Path(__file__).resolve().parents[2]
  if (checkout / "cmd" / "gpusim").is_dir():
    if not shutil.which("go"):
      raise EngineError(f"gpusim is not in PATH, and go is not either, to build it from {checkout}")
    return _build(checkout)
  raise EngineError("gpusim was not found: set GPUSIM_BIN to the binary, or put it into PATH")


# Findings of these kinds do not keep a kernel from having a result.
_HARMLESS = {"data-race", "uninitialized-read", "async-misuse"}


def run(
    program: dict[str, Any], inputs: Sequence[np.ndarray], outputs: Sequence[tuple[str, Any]], options: dict[str, Any]
) -> tuple[list[np.ndarray], dict[str, Any]]:
  """Runs a program; returns its outputs (name, shape and dtype of each are given) and the report."""
  with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
    place = pathlib.Path(folder)
    write(program, inputs, place / "kernel.json")
    command = [find_binary(), "check", "kernel.json", "--format", "json", "--quiet"]
    command += [f"--seed={options.get('seed', 1)}"]
    for i, (name, _) in enumerate(outputs):
      command += ["--save", f"{name}=out{i}.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
      report = json.loads(done.stdout)
    except ValueError:
      raise EngineError(f"gpusim ended with status {done.returncode}:\n{done.stderr}") from None
    if report["errors"]:
      raise EngineError("\n".join(f"{e['file']}:{e['line']}: {e['message']}" for e in report["errors"]))
    if not report["complete"]:
      fatal = [f for f in report["findings"] if f["severity"] == "error" and f["kind"] not in _HARMLESS]
      fatal = fatal or [f for f in report["findings"] if f["severity"] == "error"]
      text = "; ".join(f"{f['kind']}: {f['message']}" for f in fatal) or "the kernel did not run to its end"
      raise KernelError(text, report)
    results = []
    for i, (_, aval) in enumerate(outputs):
      data = np.load(place / f"out{i}.npy")
      results.append(data.view(aval.dtype).reshape(aval.shape))
    return results, report


# Arrays of at most so many bytes stand in the program itself.
_INLINE = 4096


def write(program: dict[str, Any], inputs: Sequence[np.ndarray], path: pathlib.Path) -> None:
  """Writes a program; large arrays that its first buffers hold go to files beside it."""
  program = dict(program, buffers=[dict(b) for b in program["buffers"]])
  for i, array in enumerate(inputs):
    data = np.ascontiguousarray(array).tobytes()
    if len(data) <= _INLINE:
      program["buffers"][i]["data"] = base64.b64encode(data).decode()
      continue
    name = f"{path.stem}.{i}.bin"
    path.with_name(name).write_bytes(data)
    program["buffers"][i]["file"] = name
  path.write_text(json.dumps(program) + "\n")
