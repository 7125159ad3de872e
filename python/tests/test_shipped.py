"""The Mosaic GPU kernels that JAX itself ships, as users call them: their values and what gpusim finds in them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import all_gather_mgpu
from jax.experimental.pallas.ops.gpu import attention_mgpu
from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu
from jax.experimental.pallas.ops.gpu import blackwell_ragged_dot_mgpu
from jax.experimental.pallas.ops.gpu import collective_matmul_mgpu
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu
from jax.experimental.pallas.ops.gpu import hopper_mixed_type_matmul_mgpu
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu
from jax.experimental.pallas.ops.gpu import reduce_scatter_mgpu
from jax.experimental.pallas.ops.gpu import transposed_ragged_dot_mgpu
from jax.sharding import AbstractDevice, AbstractMesh
from jax.sharding import PartitionSpec as P

import gpusim_jax

H100, B200 = "NVIDIA H100 80GB HBM3", "NVIDIA B200"
TILES = dict(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)


def _numbers(*shape, seed=0, dtype=np.float16):
  return jnp.asarray(np.random.default_rng(seed).integers(-2, 3, shape), dtype)


def _f32(x):
  return np.asarray(x, np.float32)


def _check(fn, device=H100, cores=4):
  """What gpusim says of a kernel that asks which GPU it is on."""
  abstract = AbstractDevice(device_kind=device, platform="gpu", num_cores=cores)
  with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=abstract)):
    return _compiles(gpusim_jax.check(fn, lint=True))


def _compiles(report):
  """The report, which says nothing about compilation: these kernels are compiled by their users."""
  assert not [f for f in report.findings if f.kind == "would-not-lower"], str(report)
  return report


def _right(report, want):
  np.testing.assert_allclose(_f32(report.result), _f32(want), rtol=1e-2, atol=1e-2)


def _errors(report):
  return [str(f) for f in report.findings if f.severity == "error"]


class _Device:
  """A CPU device that says how many multiprocessors it has."""

  core_count = 2


class _Jax:
  """JAX with such devices, for the kernels that ask them."""

  def __getattr__(self, name):
    return getattr(jax, name)

  def devices(self):
    return [_Device()]

  local_devices = devices


@pytest.fixture(autouse=True)
def devices(monkeypatch):
  for module in (transposed_ragged_dot_mgpu, blackwell_ragged_dot_mgpu, collective_matmul_mgpu):
    monkeypatch.setattr(module, "jax", _Jax())
  backend = type("Backend", (), {"get_default_device": staticmethod(_Device)})
  monkeypatch.setattr(hopper_mixed_type_matmul_mgpu, "backend", backend)
  monkeypatch.setattr(hopper_matmul_mgpu, "get_num_sms", lambda: 2)
  runtime = type("Runtime", (), {"cuda_runtime_get_version": staticmethod(lambda: 13000)})
  monkeypatch.setattr(attention_mgpu, "cuda_versions", runtime)


DIMENSIONS = hopper_matmul_mgpu.MatmulDimension


@pytest.mark.parametrize("cluster", [None, *DIMENSIONS])
@pytest.mark.parametrize("wg", list(DIMENSIONS))
def test_hopper_matmul(wg, cluster):
  a, b, c = _numbers(256, 128), _numbers(128, 256, seed=1), _numbers(256, 256, seed=2, dtype=np.float32)
  config = hopper_matmul_mgpu.TuningConfig(**TILES, wg_dimension=wg, cluster_dimension=cluster)
  report = _check(lambda: hopper_matmul_mgpu.matmul(a, b, c, config))
  assert not report.findings, str(report)
  _right(report, _f32(a) @ _f32(b) + _f32(c))


@pytest.mark.parametrize("cluster", [None, hopper_mixed_type_matmul_mgpu.MatmulDimension.M])
def test_hopper_mixed_type_matmul(cluster):
  a, b = _numbers(256, 128, dtype=np.int8), _numbers(128, 256, seed=1)
  config = hopper_mixed_type_matmul_mgpu.TuningConfig(**TILES, cluster_dimension=cluster)
  kernel = hopper_mixed_type_matmul_mgpu.mixed_matmul_kernel
  report = _check(lambda: kernel(a, b, out_dtype=jnp.float16, config=config))
  assert not _errors(report), str(report)
  _right(report, _f32(a) @ _f32(b))


def _attention_operands():
  rng = np.random.default_rng(0)
  return [jnp.asarray(rng.standard_normal((1, 256, heads, 64)), jnp.float16) for heads in (2, 1, 1)]


@pytest.mark.parametrize("causal, schedule_barrier", [(False, True), (True, True), (True, False)])
def test_attention(causal, schedule_barrier):
  operands = _attention_operands()
  config = attention_mgpu.TuningConfig(
      block_q=64, block_kv=64, max_concurrent_steps=2, use_schedule_barrier=schedule_barrier, causal=causal
  )
  report = _check(lambda: attention_mgpu.attention(*operands, config))
  assert not report.races_found and not _errors(report), str(report)
  _right(report, attention_mgpu.attention_reference(*operands, causal=causal))


def test_attention_with_pipeline_emitter():
  operands = _attention_operands()
  config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
  report = _check(lambda: attention_mgpu.attention_with_pipeline_emitter(*operands, config))
  assert not report.findings, str(report)
  _right(report, attention_mgpu.attention_reference(*operands))


def test_attention_backward():
  operands = _attention_operands()
  blocks = {name: 64 for name in ("block_q", "block_kv", "block_q_dkv", "block_kv_dkv", "block_q_dq", "block_kv_dq")}
  config = attention_mgpu.TuningConfig(**blocks, max_concurrent_steps=2)

  def gradient(attention):
    return jax.grad(lambda *x: (attention(*x).astype(jnp.float32) ** 2).sum(), argnums=(0, 1, 2))(*operands)

  report = _check(lambda: gradient(lambda *x: attention_mgpu.attention(*x, config)))
  assert not _errors(report), str(report)
  for got, want in zip(report.result, gradient(attention_mgpu.attention_reference), strict=True):
    np.testing.assert_allclose(_f32(got), _f32(want), atol=5e-3 * np.abs(_f32(want)).max())


GROUPS = np.array([70, 100, 86], np.int32)


def _groups():
  ends = np.cumsum(GROUPS)
  return [slice(end - size, end) for end, size in zip(ends, GROUPS)]


@pytest.mark.parametrize("transpose", [False, True])
def test_ragged_dot(transpose):
  a, b = _numbers(256, 64), _numbers(3, 64, 128, seed=1)
  report = _check(
      lambda: ragged_dot_mgpu.ragged_dot(
          a, jnp.swapaxes(b, 1, 2) if transpose else b, group_sizes=jnp.asarray(GROUPS), block_m=64, block_n=64,
          block_k=64, max_concurrent_steps=2, grid_block_n=1, transpose_rhs=transpose,
      )
  )
  assert not report.races_found, str(report)
  _right(report, np.concatenate([_f32(a[rows]) @ _f32(b[g]) for g, rows in enumerate(_groups())]))


def test_transposed_ragged_dot():
  a, b = _numbers(256, 64), _numbers(256, 128, seed=1)
  report = _check(
      lambda: transposed_ragged_dot_mgpu.transposed_ragged_dot(
          a, b, group_sizes=jnp.asarray(GROUPS), block_m=64, block_n=64, block_k=64, max_concurrent_steps=2,
          grid_block_n=1,
      )
  )
  assert not report.races_found, str(report)
  _right(report, np.stack([_f32(a[rows]).T @ _f32(b[rows]) for rows in _groups()]))


def _on_two_devices(fn, in_specs, out_specs):
  mesh = jax.sharding.Mesh(jax.devices()[:2], ("x",))
  return jax.shard_map(fn, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)


def test_all_gather_matmul_of_two_devices():
  a, b = _numbers(256, 128), _numbers(128, 256, seed=1)
  config = hopper_matmul_mgpu.TuningConfig(**TILES)
  fn = _on_two_devices(
      lambda a, b: collective_matmul_mgpu.all_gather_lhs_matmul(a, b, "x", config=config, dtype=jnp.float16),
      (P("x", None), P(None, "x")), P(None, "x"),
  )
  report = _compiles(gpusim_jax.check(fn, a, b, lint=True))
  assert not report.races_found, str(report)
  _right(report, _f32(a) @ _f32(b))


def test_collectives_of_two_devices():
  x = _numbers(128, 256, dtype=np.float32)
  halves = _f32(x[:64]), _f32(x[64:])

  def check(fn):
    report = _compiles(gpusim_jax.check(_on_two_devices(fn, P("x", None), P("x", None)), x, lint=True))
    assert not report.findings, str(report)
    return report

  gather, scatter = all_gather_mgpu.all_gather, reduce_scatter_mgpu.reduce_scatter
  _right(check(lambda x: gather(x, axis_name="x", num_blocks=2)), np.tile(_f32(x), (2, 1)))
  _right(check(lambda x: scatter(x, axis_name="x", num_blocks=2)), halves[0] + halves[1])
  _right(check(lambda x: scatter(x, axis_name="x", scatter_dimension=None, num_blocks=2)), np.tile(halves[0] + halves[1], (2, 1)))


# Three bugs of the kernels for Blackwell, in the version of JAX that has them.
bugs = pytest.mark.skipif(jax.__version__ != "0.12.0.1", reason=f"bugs of JAX 0.12.0.1; this is {jax.__version__}")


def _blackwell_matmul(collective):
  a, b = _numbers(256, 128), _numbers(128, 256, seed=1)
  config = blackwell_matmul_mgpu.TuningConfig(
      tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=collective, epilogue_tile_n=64
  )
  return _check(lambda: blackwell_matmul_mgpu.matmul_kernel(a, b, config), B200)


def _is_about_unfinished_copies(report):
  """The kernel ends while its last copy still reads shared memory: JAX's interpreter has the same error."""
  kinds = {f.kind for f in report.findings if f.severity == "error"}
  return kinds == {"async-misuse"} and "Not all copy_smem_to_gmem read-side operations completed" in str(report)


@bugs
def test_blackwell_matmul_does_not_wait_for_its_last_copy():
  report = _blackwell_matmul(collective=False)
  assert report.result is None
  assert _is_about_unfinished_copies(report), str(report)


@bugs
def test_collective_blackwell_matmul_asks_for_work_in_both_blocks(monkeypatch):
  """Its loop over the work does not name the axis of the cluster, so that both blocks ask, and both get two answers."""
  report = _blackwell_matmul(collective=True)
  assert any(f.kind == "data-race" and "try_cancel_buffer" in f.object for f in report.findings), str(report)

  class Repaired:
    def __getattr__(self, name):
      return getattr(plgpu, name)

    def dynamic_scheduling_loop(self, **options):
      return plgpu.dynamic_scheduling_loop(**options, cluster_axes=("x",))

  monkeypatch.setattr(blackwell_matmul_mgpu, "plgpu", Repaired())
  report = _blackwell_matmul(collective=True)
  assert _is_about_unfinished_copies(report), str(report)


@bugs
def test_collective_blackwell_ragged_dot_overwrites_what_the_peer_loads():
  """The leader waits for its own block's `store_done_barrier`, which is none of the cluster."""
  sizes = np.array([170, 200, 142], np.int32)
  a, b = _numbers(512, 128), _numbers(3, 128, 128, seed=1)
  config = blackwell_ragged_dot_mgpu.TuningConfig(
      tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=True, grid_tile_width=1,
      grid_minor_dim=blackwell_matmul_mgpu.MatmulDimension.N, epilogue_tile_n=64,
  )
  report = _check(lambda: blackwell_ragged_dot_mgpu.ragged_dot_kernel(a, b, jnp.asarray(sizes), config), B200)
  races = [f for f in report.findings if f.kind == "data-race"]
  assert races and all("acc_tmem" in f.object for f in races), str(report)
  _right(report, blackwell_ragged_dot_mgpu.ragged_dot_reference(a, b, jnp.asarray(sizes)))
