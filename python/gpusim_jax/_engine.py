"""Finds the gpusim binary, and runs programs in one process of it that lives as long as Python."""

import atexit
import base64
import fcntl
import functools
import hashlib
import importlib.metadata
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import threading
import urllib.parse
import weakref
from typing import Any, Sequence

import numpy as np

from gpusim_jax._report import KernelError


class EngineError(RuntimeError):
  """gpusim could not be found, or did not accept a program."""


@functools.cache
def _build(checkout: pathlib.Path) -> str:
  """Builds the binary; one for each checkout, so that two of them do not get each other's."""
  mark = hashlib.sha256(str(checkout).encode()).hexdigest()[:12]
  directory = pathlib.Path(tempfile.gettempdir()) / f"gpusim-{os.getuid()}"
  directory.mkdir(mode=0o700, exist_ok=True)
  if directory.stat().st_uid != os.getuid():
    raise EngineError(f"{directory}, where gpusim would be built, belongs to another user: set GPUSIM_BIN")
  out = directory / mark / "gpusim"
  done = subprocess.run(
      ["go", "build", "-o", str(out), "./cmd/gpusim"], cwd=checkout, capture_output=True, text=True, check=False
  )
  if done.returncode != 0:
    raise EngineError(f"go build of {checkout} failed:\n{done.stderr}")
  return str(out)


def _checkout() -> pathlib.Path | None:
  """The checkout that this package lies in, or that pip has installed it from."""
  places = [pathlib.Path(__file__).resolve().parents[1]]
  try:
    origin = importlib.metadata.distribution("gpusim_jax").read_text("direct_url.json")  # PEP 610
    url = urllib.parse.urlsplit(json.loads(origin or "{}").get("url", ""))
    if url.scheme == "file":
      places.append(pathlib.Path(urllib.parse.unquote(url.path)))
  except (importlib.metadata.PackageNotFoundError, ValueError):
    pass
  return next((p.parent for p in places if (p.parent / "cmd" / "gpusim" / "main.go").is_file()), None)


def find_binary() -> str:
  """The gpusim binary: GPUSIM_BIN, then PATH, then built with Go from the checkout that this package comes from."""
  if path := os.environ.get("GPUSIM_BIN"):
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
      raise EngineError(f"GPUSIM_BIN is {path}, which is no executable file")
    return path
  if path := shutil.which("gpusim"):
    return path
  if checkout := _checkout():
    if not shutil.which("go"):
      raise EngineError(f"gpusim is not in PATH, and go is not either, to build it from {checkout}")
    return _build(checkout)
  raise EngineError("gpusim was not found: set GPUSIM_BIN to the binary, or put it into PATH (go build -o gpusim ./cmd/gpusim in a checkout of gpusim makes one)")


class Program:
  """A program that is sent to the engine once, however often it runs.

  The engine reads the arrays of all buffers marked as input, device by device.
  """

  def __init__(self, program: dict[str, Any]):
    self.name = str(program["name"])
    self.text = json.dumps(program).encode()


# A frame, to the process and from it (package serve): magic, the lengths of a JSON header and of
# a body of raw bytes, and the two.
_PREFIX = struct.Struct("<4sIQ")
_MAGIC = b"GSM1"
_PIPE = 1 << 20


class _Lost(Exception):
  """The process has gone, or no longer speaks in frames."""


class _Process:
  """One process of the engine. One thread at a time may use it."""

  def __init__(self, command: list[str]):
    self.stderr = tempfile.TemporaryFile()
    try:
      # In a group of its own: a Ctrl-C is for Python.
      self.child = subprocess.Popen(
          command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, bufsize=0, process_group=0
      )
    except OSError as e:
      raise EngineError(f"{command[0]} cannot be started: {e}") from None
    self.stdin, self.stdout = self.child.stdin, io.BufferedReader(self.child.stdout, 1 << 16)
    for pipe in (self.stdin, self.child.stdout):
      try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
      except (AttributeError, OSError):
        pass  # it is only slower
    self.programs: weakref.WeakKeyDictionary[Program, int] = weakref.WeakKeyDictionary()
    self.garbage: list[int] = []  # programs that nobody can run any more
    self.busy = False  # a program is under way
    self.interrupted = False

  def send(self, header: dict[str, Any], parts: Sequence[Any] = ()) -> None:
    text = json.dumps(header).encode()
    views = [memoryview(p).cast("B") for p in parts]
    whole = [memoryview(_PREFIX.pack(_MAGIC, len(text), sum(v.nbytes for v in views)) + text), *views]
    try:
      for view in whole:
        while view.nbytes:
          view = view[self.stdin.write(view):]
    except OSError as e:
      raise _Lost(str(e)) from None

  def fill(self, view: Any) -> None:
    view = memoryview(view).cast("B")
    while view.nbytes:
      n = self.stdout.readinto(view)
      if not n:
        raise _Lost("its output has ended")
      view = view[n:]

  def read(self, n: int) -> bytearray:
    data = bytearray(n)
    if n:
      self.fill(data)
    return data

  def receive(self) -> dict[str, Any]:
    magic, header, _ = _PREFIX.unpack(self.read(_PREFIX.size))
    if magic != _MAGIC:
      raise _Lost("its output is not made of frames")
    return json.loads(self.read(header))

  def call(self, header: dict[str, Any], parts: Sequence[Any] = ()) -> dict[str, Any]:
    self.send(header, parts)
    answer = self.receive()
    if error := answer.get("error"):
      raise EngineError(error)
    return answer

  def number(self, program: Program) -> int:
    """The number of a program, which is sent if the process does not have it."""
    while self.garbage:
      self.call({"op": "unload", "program": self.garbage.pop()})
    number = self.programs.get(program)
    if number is None:
      number = self.call({"op": "load", "name": program.name}, [program.text])["program"]
      self.programs[program] = number
      weakref.finalize(program, self.garbage.append, number).atexit = False
    return number

  def close(self, grace: float) -> int | None:
    """Ends the process, and returns its status."""
    for pipe in (self.stdin, self.stdout):
      try:
        pipe.close()
      except OSError:
        pass
    try:
      return self.child.wait(grace)
    except subprocess.TimeoutExpired:
      self.child.kill()
      return self.child.wait()

  def last_words(self) -> str:
    """The end of what the process wrote to standard error."""
    self.stderr.seek(max(0, self.stderr.seek(0, os.SEEK_END) - 4000))
    return self.stderr.read().decode(errors="replace").strip()

  def forget(self) -> None:
    """In a forked child: the process is the parent's, and stays alive."""
    for pipe in (self.stdin, self.stdout):
      try:
        pipe.close()
      except OSError:
        pass
    self.child.returncode = 0  # nothing to wait for


_lock = threading.RLock()
_process: _Process | None = None
_started = 0


def processes() -> int:
  """How many processes of the engine this one has started."""
  return _started


def _running() -> _Process:
  global _process, _started
  if _process is not None and _process.child.poll() is not None:
    close()  # it has died since; whoever used it last has been told
  if _process is None:
    _process = _Process([find_binary(), "serve", f"--parent={os.getpid()}"])
    _started += 1
  return _process


def close() -> None:
  """Ends the engine's process. The next program starts another one."""
  global _process
  with _lock:
    process, _process = _process, None
    if process is not None:
      process.close(2)


def interrupt() -> None:
  """Ends the program that another thread runs, if there is one. Its run ends with an EngineError."""
  process = _process  # the lock is held by whoever runs it
  if process is not None and process.busy:
    process.interrupted = True
    process.child.kill()


def _forked() -> None:
  global _lock, _process, _started
  _lock = threading.RLock()
  process, _process, _started = _process, None, 0
  if process is not None:
    process.forget()


atexit.register(close)
os.register_at_fork(after_in_child=_forked)


def run(
    program: Program, inputs: Sequence[np.ndarray], outputs: Sequence[tuple[str, Any]], options: dict[str, Any]
) -> tuple[list[np.ndarray], dict[str, Any]]:
  """Runs a program; returns its outputs (name, shape and dtype of each are given) and the report."""
  global _process
  arrays = [np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in inputs]
  request = {"op": "run", "options": options, "inputs": [a.nbytes for a in arrays], "outputs": [name for name, _ in outputs]}
  with _lock:
    process = _running()
    process.busy = True
    try:
      request["program"] = process.number(program)
      answer = process.call(request, arrays)
      report = json.loads(process.read(answer["report"]))
      results = []
      for aval, n in zip((aval for _, aval in outputs), answer["outputs"] or []):
        out = np.empty(aval.shape, aval.dtype)
        if out.nbytes != n:
          raise _Lost(f"a result has {n} bytes, and not {out.nbytes}")
        if n:
          process.fill(out.reshape(-1).view(np.uint8))
        results.append(out)
    except EngineError:
      raise  # the stream is in order
    except _Lost as e:
      _process = None
      status = process.close(2)
      if process.interrupted:
        raise EngineError(f"the run of {program.name} was interrupted") from None
      raise EngineError(
          f"gpusim ({process.child.args[0]}) ended while it ran {program.name} ({e}; status {status}); the next kernel starts it again\n{process.last_words()}".rstrip()
      ) from None
    except BaseException:  # a KeyboardInterrupt, say: the answer would be taken for the next one
      _process = None
      process.close(0)
      raise
    finally:
      process.busy = False
  if report["errors"]:
    raise EngineError("\n".join(":".join(str(x) for x in (e["file"], e["line"]) if x) + f": {e['message']}" for e in report["errors"]))
  if not report["complete"]:
    raise KernelError.of(report, answer.get("stopped", ""))
  return results, report


# Arrays of at most so many bytes stand in the program itself.
_INLINE = 4096


def write(program: dict[str, Any], inputs: Sequence[Sequence[np.ndarray]], path: pathlib.Path) -> None:
  """Writes a program with the inputs of each device; large arrays go to files beside it."""
  program = dict(program, buffers=[dict(b) for b in program["buffers"]])
  for i, shards in enumerate(zip(*inputs, strict=True)):
    contents = []
    for device, array in enumerate(shards):
      data = np.ascontiguousarray(array).tobytes()
      if len(data) <= _INLINE:
        contents.append({"data": base64.b64encode(data).decode()})
        continue
      name = f"{path.stem}.{i}.bin" if len(shards) == 1 else f"{path.stem}.{i}.{device}.bin"
      path.with_name(name).write_bytes(data)
      contents.append({"file": name})
    program["buffers"][i] |= contents[0] if len(contents) == 1 else {"shards": contents}
  path.write_text(json.dumps(program) + "\n")
