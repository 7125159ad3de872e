"""What takes the place of JAX's interpreter: errors, races, devices, options."""

import json
import os
import pickle
import re
import signal
import subprocess
import threading
import time

import gpusim_jax
import jax
import jax.numpy as jnp
import kernels
import numpy as np
import pytest
from gpusim_jax import _hook
from jax import lax
from jax._src import callback
from jax._src.interpreters import pxla
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax._src.pallas.mosaic_gpu.interpret import params as params_lib
from jax._src.pallas.mosaic_gpu.interpret.gpu_callbacks import get_races as get_races_from_before
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

P = jax.sharding.PartitionSpec


@pytest.fixture
def installed():
  gpusim_jax.install()
  yield
  gpusim_jax.uninstall()


# Errors.


def _aot():
  jax.jit(kernels.deadlock).lower().compile()()


@pytest.mark.parametrize("call", [kernels.deadlock, jax.jit(kernels.deadlock), _aot], ids=["eager", "jit", "aot"])
def test_a_deadlock_reaches_the_user_as_it_is(installed, call, caplog):
  with pytest.raises(gpusim_jax.KernelError, match="^deadlock: ") as e:
    call()
  (finding,) = e.value.findings
  assert finding.kind == "deadlock"
  assert len(finding.raw["waits"]) == 2
  assert {file for file, _ in finding.places} == {kernels.__file__}
  assert gpusim_jax.last_report() == e.value.report
  assert "gpusim error" not in str(e.value)
  assert not caplog.records  # of JAX, with the stack of the callback
  assert kernels.threads_own_elements().tolist() == [0, 1, 4, 9]  # and no reset is needed


def test_an_error_that_nobody_uses_the_result_of(installed):
  with pytest.raises(gpusim_jax.KernelError):
    jax.jit(lambda: (kernels.deadlock(), jnp.int32(1))[1])()


def test_a_thread_that_fails_while_another_waits(installed):
  def body(x, o, bar):
    @pl.when(lax.axis_index("wg") == 0)
    def _():
      plgpu.barrier_wait(bar)
      o[0] = x[0]

    @pl.when(lax.axis_index("wg") == 1)
    def _():
      o[1] = x[x[0] + 100]
      plgpu.barrier_arrive(bar)

  with pytest.raises(gpusim_jax.KernelError, match=r"Out-of-bounds read of .*Computation failed on Warpgroup\(.*warpgroup_id=1\)"):
    kernels.kernel(body, kernels.i32(2), [plgpu.Barrier(num_arrivals=1)], threads=2)(kernels.numbers(4))
  kernels.copy_in()


def test_errors_of_tracing_keep_their_type(installed):
  with pytest.raises(ValueError, match="Attempting to operate on barrier without indexing, but `num_barriers = 2`"):
    kernels.barrier_array_without_index()


def test_errors_of_other_callbacks_are_left_alone(installed, caplog):
  def fail(x):
    raise RuntimeError("mine")

  with pytest.raises(Exception, match="mine") as e:
    jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fail, x, x))(1.0))
  assert not isinstance(e.value, gpusim_jax.KernelError)
  assert caplog.records
  kernels.copy_in()


def test_a_kernel_error_can_be_pickled():
  e = gpusim_jax.KernelError("text", {"findings": []})
  again = pickle.loads(pickle.dumps(e))
  assert (str(again), again.report) == ("text", {"findings": []})


def test_an_instruction_limit():
  def body(o):
    o[0] = lax.while_loop(lambda v: v >= 0, lambda v: (v + 1) % 7, jnp.int32(0))

  with gpusim_jax.install(max_instructions=10_000), pytest.raises(gpusim_jax.KernelError, match="instruction budget used up"):
    kernels.kernel(body, kernels.i32(1))()


def test_ctrl_c_ends_a_kernel(installed):
  def body(o):
    o[0] = lax.while_loop(lambda v: v >= 0, lambda v: (v + 1) % 7, jnp.int32(0))

  jax.block_until_ready(kernels.copy_in())
  timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
  timer.start()
  with pytest.raises(KeyboardInterrupt):
    kernels.kernel(body, kernels.i32(1))()
  timer.join()
  np.testing.assert_array_equal(kernels.copy_in(), kernels.numbers(4, 8) + 1)


def test_ctrl_c_ends_a_kernel_of_several_devices(installed):
  def body(x, o):
    o[...] = x[...] + lax.while_loop(lambda v: v >= 0, lambda v: (v + 1) % 7, jnp.int32(0))

  f = _mesh(lambda x: kernels.kernel(body, jax.ShapeDtypeStruct(x.shape, x.dtype))(x))
  x = jnp.zeros((2, 1), jnp.int32)
  jax.block_until_ready(_mesh(_add_index)(x))
  timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
  timer.start()
  with pytest.raises(KeyboardInterrupt):
    f(x)
  timer.join()
  assert _mesh(_add_index)(x).tolist() == [[0], [100]]


# Races.


def test_races_are_those_of_the_kernel_that_ran_last(installed):
  interpreter.reset_gpu_interpret_mode_state()
  with pytest.raises(AssertionError):
    interpreter.get_races()
  kernels.copy_in_without_wait()
  for get in (interpreter.get_races, gpu_callbacks.get_races, get_races_from_before):
    assert get().races_found
  kernels.copy_in()
  assert not interpreter.get_races().races_found
  jax.jit(lambda: kernels.copy_in() + kernels.copy_in_without_wait())()
  assert interpreter.get_races().races_found
  gpu_callbacks.reset_gpu_interpret_mode_state()
  with pytest.raises(AssertionError):
    interpreter.get_races()


def test_a_race_raises_on_request_only():
  with gpusim_jax.install():
    kernels.copy_in_without_wait()
  with gpusim_jax.install(on_race="raise"), pytest.raises(gpusim_jax.KernelError, match="^RACE DETECTED: ") as e:
    kernels.copy_in_without_wait()
  assert e.value.findings[0].kind == "data-race"


def test_a_race_of_a_kernel_that_fails_is_kept(installed):
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x, smem, bar)
    o[...] = smem[...]
    o[x[0] + 100] = 1

  with pytest.raises(gpusim_jax.KernelError):
    kernels.kernel(body, kernels.i32(8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=1)])(kernels.numbers(8))
  assert interpreter.get_races().races_found


# Ways to switch it on and off.


def _plain(x):
  def body(x, o):
    o[...] = x[...] + 1

  return plgpu.kernel(body, out_type=kernels.i32(8))(x)


def test_forced_interpret_mode(installed):
  with params_lib.force_gpu_interpret_mode():
    assert _plain(kernels.numbers(8)).tolist() == list(range(1, 9))
  assert gpusim_jax.last_report()["verdict"] == "clean"


def test_global_interpret_mode(installed):
  params_lib.set_gpu_interpret_mode()
  try:
    assert _plain(kernels.numbers(8)).tolist() == list(range(1, 9))
  finally:
    params_lib.set_gpu_interpret_mode(None)


def test_uninstall_restores_everything():
  def patched():
    return (interpreter.interpret_pallas_call, pxla.ExecuteReplicated.__call__, interpreter.get_races,
            gpu_callbacks.get_races, gpu_callbacks.reset_gpu_interpret_mode_state, list(callback.logger.filters))

  before = patched()
  gpusim_jax.install()
  gpusim_jax.install(seed=3)  # again, with other options
  assert patched()[:2] != before[:2]
  gpusim_jax.uninstall()
  assert patched() == before
  assert not gpusim_jax.installed()
  gpusim_jax.uninstall()
  with gpusim_jax.install():
    assert gpusim_jax.installed()
  assert patched() == before
  last = gpusim_jax.last_report()
  jax.block_until_ready(kernels.copy_in())
  assert gpusim_jax.last_report() is last  # JAX ran it


def test_options(installed):
  for options, kind, text in [
      ({"sede": 1}, TypeError, "unknown options: sede; known are seed,"),
      ({"completion": "late"}, ValueError, "completion='late': one of 'eager', 'lazy', 'random' is expected"),
      ({"seed": "1"}, TypeError, "seed='1'"),
      ({"seed": True}, TypeError, "seed=True"),
      ({"read_overwrite_fence": "on"}, ValueError, "read_overwrite_fence"),
      ({"arch": "sm_70"}, ValueError, "arch"),
  ]:
    with pytest.raises(kind, match=text):
      gpusim_jax.install(**options)
    with pytest.raises(kind, match=text):
      gpusim_jax.check(kernels.copy_in, **options)
  kernels.copy_in()
  assert gpusim_jax.last_report()["seed"] == 1
  gpusim_jax.install(seed=5)
  kernels.copy_in()
  assert gpusim_jax.last_report()["seed"] == 5
  report = gpusim_jax.check(kernels.copy_in, seed=9)
  assert [r["seed"] for r in report.reports] == [9]
  kernels.copy_in()
  assert gpusim_jax.last_report()["seed"] == 5
  assert not gpusim_jax.check(kernels.copy_in_without_wait, policy={"data-race": "off"}).findings


def test_another_version_of_jax(monkeypatch):
  monkeypatch.setattr(_hook, "TESTED_WITH", "0.999")
  with pytest.raises(ImportError, match=r"tested with JAX 0.999, this is .*any_jax=True"):
    gpusim_jax.install()
  assert not gpusim_jax.installed()
  with gpusim_jax.install(any_jax=True):
    kernels.copy_in()


def test_check_of_a_kernel_that_fails():
  report = gpusim_jax.check(lambda: (kernels.copy_in_without_wait(), kernels.deadlock()))
  assert [f.kind for f in report.findings] == ["data-race", "deadlock"]
  assert report.races_found
  assert report.result is None
  assert not gpusim_jax.installed()


def test_check_raises_what_is_not_about_kernels():
  with pytest.raises(ZeroDivisionError):
    gpusim_jax.check(lambda: 1 // 0)
  assert not gpusim_jax.installed()


# Inside larger programs.


def _double(x):
  def body(x, o):
    o[...] = x[...] * 2

  return kernels.kernel(body, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def test_inside_a_loop_and_a_branch(installed):
  @jax.jit
  def f(x):
    x = lax.fori_loop(0, 3, lambda _, v: _double(v), x)
    return lax.cond(x[0] > 5, _double, lambda v: v, x)

  assert f(jnp.ones(4, jnp.int32)).tolist() == [16] * 4


def test_vmap(installed):
  x = kernels.numbers(3, 4)
  np.testing.assert_array_equal(jax.vmap(_double)(x), 2 * x)
  np.testing.assert_array_equal(jax.jit(jax.vmap(_double))(x), 2 * x)


# Several devices.


def _mesh(fn, n=2):
  mesh = jax.make_mesh((n,), ("d",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:n])
  return jax.jit(jax.shard_map(fn, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))


def _add_index(x):
  def body(x, o):
    o[...] = x[...] + 100 * lax.axis_index("d")

  return kernels.kernel(body, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def test_devices_many_times(installed):
  f = _mesh(lambda x: _add_index(_add_index(x)))
  for _ in range(20):
    assert f(kernels.numbers(4)).tolist() == [0, 1, 202, 203]


@pytest.mark.parametrize("shape", [(1, 2), (2, 1)])
def test_a_mesh_of_two_axes(installed, shape):
  def add_indices(x):
    def body(x, o):
      o[...] = x[...] + 10 * lax.axis_index("i") + 100 * lax.axis_index("j")

    return kernels.kernel(body, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

  mesh = jax.make_mesh(shape, ("i", "j"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
  f = jax.jit(jax.shard_map(add_indices, mesh=mesh, in_specs=P("i", "j"), out_specs=P("i", "j"), check_vma=False))
  assert f(jnp.zeros(shape, jnp.int32)).tolist() == ([[0, 100]] if shape == (1, 2) else [[0], [10]])


def test_devices_from_many_threads(installed):
  f = _mesh(_add_index)
  wrong = []

  def work(k):
    for i in range(10):
      x = kernels.numbers(4) + 1000 * k + i
      if f(x).tolist() != (x + jnp.array([0, 0, 100, 100])).tolist():
        wrong.append(k)

  threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
  for t in threads:
    t.start()
  for t in threads:
    t.join(60)
    assert not t.is_alive()
  assert not wrong


def test_a_device_that_fails_ends_all(installed):
  def fails(x):
    def body(x, o):
      o[0] = x[x[0]]

    return kernels.kernel(body, kernels.i32(1))(x)

  start = time.monotonic()
  with pytest.raises(gpusim_jax.KernelError, match="Out-of-bounds read of"):
    _mesh(fails)(jnp.array([0, 1, 70, 1], jnp.int32))
  assert time.monotonic() - start < 20
  assert _mesh(_add_index)(kernels.numbers(4)).tolist() == [0, 1, 102, 103]


def test_a_device_that_does_not_come():
  f = _mesh(lambda x: lax.cond(lax.axis_index("d") == 0, _add_index, lambda v: v, x))
  with gpusim_jax.install(device_timeout=0.5):
    with pytest.raises(gpusim_jax.KernelError, match="needs all 2 devices: 0 called it, 1 did not") as e:
      f(kernels.numbers(4))
    assert [x.kind for x in e.value.findings] == ["deadlock"]
    assert _mesh(_add_index)(kernels.numbers(4)).tolist() == [0, 1, 102, 103]


def test_export_of_inputs(tmp_path):
  x = kernels.numbers(64, 64)
  (path,) = gpusim_jax.export(_double, x, path=tmp_path / "k.json")
  (buffer, *_) = json.loads(path.read_text())["buffers"]
  assert buffer["input"]
  np.testing.assert_array_equal(np.fromfile(tmp_path / buffer["file"], np.int32).reshape(64, 64), x)


def test_export_of_several_devices(tmp_path):
  """The program runs without Python, and every device's results can be saved."""
  f = _mesh(_add_index)
  (path,) = gpusim_jax.export(f, kernels.numbers(4), path=tmp_path / "two.json")
  program = json.loads(path.read_text())
  assert program["devices"] == 2
  x, o = (b["name"] for b in program["buffers"])
  assert len(program["buffers"][0]["shards"]) == 2
  command = [gpusim_jax.find_binary(), "check", str(path), "--format", "json"]
  command += ["--save", f"{o}@0={tmp_path}/0.npy", "--save", f"{o}@1={tmp_path}/1.npy", "--save", f"{x}@1={tmp_path}/x.npy"]
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  assert done.returncode == 0, done.stderr
  assert json.loads(done.stdout)["verdict"] == "clean"
  assert [np.load(tmp_path / f"{n}.npy").tolist() for n in "01x"] == [[0, 1], [102, 103], [2, 3]]


def test_export_of_several_kernels(tmp_path):
  paths = gpusim_jax.export(lambda: (kernels.copy_in(), kernels.deadlock()), path=tmp_path / "k.json")
  assert [p.name for p in paths] == ["k.json", "k-1.json"]
  done = subprocess.run([gpusim_jax.find_binary(), "check", str(paths[1])], capture_output=True, text=True, check=False)
  assert done.returncode == 1
  assert "deadlock" in done.stdout


def test_dynamic_grid(installed):
  """The grid may depend on operands: JAX's interpreter refuses that."""

  def body(x, o):
    i = pl.program_id(0)
    o[i] = x[i] + 1

  gmem = pl.BlockSpec(memory_space=plgpu.GMEM)

  @jax.jit
  def call(n, x):
    return pl.pallas_call(body, out_shape=kernels.i32(8), grid=(n,), in_specs=[gmem], out_specs=gmem, interpret=kernels.PARAMS)(x)

  for n in (3, 8, 1):
    assert call(n, kernels.numbers(8)).tolist()[:n] == list(range(1, n + 1))


def test_lazy_completion_shows_in_the_values():
  want = (kernels.numbers(4, 8) + 1).tolist()
  for completion, same in ("eager", True), ("lazy", False):
    with gpusim_jax.install(completion=completion):
      assert (kernels.copy_in_without_wait().tolist() == want) == same
      assert kernels.copy_in().tolist() == want


def test_read_overwrite_fence(installed):
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x.at[0], smem, bar)
    plgpu.barrier_wait(bar)
    o[0] = smem[...]
    plgpu.copy_gmem_to_smem(x.at[1], smem, bar)  # without commit_smem after the read
    plgpu.barrier_wait(bar)
    o[1] = smem[...]

  def call():
    return kernels.kernel(body, kernels.i32(2, 8), [plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=1)])(kernels.numbers(2, 8))

  for word in "warning", "error", "off":
    report = gpusim_jax.check(call, read_overwrite_fence=word)
    assert [(f.kind, f.severity) for f in report.findings] == ([("data-race", word)] if word != "off" else [])
  assert [f.severity for f in gpusim_jax.check(call).findings] == ["warning"]


def test_check_keeps_the_parameters_of_interpret_mode():
  def body(o):
    o[...] = o[...] + 0

  zero = params_lib.InterpretGPUParams(uninitialized_memory="zero")
  call = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((4,), jnp.int32))
  assert any(f.kind == "uninitialized-read" for f in gpusim_jax.check(call).findings)
  for report in (gpusim_jax.check(call, interpret=zero), _under(zero, lambda: gpusim_jax.check(call))):
    assert not report.findings
    assert report.result.tolist() == [0, 0, 0, 0]


def _under(params, fn):
  with params_lib.force_gpu_interpret_mode(params):
    return fn()


def test_misuse_of_a_barrier_names_it_and_the_place(installed):
  report = gpusim_jax.check(kernels.barrier_twice)
  (finding,) = [f for f in report.findings if f.severity == "error"]
  file, line = finding.places[0]
  assert f"\n  object: bar\n  at {file}:{line}\n" in str(finding)
  with pytest.raises(gpusim_jax.KernelError, match=rf"(?s)observed phase 0\..*\(bar, {re.escape(file)}:{line}\)"):
    kernels.barrier_twice()


def test_debug_print_is_printed(installed, capfd):
  def body(o):
    pl.debug_print("five is {}", jnp.int32(5))
    o[...] = jnp.int32(0)

  kernels.kernel(body, kernels.i32())()
  assert capfd.readouterr().out == "five is 5\n"

  def stuck(o, bar):
    pl.debug_print("before")
    plgpu.barrier_wait(bar)

  with pytest.raises(gpusim_jax.KernelError):
    kernels.kernel(stuck, kernels.i32(), [plgpu.Barrier()])()
  assert capfd.readouterr().out == "before\n"


def test_an_empty_grid_leaves_results_as_they_were(installed):
  def body(x, o):
    o[...] = x[...]

  x = jnp.arange(4.0)
  call = lambda alias: pl.pallas_call(body, out_shape=x, grid=(2, 0), input_output_aliases=alias, interpret=kernels.PARAMS)(x)
  assert np.isnan(call({})).all()
  np.testing.assert_array_equal(call({0: 0}), x)
  assert gpusim_jax.last_report()["findings"] == []


@pytest.mark.parametrize("make", [
    lambda x, o: o.__setitem__(..., x[...]),
    lambda x, o: o.__setitem__(..., lax.real(lax.complex(x[0].real, x[0].real)) + x[...]),
])
def test_complex_numbers_are_refused(installed, make):
  with pytest.raises(gpusim_jax.UnsupportedError, match="complex64"):
    kernels.kernel(make, jax.ShapeDtypeStruct((2,), jnp.complex64))(jnp.ones(2, jnp.complex64))

  def inside(o):
    o[...] = lax.real(lax.complex(jnp.float32(1), jnp.float32(2)))

  with pytest.raises(gpusim_jax.UnsupportedError, match=r"complex numbers \(complex\) \(.*test_hook.py:\d+\)"):
    kernels.kernel(inside, jax.ShapeDtypeStruct((), jnp.float32))()

  def in_a_call(o):
    o[...] = jnp.abs(jnp.fft.fft(jnp.zeros(4)))

  with pytest.raises(gpusim_jax.UnsupportedError, match=r"complex numbers \((fft|convert_element_type)\)"):
    kernels.kernel(in_a_call, jax.ShapeDtypeStruct((4,), jnp.float32))()


@pytest.mark.parametrize("option, value", [
    ("seed", -1), ("seed", 2**64), ("max_instructions", -1), ("device_timeout", -1.0), ("device_timeout", float("nan")),
    ("policy", {"data-race": "loud"}), ("policy", {"data-race": 3}), ("policy", {3: "off"}),
])
def test_options_out_of_range(option, value):
  with pytest.raises(ValueError, match=f"{option}=.* expected"):
    gpusim_jax.install(**{option: value})
  assert not gpusim_jax.installed()


def test_the_context_manager_takes_back_what_it_did():
  with gpusim_jax.install(seed=3):
    with gpusim_jax.install(seed=4):
      kernels.copy_in()
      assert gpusim_jax.last_report()["seed"] == 4
    assert gpusim_jax.installed()
    kernels.copy_in()
    assert gpusim_jax.last_report()["seed"] == 3
  assert not gpusim_jax.installed()
  with gpusim_jax.install(), gpusim_jax.install():
    gpusim_jax.uninstall()
  assert not gpusim_jax.installed()
