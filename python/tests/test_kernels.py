"""Runs every kernel on gpusim and, where it comes back, on JAX's own interpreter."""

import gpusim_jax
import jax
import kernels
import numpy as np
import pytest
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = [pytest.param(c, id=name) for name, c in kernels.CASES.items()]


def _call(case):
  """The value of a kernel or its error, and whether a race was found."""
  try:
    value = jax.block_until_ready(case.run())
    jax.effects_barrier()
  except Exception as e:  # JAX gives the errors of callbacks a type of its own
    return None, str(e), False
  return value, "", interpreter.get_races().races_found


@pytest.mark.parametrize("case", CASES)
def test_on_gpusim_as_on_jax(case):
  gpusim_jax.install()
  try:
    value, error, race = _call(case)
  finally:
    gpusim_jax.uninstall()
  assert case.error in error
  assert bool(error) == bool(case.error), error
  if not error:
    assert race == case.race, gpusim_jax.last_report()
  if case.hangs:
    return
  jax.clear_caches()
  interpreter.reset_gpu_interpret_mode_state()
  want, want_error, want_race = _call(case)
  assert case.error in want_error
  if want_error:
    interpreter.reset_gpu_interpret_mode_state()
    return
  assert want_race == (case.race if case.jax_race is None else case.jax_race)
  if case.value:
    for got, expected in zip(jax.tree.leaves(value), jax.tree.leaves(want), strict=True):
      assert got.dtype == expected.dtype
      np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-6)


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
  assert "a wait for the operation" in race.missing
  assert not gpusim_jax.check(kernels.copy_in).findings


def test_under_jit_and_twice():
  with gpusim_jax.install():
    twice = jax.jit(lambda: kernels.copy_in() + kernels.copy_in())
    np.testing.assert_array_equal(twice(), 2 * (kernels.numbers(4, 8) + 1))


def test_program_id():
  """JAX's interpreter has 0 for every program_id."""

  def body(x, o):
    i = pl.program_id(0)
    o[i] = x[i] * 2 + pl.num_programs(0)

  gmem = pl.BlockSpec(memory_space=plgpu.GMEM)
  call = pl.pallas_call(body, out_shape=kernels.i32(4), grid=(4,), in_specs=[gmem], out_specs=gmem, interpret=kernels.PARAMS)
  with gpusim_jax.install():
    assert call(kernels.numbers(4)).tolist() == [4, 6, 8, 10]


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
    o[...] = lax.top_k(o[...], 4)[1]

  with gpusim_jax.install(), pytest.raises(NotImplementedError, match=r"does not support the primitive top_k \(.*test_kernels.py:\d+\)"):
    kernels.kernel(body, kernels.i32(4))()


def test_export(tmp_path):
  (path,) = gpusim_jax.export(kernels.copy_in, path=tmp_path / "copy.json")
  assert '"gpusim-pallas"' in path.read_text()
