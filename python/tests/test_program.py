"""What the exporter writes, and what it refuses."""

import inspect
import json
import re

import gpusim_jax
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax._src.pallas import mpmd
from jax._src.pallas.mosaic_gpu import core as gpu_core
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from kernels import PARAMS, i32, kernel, numbers


def export(fn, tmp_path):
  (path,) = gpusim_jax.export(fn, path=tmp_path / "kernel.json")
  return json.loads(path.read_text())


def equations(function, prim):
  """All equations of a primitive, also those within others."""
  for e in function["eqns"]:
    if e["prim"] == prim:
      yield e
    params = e.get("params") or {}
    for inner in [*params.values(), *params.get("branches", ())]:
      if isinstance(inner, dict) and "eqns" in inner:
        yield from equations(inner, prim)


def line(text: str) -> int:
  """The line of this file that ends with a comment."""
  lines = inspect.getsource(inspect.getmodule(line)).splitlines()
  return next(i for i, s in enumerate(lines, 1) if s.endswith("# " + text))


def test_names_are_those_of_the_parameters(tmp_path):
  def body(left, right, total, *, tile, ready):
    plgpu.copy_gmem_to_smem(left, tile, ready)
    plgpu.barrier_wait(ready)
    total[...] = tile[...] + right[...]

  def call():
    return plgpu.kernel(
        body, out_type=i32(8), scratch_types=dict(tile=plgpu.SMEM((8,), jnp.int32), ready=plgpu.Barrier()), interpret=PARAMS)(
            numbers(8), numbers(8))

  program = export(call, tmp_path)
  assert [b["name"] for b in program["buffers"]] == ["left", "right", "total"]
  (scope,) = equations(program["kernel"], "run_scoped")
  assert sorted(s["name"] for s in scope["params"]["scratch"]) == ["ready", "tile"]
  assert program["results"] == [2]
  assert [b.get("input", False) for b in program["buffers"]] == [True, True, False]


def test_names_of_a_decorated_kernel(tmp_path):
  @plgpu.kernel(out_type=i32(8), interpret=PARAMS)
  def call(given, made):
    made[...] = given[...]

  assert [b["name"] for b in export(lambda: call(numbers(8)), tmp_path)["buffers"]] == ["given", "made"]


def test_places_in_functions_of_jax(tmp_path):
  """JAX traces its own functions once: both uses have a place of their own."""

  def body(x, o):
    o[0] = x[0] % 3  # first
    o[1] = x[1] % 3  # second

  program = export(lambda: kernel(body, i32(2))(numbers(2)), tmp_path)
  places = [program["sources"][e["src"]][1] for e in equations(program["kernel"], "rem")]
  assert places == [line("first"), line("second")]


def test_places_in_functions_of_the_user(tmp_path):
  @jax.jit
  def third(v):
    return v * 3  # inside

  def body(x, o):
    o[...] = third(x[...])

  program = export(lambda: kernel(body, i32(2))(numbers(2)), tmp_path)
  (product,) = equations(program["kernel"], "mul")
  assert program["sources"][product["src"]][1] == line("inside")


def test_barriers_are_selected_step_by_step(tmp_path):
  def body(o, bars):
    plgpu.barrier_arrive(bars.at[1].at[2])
    plgpu.barrier_arrive(bars.at[1, 2])
    o[...] = jnp.int32(0)

  program = export(lambda: kernel(body, i32(), [plgpu.Barrier(num_barriers=(2, 3), num_arrivals=2)])(), tmp_path)
  first, second = equations(program["kernel"], "barrier_arrive")
  assert [i["at"]["lit"] for i in first["in"][0]["view"][0]["index"]] == [1, 2]
  assert [i["at"]["lit"] for i in second["in"][0]["view"][0]["index"]] == [1, 2]


def test_buffers_have_their_logical_shape(tmp_path):
  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

  def body(x, o, tiles):
    tiles[1] = x[...]
    o[...] = tiles[1]

  scratch = [plgpu.SMEM((2, 64, 64), jnp.float16, transforms=transforms)]
  call = kernel(body, jax.ShapeDtypeStruct((64, 64), jnp.float16), scratch)
  program = export(lambda: call(jnp.zeros((64, 64), jnp.float16)), tmp_path)
  (scope,) = equations(program["kernel"], "run_scoped")
  assert scope["params"]["scratch"][0]["shape"] == [2, 64, 64]
  (store,) = (e for e in equations(program["kernel"], "swap") if len(e["in"][0].get("view", ())) == 1)
  assert store["in"][0]["view"][0]["index"][0] == {"at": {"lit": 1, "dtype": "int32"}}


def test_calls_are_written_in_place(tmp_path):
  def body(x, o):
    o[...] = jnp.where(x[...] > 2, jnp.clip(x[...], 0, 4), 7)

  program = export(lambda: kernel(body, i32(8))(numbers(8)), tmp_path)
  assert not [p for p in ("jit", "pjit", "call") if list(equations(program["kernel"], p))]


def _refused(error, text, body, out=i32(2), scratch=(), **kwargs):
  with gpusim_jax.install(), pytest.raises(error, match=re.escape(text)):
    kernel(body, out, scratch, **kwargs)()


def test_warps_do_not_nest():
  def body(o):
    @plgpu.warp_map
    def _(w):
      plgpu.warp_map(lambda _: None)

    o[0] = jnp.int32(1)

  _refused(ValueError, "Cannot mpmd_map over WarpMesh while already mpmd_mapped.", body)


def test_only_warps_are_mapped():
  def body(o):
    mpmd.mpmd_map([(gpu_core.Mesh(num_threads=2, thread_name="t"), lambda: None)])()
    o[0] = jnp.int32(1)

  _refused(ValueError, "Only mpmd_map over WarpMesh is supported in an MGPU kernel.", body)


def _scoped(axes, threads=0, **kwargs):
  def body(o):
    pl.run_scoped(lambda s: None, plgpu.SMEM((8,), jnp.int32), collective_axes=axes)
    o[0] = jnp.int32(1)

  return dict(body=body, threads=threads, **kwargs)


@pytest.mark.parametrize("axes, text, more", [
    ("wg", "Collective axis `wg` not found among axes", {}),
    ((), "Scoped allocation must have the thread axis in its collective axes.", {"threads": 2}),
    ("c", "Collective allocations along cluster axes are not supported.", {"threads": 2, "cluster": (2,), "cluster_names": ("c",)}),
    ("c", "Requesting collective allocations, but no explicit thread axis specified.", {"cluster": (2,), "cluster_names": ("c",)}),
])
def test_collective_axes(axes, text, more):
  _refused(ValueError, text, **_scoped(axes, **more))


def test_a_barrier_has_to_be_selected():
  def body(o, bars):
    plgpu.barrier_wait(bars)
    o[0] = jnp.int32(1)

  _refused(ValueError, "Attempting to operate on barrier without indexing, but `num_barriers = 6`", body, scratch=[plgpu.Barrier(num_barriers=(2, 3))])


def test_code_for_the_compiler_is_refused_by_name_and_line():
  @plgpu.inline_mgpu()
  def trick(ctx):
    del ctx

  def body(o):
    trick()  # here
    o[0] = jnp.int32(1)

  _refused(ValueError, f"(trick, {__file__}:{line('here')})", body)


def test_fences_of_jax_are_known(tmp_path):
  from jax._src.pallas.mosaic_gpu import helpers

  def body(x, o, smem):
    smem[...] = x[...]
    helpers.inline_ptx("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;")
    o[...] = smem[...]

  program = export(lambda: kernel(body, i32(8), [plgpu.SMEM((8,), jnp.int32)])(numbers(8)), tmp_path)
  assert len(list(equations(program["kernel"], "commit_smem"))) == 1
  with gpusim_jax.install(), pytest.raises(ValueError, match="inline_mgpu"):
    kernel(lambda o: helpers.inline_ptx("membar.gl;"), i32(1))()


def test_what_is_not_supported_names_its_line():
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(plgpu.im2col_ref(x, window_shape=(1,)).at[pl.ds(0, 8), 0, pl.ds(0, 8)], smem, bar)  # im2col
    o[...] = smem[...]

  call = kernel(body, jax.ShapeDtypeStruct((8, 8), jnp.float32), [plgpu.SMEM((8, 8), jnp.float32), plgpu.Barrier()])
  with gpusim_jax.install(), pytest.raises(NotImplementedError, match=re.escape(f"a reference with Im2ColTransform ({__file__}:{line('im2col')})")):
    call(jnp.zeros((1, 8, 8), jnp.float32))


def test_unknown_axes():
  def body(o):
    o[0] = lax.axis_index("nowhere")

  with gpusim_jax.install(), pytest.raises(NameError):  # JAX finds it before
    kernel(body, i32(1))()
