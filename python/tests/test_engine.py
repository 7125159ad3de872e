"""The engine's process: one for a Python process, whatever happens to either."""

import gc
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time

import gpusim_jax
import jax
import kernels
import numpy as np
import pytest
from gpusim_jax import _engine


@pytest.fixture
def installed():
  with gpusim_jax.install():
    yield


@pytest.fixture
def program(tmp_path):
  """The program of copy_in, with its input."""
  (path,) = gpusim_jax.export(kernels.copy_in, path=tmp_path / "copy.json")
  p = json.loads(path.read_text())
  del p["buffers"][0]["data"]
  return _engine.Program(p)


def _copy(program):
  x = np.arange(32, dtype=np.int32).reshape(4, 8)
  (out,), report = _engine.run(program, [x], [("o", jax.ShapeDtypeStruct((4, 8), np.int32))], {})
  np.testing.assert_array_equal(out, x + 1)
  return report


def test_one_process_for_all_kernels(installed):
  kernels.copy_in()
  n, pid = _engine.processes(), _engine._process.child.pid
  kernels.ring()
  jax.jit(kernels.copy_in)()
  with pytest.raises(gpusim_jax.KernelError):
    kernels.deadlock()
  kernels.copy_out()
  assert (_engine.processes(), _engine._process.child.pid) == (n, pid)


def test_a_program_is_sent_once(program, monkeypatch):
  sent = []
  call = _engine._Process.call
  monkeypatch.setattr(_engine._Process, "call", lambda self, header, parts=(): sent.append(header["op"]) or call(self, header, parts))
  for _ in range(3):
    assert _copy(program)["verdict"] == "clean"
  assert sent == ["load", "run", "run", "run"]


def test_a_program_that_is_gone_is_unloaded(program, monkeypatch):
  _copy(program)
  other = _engine.Program(json.loads(program.text))
  _copy(other)
  number = _engine._process.programs[other]
  sent = []
  call = _engine._Process.call
  monkeypatch.setattr(_engine._Process, "call", lambda self, header, parts=(): sent.append(header) or call(self, header, parts))
  del other
  gc.collect()
  _copy(program)
  assert {"op": "unload", "program": number} in sent


def test_threads(installed):
  call = jax.jit(kernels.copy_in)
  want = kernels.numbers(4, 8) + 1
  call()
  n, wrong = _engine.processes(), []

  def work():
    for _ in range(10):
      if not np.array_equal(call(), want):
        wrong.append(threading.current_thread().name)

  threads = [threading.Thread(target=work) for _ in range(8)]
  for t in threads:
    t.start()
  for t in threads:
    t.join(60)
    assert not t.is_alive()
  assert not wrong
  assert _engine.processes() == n


def test_warm_calls_are_fast(installed):
  call = jax.jit(kernels.copy_in)
  times = []
  for _ in range(30):
    start = time.perf_counter()
    call().block_until_ready()
    times.append(time.perf_counter() - start)
  assert min(times[1:]) < 0.01


def test_starts_again_after_its_process_was_killed(program):
  _copy(program)
  _engine._process.child.kill()
  _engine._process.child.wait()
  _copy(program)


def _fake(tmp_path, body):
  path = tmp_path / "gpusim"
  path.write_text(f"#!{sys.executable}\nimport sys, time, os\n" + body)
  path.chmod(path.stat().st_mode | stat.S_IXUSR)
  return str(path)


@pytest.mark.parametrize("body, says", [
    ("print('no memory left', file=sys.stderr); sys.exit(7)", "status 7.*no memory left"),
    ("os.read(0, 10); os.kill(os.getpid(), 11)", "status -11"),
    ("os.read(0, 10); os.write(1, b'good morning, how are you?')", "its output is not made of frames"),
])
def test_a_crash_is_a_clear_error(program, tmp_path, monkeypatch, body, says):
  _engine.close()
  monkeypatch.setenv("GPUSIM_BIN", _fake(tmp_path, body))
  with pytest.raises(gpusim_jax.EngineError, match=f"(?s)gpusim \\(.*gpusim\\) ended while it ran .*{says}"):
    _copy(program)
  monkeypatch.undo()
  _copy(program)  # the next one starts it again


def test_a_binary_that_cannot_start(program, tmp_path, monkeypatch):
  _engine.close()
  path = tmp_path / "gpusim"
  path.write_text("")
  path.chmod(0o755)
  monkeypatch.setenv("GPUSIM_BIN", str(path))
  with pytest.raises(gpusim_jax.EngineError, match="cannot be started"):
    _copy(program)


def test_an_interrupt_leaves_nothing_half_read(program, monkeypatch):
  _copy(program)
  receive = _engine._Process.receive

  def interrupted(self):
    monkeypatch.setattr(_engine._Process, "receive", receive)
    raise KeyboardInterrupt

  monkeypatch.setattr(_engine._Process, "receive", interrupted)
  with pytest.raises(KeyboardInterrupt):
    _copy(program)
  _copy(program)


def test_fork(program):
  _copy(program)
  pid = _engine._process.child.pid
  r, w = os.pipe()
  child = os.fork()
  if child == 0:  # only gpusim here: JAX does not survive a fork
    status = 1
    try:
      assert _engine.processes() == 0
      _copy(program)
      os.write(w, str(_engine._process.child.pid).encode())
      _engine.close()
      status = 0
    finally:
      os._exit(status)
  os.close(w)
  assert os.waitpid(child, 0)[1] == 0
  assert int(os.read(r, 20)) != pid
  os.close(r)
  _copy(program)
  assert _engine._process.child.pid == pid


def test_fork_while_another_thread_holds_the_lock(program):
  _copy(program)
  held, release = threading.Event(), threading.Event()

  def hold():
    with _engine._lock:
      held.set()
      release.wait(60)

  t = threading.Thread(target=hold)
  t.start()
  held.wait()
  child = os.fork()
  if child == 0:
    status = 1
    try:
      signal.alarm(20)
      _copy(program)
      _engine.close()
      status = 0
    finally:
      os._exit(status)
  release.set()
  t.join()
  assert os.waitpid(child, 0)[1] == 0


def _alive(pid):
  try:
    return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
  except OSError:
    return False


_SCRIPT = """
  import ctypes, json, os, sys, time
  import numpy as np
  from gpusim_jax import _engine
  program = _engine.Program(json.loads(sys.stdin.read()))
  class Aval: shape, dtype = (4, 8), np.dtype(np.int32)
  _engine.run(program, [np.zeros((4, 8), np.int32)], [("o", Aval)], {})
  if "inherit" in sys.argv and ctypes.CDLL(None).fork() == 0:  # a child that Python knows nothing about, with all pipes
    time.sleep(15)
    os._exit(0)
  print(_engine._process.child.pid, flush=True)
  if "wait" in sys.argv:
    time.sleep(60)
"""


@pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("how", ["exit", "kill", "inherit"])
def test_ends_with_python(program, how):
  python = subprocess.Popen(
      [sys.executable, "-c", textwrap.dedent(_SCRIPT), how, "" if how == "exit" else "wait"],
      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
  )
  python.stdin.write(program.text)
  python.stdin.close()
  pid = int(python.stdout.readline())
  if how != "exit":
    assert _alive(pid)
    python.kill()
  python.wait()
  end = time.time() + 10
  while _alive(pid) and time.time() < end:
    time.sleep(0.05)
  assert not _alive(pid)


def test_mistakes_in_a_program_are_told(program):
  bad = json.loads(program.text)
  bad["gpusim-pallas"] = 99
  with pytest.raises(gpusim_jax.EngineError, match="the program has format 99"):
    _copy(_engine.Program(bad))
  _copy(program)


def test_the_checkout_that_pip_installed_from(tmp_path, monkeypatch):
  main = tmp_path / "a checkout" / "cmd" / "gpusim" / "main.go"
  main.parent.mkdir(parents=True)
  main.write_text("package main\n")

  class Distribution:
    def read_text(self, name):
      return json.dumps({"dir_info": {}, "url": (tmp_path / "a checkout" / "python").as_uri()}) if name == "direct_url.json" else None

  monkeypatch.setattr(_engine.importlib.metadata, "distribution", lambda name: Distribution())
  monkeypatch.setattr(_engine, "__file__", str(tmp_path / "site-packages" / "gpusim_jax" / "_engine.py"))
  assert _engine._checkout() == tmp_path / "a checkout"
  monkeypatch.delenv("GPUSIM_BIN", raising=False)
  monkeypatch.setenv("PATH", str(tmp_path))
  with pytest.raises(_engine.EngineError, match="go is not either, to build it from .*a checkout"):
    _engine.find_binary()
  main.unlink()
  with pytest.raises(_engine.EngineError, match="gpusim was not found: set GPUSIM_BIN"):
    _engine.find_binary()
  monkeypatch.setenv("GPUSIM_BIN", str(tmp_path))
  with pytest.raises(_engine.EngineError, match="no executable file"):
    _engine.find_binary()
