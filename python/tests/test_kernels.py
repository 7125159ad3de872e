"""Runs every kernel on gpusim and, where it comes back, on JAX's own interpreter."""

import importlib
import pathlib
import subprocess
import sys

import gpusim_jax
import jax
import kernels
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter

MODULES = ["kernels", "defects", "copies", "atomics", "views", "clusters", "tensorcore", "devices", "programs", "errors"]
CASES = [pytest.param(c, id=f"{name}-{c.name}") for name in MODULES for c in importlib.import_module(name).CASES]


def _compare(got, want, tolerance):
  """Compares two values leaf by leaf, bit by bit where there is no tolerance."""
  for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    if tolerance:
      wide = np.float64 if a.dtype in (np.float64, ml_dtypes.bfloat16) or a.dtype.kind == "V" else a.dtype
      np.testing.assert_allclose(a.astype(wide), b.astype(wide), rtol=tolerance, atol=tolerance)
    else:
      np.testing.assert_array_equal(a, b.astype(a.dtype))


def _on_jax(case):
  """The verdict of JAX's own interpreter, and the value."""
  jax.clear_caches()
  interpreter.reset_gpu_interpret_mode_state()
  try:
    value = jax.block_until_ready(case.run())
    jax.effects_barrier()
  except Exception as e:  # JAX gives the errors of callbacks a type of its own
    interpreter.reset_gpu_interpret_mode_state()
    return f"error: {type(e).__name__}: {e}", None
  return "race" if interpreter.get_races().races_found else "silent", value


@pytest.mark.parametrize("case", CASES)
def test_kernel(case):
  try:
    report = gpusim_jax.check(case.run, **case.options)
    text = str(report)
  except Exception as e:  # while the kernel is traced
    report, text = gpusim_jax.Report((), ()), f"{type(e).__name__}: {e}"
  if case.error:
    assert case.error in text and case.about in text, text
    assert report.result is None
  elif case.finds:
    assert any((f.kind, f.severity) == (case.finds, case.severity) and case.about in str(f) for f in report.findings), text
    assert case.severity == "error" or not any(f.severity == "error" for f in report.findings), text
    assert report.result is not None
  else:
    assert not report.findings, text
  expected = case.expect() if callable(case.expect) else case.expect
  if expected is not None:
    _compare(report.result, expected, case.tolerance)
  if case.jax_says in ("hangs", "differs", "unasked"):
    return
  verdict, value = _on_jax(case)
  if verdict.startswith("error: "):
    assert case.jax_says.startswith("error: ") and case.jax_says[7:] in verdict, verdict
    if not report.reports and not case.jax:  # an error of tracing keeps its type
      assert verdict.split(":")[1].strip() == text.split(":")[0]
    return
  right = not case.error and (case.severity != "error" or not case.finds)
  if verdict == "silent" and right:
    if case.jax_says == "wrong":
      with pytest.raises(AssertionError):
        _compare(value, expected, case.tolerance)
      return
    _compare(report.result, value, case.tolerance)
  assert verdict == case.jax_says


RIGHT = [c for c in CASES if not c.values[0].error and not c.values[0].finds]


@pytest.mark.parametrize("order", [{"seed": 2, "completion": "lazy"}, {"seed": 3, "completion": "random"}], ids=str)
def test_right_in_every_order(order):
  """What is right is right in other orders, and however late asynchronous operations end; its value is the same."""
  for param in RIGHT:
    case = param.values[0]
    report = gpusim_jax.check(case.run, **{**case.options, **order})
    assert not report.findings, f"{param.id}: {report}"
    expected = case.expect() if callable(case.expect) else case.expect
    if expected is not None:
      _compare(report.result, expected, case.tolerance)


@pytest.mark.parametrize("order", [{"seed": 2}, {"seed": 3, "completion": "lazy"}], ids=str)
def test_wrong_in_every_order(order):
  """A race is found whatever the order is."""
  for param in CASES:
    case = param.values[0]
    if case.finds == "data-race" and "read_overwrite_fence" not in case.options:
      report = gpusim_jax.check(case.run, **order)
      assert any(f.kind == "data-race" for f in report.findings), param.id


@pytest.mark.parametrize("name", [c.id for c in CASES if c.values[0].jax_says == "hangs"])
def test_jax_hangs(name):
  """Asserts what JAX does in a process of its own, so that a JAX which comes back shows up."""
  module, name = name.split("-", 1)
  program = f"import {module}; [c.run() for c in {module}.CASES if c.name == {name!r}]; import jax; jax.effects_barrier()"
  with pytest.raises(subprocess.TimeoutExpired):
    subprocess.run([sys.executable, "-c", program], cwd=pathlib.Path(__file__).parent, timeout=6, capture_output=True)


def test_deadlock_is_a_kernel_error():
  with pytest.raises(gpusim_jax.KernelError) as e:
    with gpusim_jax.install():
      kernels.deadlock()
  (finding,) = e.value.report["findings"]
  assert finding["kind"] == "deadlock"
  assert len(finding["waits"]) == 2
  with gpusim_jax.install():  # no reset is needed
    assert kernels.threads_own_elements().tolist() == [0, 1, 4, 9]


def test_check_and_report():
  report = gpusim_jax.check(kernels.copy_in_without_wait)
  assert report.races_found
  race = next(f for f in report.findings if f.kind == "data-race")
  assert {p[0] for p in race.places} == {kernels.__file__}
  assert race.object == "smem"
  assert "a wait for the copy" in race.missing
  assert not gpusim_jax.check(kernels.copy_in).findings


def test_jaxs_accessor_of_races():
  with gpusim_jax.install():
    kernels.copy_in_without_wait()
    assert interpreter.get_races().races_found
    kernels.copy_in()
    assert not interpreter.get_races().races_found


def test_under_jit_and_twice():
  with gpusim_jax.install():
    twice = jax.jit(lambda: kernels.copy_in() + kernels.copy_in())
    np.testing.assert_array_equal(twice(), 2 * (kernels.numbers(4, 8) + 1))


def test_under_shard_map():
  def add_index(x):
    def body(x, o):
      o[...] = x[...] + 100 * lax.axis_index("d")

    return kernels.kernel(body, kernels.i32(2))(x)

  mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  spec = jax.sharding.PartitionSpec("d")
  with gpusim_jax.install():
    call = jax.jit(jax.shard_map(add_index, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    assert call(kernels.numbers(4)).tolist() == [0, 1, 102, 103]


def test_unsupported_is_refused_by_name():
  def body(o):
    o[...] = lax.igamma(o[...], o[...])

  with gpusim_jax.install(), pytest.raises(NotImplementedError, match=r"does not support the primitive igamma \(.*test_kernels.py:\d+\)"):
    kernels.kernel(body, kernels.array(np.float32, 4))()


def test_export(tmp_path):
  (path,) = gpusim_jax.export(kernels.copy_in, path=tmp_path / "copy.json")
  assert '"gpusim-pallas"' in path.read_text()


def test_every_known_defect_of_jax_has_programs():
  """Each M is found in one program and not in its twin; on each F one is silent, or warned of, and its twin found."""
  defects = importlib.import_module("defects").CASES
  for name in [f"m{i}_" for i in range(1, 13)] + [f"f{i}_" for i in range(1, 8)]:
    cases = [c for c in defects if c.name.startswith(name)]
    assert any((c.finds or c.error) and c.severity == "error" for c in cases), name
    assert any(not c.error and (not c.finds or c.severity != "error") for c in cases), name
