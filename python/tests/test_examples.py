"""The kernels of examples/pallas on gpusim, on JAX's own interpreter where that can run them, and lowered for a GPU."""

import importlib.util
import pathlib
import re
import sys

import gpusim_jax
import jax
import numpy as np
import pytest
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as interpreter
from jax.sharding import AbstractDevice, AbstractMesh

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "pallas"


def _load(name):
  spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / name / "kernel.py")
  module = importlib.util.module_from_spec(spec)
  before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
  try:
    spec.loader.exec_module(module)
  finally:
    sys.dont_write_bytecode = before
  return module


EXAMPLES = {p.parent.name: _load(p.parent.name) for p in sorted(FOLDER.glob("*/kernel.py"))}
ALL = [pytest.param(m, v, id=f"{name}-{v}") for name, m in EXAMPLES.items() for v in m.VARIANTS]

# What JAX's interpreter says where it is not: the value is right and no race is found in the fixed
# kernel, and a race is found in each other one. M1, M9 and M12 are known defects of it.
_SILENT, _HANGS, _BY_CHANCE = "silent", "hangs", "by chance"
JAX = {
    ("producer_consumer", "deadlock"): _HANGS,
    ("ring_buffer", "deadlock"): _HANGS,
    ("ring_buffer", "off_by_one"): _BY_CHANCE,  # an error of the barrier if the threads meet so
    ("hopper_matmul", "waits_late"): _SILENT,  # M1
    ("hopper_matmul", "refilled_early"): _SILENT,  # M1
    ("hopper_matmul", "read_early"): _SILENT,  # M1
    ("multicast_matmul", "own_release"): _SILENT,  # M9
    ("multicast_matmul", "deadlock"): _HANGS,
    ("warp_specialized_matmul", "deadlock"): _HANGS,
    ("warp_specialized_matmul", "released_early"): _SILENT,  # M1
    ("warp_specialized_matmul", "one_arrival"): _BY_CHANCE,
    ("blackwell_matmul", "always_accumulates"): _SILENT,  # M12
}
# What it cannot run, and its error.
JAX_CANNOT = {
    "all_reduce": r"nan \+ semaphore",
    "attention": "Cannot lower jaxpr with effects",  # accumulators that have a value at first
    "cluster_exchange": "Unsupported transform: ClusterRefTransform",
    "collective_matmul": "collective_axis not supported yet",
}


def test_there_are_examples():
  assert len(ALL) > 40
  assert all("fixed" in m.VARIANTS and len(m.VARIANTS) > 1 for m in EXAMPLES.values())


def _marked(module, variant):
  """The kinds and lines of the findings that a variant shall have: `# KIND [warning|info]: VARIANT, VARIANT; ...`."""
  marked = set()
  for number, line in enumerate(pathlib.Path(module.__file__).read_text().splitlines(), 1):
    for part in line.partition("  # ")[2].split(";"):
      found = re.fullmatch(r" *([a-z]+-[a-z-]+|deadlock)( warning| info)?: *(\w+(?:, *\w+)*) *", part)
      if found and variant in re.split(", *", found[3]):
        marked.add((found[1] + (found[2] or ""), number))
  return marked


def _same(got, want):
  np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("module, variant", ALL)
def test_on_gpusim(module, variant):
  report = gpusim_jax.check(module.run, variant)
  if variant == "fixed":
    assert not report.findings, str(report)
    _same(report.result, module.expected())
    return
  seen = {
      (f.kind + ("" if f.severity == "error" else " " + f.severity), line)
      for f in report.findings
      for file, line in f.places
      if pathlib.Path(file).name == "kernel.py"
  }
  assert seen, "nothing found"
  assert seen <= _marked(module, variant), str(report)
  assert any(f.severity == "error" for f in report.findings), str(report)


@pytest.mark.parametrize("completion", ["lazy", "random"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_fixed_is_right_however_late_copies_complete(name, completion):
  module = EXAMPLES[name]
  report = gpusim_jax.check(module.run, completion=completion)
  assert not report.findings, str(report)
  _same(report.result, module.expected())


@pytest.mark.parametrize(
    "name, variant", [("tiled_copy", "missing_wait"), ("blackwell_matmul", "read_early"), ("attention", "scores_early")]
)
def test_missing_wait_shows_in_the_values_if_copies_complete_late(name, variant):
  module = EXAMPLES[name]
  report = gpusim_jax.check(module.run, variant, completion="lazy")
  assert not np.allclose(np.asarray(report.result, np.float64), module.expected(), rtol=1e-2)


def _reset():
  gpu_callbacks.reset_gpu_interpret_mode_state()


@pytest.mark.parametrize("module, variant", ALL)
def test_on_jax(module, variant):
  name = pathlib.Path(module.__file__).parent.name
  says = JAX.get((name, variant), "")
  if says in (_HANGS, _BY_CHANCE):
    pytest.skip(f"JAX's interpreter {'does not come back' if says == _HANGS else 'says now this, now that'}")
  assert not gpusim_jax.installed()
  jax.clear_caches()
  _reset()
  if name in JAX_CANNOT:
    if variant != "fixed":
      pytest.skip("JAX's interpreter cannot run it")
    with pytest.raises(Exception, match=JAX_CANNOT[name]):
      jax.block_until_ready(module.run(variant))
    _reset()
    return
  value = jax.block_until_ready(module.run(variant))
  jax.effects_barrier()
  assert interpreter.get_races().races_found == (variant != "fixed" and says != _SILENT)
  if variant == "fixed":
    _same(value, module.expected())


@pytest.mark.parametrize("module, variant", ALL)
def test_lowers_for_a_gpu(module, variant):
  kind = "NVIDIA B200" if getattr(module, "ARCH", "") == "sm_100" else "NVIDIA H100 80GB HBM3"
  device = AbstractDevice(device_kind=kind, platform="gpu", num_cores=132)
  with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device)):
    traced = jax.jit(lambda: module.run(variant, interpret=False)).trace()
    traced.lower(lowering_platforms=("cuda",))
