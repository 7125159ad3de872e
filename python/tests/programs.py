"""Ways to write a kernel: grids and BlockSpecs, pipelines, warps, state, checks, parameters of the interpreter."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from cases import PARAMS, Cases, array, barrier, f32, i32, interpreted, kernel, numbers, small, smem
from jax import lax
from jax._src.pallas import mpmd
from jax._src.pallas.mosaic import core as tpu_core
from jax.experimental import checkify
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CASES = Cases()
GMEM = pl.BlockSpec(memory_space=plgpu.GMEM)
ONE_BLOCK = {"jax": "error: AssertionError"}  # JAX wants one block that covers the array


# The grid.


@CASES.add(expect=lambda: np.array([[0, 1], [10, 11], [20, 21]]) + 32, jax="race")
def program_id_and_num_programs():
  """JAX has 0 for every program_id."""

  def body(o):
    i, j = pl.program_id(0), pl.program_id(1)
    o[i, j] = 10 * i + j + 10 * pl.num_programs(0) + pl.num_programs(1)

  return pl.pallas_call(body, out_shape=i32(3, 2), grid=(3, 2), out_specs=GMEM, interpret=PARAMS)()


def _blocks(body, x, out, in_spec, out_spec, grid, **kwargs):
  return pl.pallas_call(body, out_shape=out, grid=grid, in_specs=[in_spec], out_specs=out_spec, interpret=PARAMS, **kwargs)(x)


def _copy(x, o):
  o[...] = x[...]


@CASES.add(expect=lambda: numbers(6, 8).T, **ONE_BLOCK)
def blocks_by_index_maps():
  def body(x, o):
    o[...] = x[...].T

  return _blocks(body, numbers(6, 8), i32(8, 6), pl.BlockSpec((2, 4), lambda i, j: (i, j)), pl.BlockSpec((4, 2), lambda i, j: (j, i)), (3, 2))


@CASES.add(expect=lambda: numbers(3, 4, 8)[:, ::-1], **ONE_BLOCK)
def squeezed_dimensions():
  def body(x, o):
    o[...] = x[...]

  return _blocks(body, numbers(3, 4, 8), i32(3, 4, 8), pl.BlockSpec((None, pl.squeezed, 8), lambda i, j: (i, 3 - j, 0)),
                 pl.BlockSpec((None, None, 8), lambda i, j: (i, j, 0)), (3, 4))


@CASES.add(expect=lambda: numbers(10, 6) + 1, **ONE_BLOCK)
def blocks_over_the_edge():
  def body(x, o):
    o[...] = x[...] + 1

  spec = pl.BlockSpec((4, 4), lambda i, j: (i, j))
  return _blocks(body, numbers(10, 6), i32(10, 6), spec, spec, (3, 2))


@CASES.add(expect=lambda: np.stack([numbers(8)[i : i + 4].sum(keepdims=True) for i in range(5)]).reshape(5, 1), **ONE_BLOCK)
def blocks_that_overlap():
  """A block that starts at any element."""

  def body(x, o):
    o[...] = jnp.sum(x[...])[None, None]

  return _blocks(body, numbers(8), i32(5, 1), pl.BlockSpec((pl.Element(4),), lambda i: (i,)), pl.BlockSpec((1, 1), lambda i: (i, 0)), (5,))


@CASES.pair(finds="data-race", **ONE_BLOCK, right={"expect": lambda: numbers(4, 8)} | ONE_BLOCK)
def blocks_of_the_output(right):
  """Two points of a parallel grid must not store to one block."""
  return _blocks(_copy, numbers(4, 8), i32(4, 8), pl.BlockSpec((1, 8), lambda i: (i, 0)),
                 pl.BlockSpec((1, 8), (lambda i: (i, 0)) if right else (lambda i: (i // 2, 0))), (4,))


@CASES.add(expect=lambda: numbers(4, 8)[[2, 0, 3]], **ONE_BLOCK)
def scalar_prefetch():
  def body(rows, x, o):
    del rows
    o[...] = x[...]

  spec = tpu_core.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((1, 8), lambda i, rows: (rows[i], 0))],
      out_specs=pl.BlockSpec((1, 8), lambda i, rows: (i, 0)))
  return pl.pallas_call(body, grid_spec=spec, out_shape=i32(3, 8), interpret=PARAMS)(np.array([2, 0, 3], np.int32), numbers(4, 8))


@CASES.add(expect=lambda: np.array([0, 1, 2, 9]), jax="error: Dynamic grid bounds not (yet) supported")
def dynamic_grid():
  def body(x, o):
    i = pl.program_id(0)
    o[i] = x[i] - 9 + i

  @jax.jit
  def call(n, x):
    return pl.pallas_call(body, grid=(n,), in_specs=[GMEM], out_specs=GMEM, out_shape=i32(4), input_output_aliases={0: 0}, interpret=PARAMS)(x)

  return call(np.int32(3), np.full(4, 9, np.int32))


@CASES.add(expect=lambda: numbers(8) * 2)
def scratch_of_a_pallas_call():
  def body(x, o, tile):
    tile[...] = x[...] * 2
    o[...] = tile[...]

  return pl.pallas_call(body, out_shape=i32(8), scratch_shapes=[smem(8)], interpret=PARAMS)(numbers(8))


# Pipelines.


def _pipeline(steps, delay=0):
  def body(x, o):
    def step(_, tile, out):
      out[...] = tile[...] * 2

    spec = plgpu.BlockSpec((4, 8), lambda i: (i, 0), delay_release=delay)
    plgpu.emit_pipeline(step, grid=(4,), in_specs=[spec], out_specs=[plgpu.BlockSpec((4, 8), lambda i: (i, 0))],
                        max_concurrent_steps=steps)(x, o)

  return kernel(body, i32(16, 8))(numbers(16, 8))


for _steps, _delay in [(1, 0), (2, 0), (4, 1)]:
  CASES.add(f"pipeline_of_{_steps}_steps", expect=lambda: 2 * numbers(16, 8), jax="error: predicate not supported" if _steps < 3 else "unasked")(
      functools.partial(_pipeline, _steps, _delay))


@CASES.add(expect=lambda: numbers(4, 8).sum(0), finds="data-race", severity="warning", about="commit_smem")
def pipeline_with_a_carry():
  def body(x, o):
    def step(_, tile, carry):
      return carry + tile[...]

    spec = plgpu.BlockSpec((None, 8), lambda i: (i, 0))
    o[...] = plgpu.emit_pipeline(step, grid=(4,), in_specs=[spec], max_concurrent_steps=2, init_carry=jnp.zeros(8, jnp.int32))(x)

  return kernel(body, i32(8))(numbers(4, 8))


@CASES.add(finds="data-race", about="smem_refs", jax="silent")
def pipeline_released_early():
  """A body that leaves its product in flight has to keep the block for one step more."""
  return _matmul_pipeline(0)


CASES.add("pipeline_that_keeps_a_block", finds="async-misuse", severity="info", about="it is waited for after that", jax="silent", expect=lambda: small(64, 64) @ small(64, 16, seed=3))(lambda: _matmul_pipeline(1))


def _matmul_pipeline(delay):
  def body(x, y, o):
    def scoped(acc):
      def step(_, a, b):
        plgpu.wgmma(acc, a, b)
        plgpu.wgmma_wait(1)

      plgpu.emit_pipeline(
          step, grid=(4,), max_concurrent_steps=2,
          in_specs=[plgpu.BlockSpec((64, 16), lambda k: (0, k), delay_release=delay), plgpu.BlockSpec((16, 16), lambda k: (k, 0), delay_release=delay)])(x, y)
      return acc[...]

    o[...] = pl.run_scoped(scoped, plgpu.ACC((64, 16), jnp.float32))

  return kernel(body, f32(64, 16))(small(64, 64, dtype=jnp.float16), small(64, 16, dtype=jnp.float16, seed=3))


@CASES.add(expect=lambda: 2 * numbers(16, 8), finds="data-race", severity="warning", about="commit_smem", jax="error: predicate not supported")
def warp_specialized_pipeline():
  """A thread that loads and stores, one that computes."""

  def body(x, o):
    def step(_, tile, out):
      out[...] = tile[...] * 2

    spec = plgpu.BlockSpec((4, 8), lambda i: (i, 0))
    plgpu.emit_pipeline_warp_specialized(
        step, grid=(4,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2, num_compute_wgs=1, memory_registers=40, wg_axis="wg")(x, o)

  return kernel(body, i32(16, 8), threads=2)(numbers(16, 8))


@CASES.add(expect=lambda: numbers(12))
def nd_loop():
  def body(x, o):
    @plgpu.nd_loop((3, 4), collective_axes="i")
    def _(loop):
      i, j = loop.index
      o[i * 4 + j] = x[i * 4 + j]

  return kernel(body, i32(12), grid=(2,), grid_names=("i",))(numbers(12))


# Warps and state.


@CASES.pair(finds="data-race", about="tile", right={"expect": lambda: numbers(4) + 1})
def warps_of_a_warpgroup(right):
  """Warps store, and after the end of the map the warpgroup reads; within it they do not see each other."""

  def body(x, o, tile):
    @plgpu.warp_map
    def _(warp):
      tile[warp] = x[warp] + 1
      if not right:
        o[warp] = tile[3 - warp]

    if right:
      for i in range(4):
        o[i] = tile[i]

  return kernel(body, i32(4), [smem(4)])(numbers(4))


@CASES.add(expect=lambda: numbers(4) * 2)
def mpmd_map_over_warps():
  def body(x, o):
    mesh = plgpu.WarpMesh(axis_name="warp")

    def warp():
      i = lax.axis_index("warp")
      o[i] = x[i] * 2

    mpmd.mpmd_map([(mesh, warp)])()

  return kernel(body, i32(4))(numbers(4))


@CASES.add(expect=lambda: numbers(8) + 100)
def core_map_with_a_grid_and_threads():
  mesh = plgpu.Mesh(grid=(2,), grid_names=("i",), num_threads=4, thread_name="t")

  def call(ref):
    @pl.core_map(mesh, interpret=PARAMS)
    def _():
      k = 4 * lax.axis_index("i") + lax.axis_index("t")
      ref[k] = ref[k] + 100

  return pl.run_state(call)(numbers(8))


@CASES.add(expect=lambda: numbers(4)[::-1] * 3, jax="error: does not have a corresponding jaxpr input")
def calls_over_references():
  @jax.jit
  def tripled(ref, i):
    return ref[i] * 3

  def body(x, o):
    for i in range(4):
      o[i] = tripled(x, 3 - i)

  return kernel(body, i32(4))(numbers(4))


@CASES.add(expect=lambda: np.array([28, 28, 7]), jax="wrong")
def reversed_scan():
  def body(x, o):
    total, partial = lax.scan(lambda c, v: (c + v, c + v), jnp.int32(0), x[...], reverse=True)
    o[0] = total
    o[1] = partial[0]
    o[2] = partial[7]

  return kernel(body, i32(3))(numbers(8))


@CASES.add(expect=lambda: np.arange(16).reshape(2, 8)[::-1])
def aliased_output():
  def body(x, o):
    row = x[0]
    o[0] = x[1]
    o[1] = row

  return pl.pallas_call(body, out_shape=i32(2, 8), input_output_aliases={0: 0}, interpret=PARAMS)(numbers(2, 8))


# What tells the user something.


@CASES.add(expect=lambda: 5)
def printing():
  def body(o):
    pl.debug_print("five is {}", jnp.int32(5))
    o[...] = jnp.int32(5)

  return kernel(body, i32())()


@CASES.add(error="the first element is 5", jax="error: Cannot abstractly evaluate a checkify.check")
def failing_check():
  def body(x, o):
    checkify.check(x[0] == 0, "the first element is {}", x[0])
    o[...] = x[...]

  return kernel(body, i32(4))(numbers(4) + 5)


@CASES.add(expect=lambda: numbers(4), jax="error: Cannot abstractly evaluate a checkify.check")
def check_that_holds():
  def body(x, o):
    checkify.check(x[0] == 0, "the first element is {}", x[0])
    o[...] = x[...]

  return kernel(body, i32(4))(numbers(4))


# Parameters of the interpreter.


@CASES.add(expect=lambda: [np.full((8, 8), np.inf), np.full(8, np.iinfo(np.int32).max), numbers(8)])
def skip_floating_point_ops():
  def body(x, i, o, p, q):
    o[...] = x[...] @ x[...]
    p[...] = jnp.sum(x[...], axis=1).astype(jnp.int32)
    q[...] = i[...]

  call = kernel(body, [f32(8, 8), i32(8), i32(8)])
  return interpreted(call, numbers(8, 8, dtype=np.float32), numbers(8), skip_floating_point_ops=True)


@CASES.add(expect=lambda: np.array([2, 3, np.iinfo(np.int32).max, np.iinfo(np.int32).max]))
def out_of_bounds_reads():
  def body(x, o):
    o[...] = x[pl.ds(x[2], 4)]

  return interpreted(kernel(body, i32(4)), numbers(4), out_of_bounds_reads="uninitialized")


@CASES.add(expect=lambda: [np.zeros(4), np.zeros(4)])
def uninitialized_memory_of_zeros():
  def body(o, p, tile):
    o[...] = tile[...]
    p[...] = jnp.zeros(4, jnp.int32)

  return interpreted(kernel(body, [f32(4), i32(4)], [smem(4, dtype=jnp.float32)]), uninitialized_memory="zero")


@CASES.add(finds="uninitialized-read", expect=lambda: [np.full(4, np.nan), np.full(4, np.iinfo(np.int32).max), np.full(4, True)], jax="silent")
def uninitialized_memory():
  def body(o, p, q, tile):
    o[...] = tile[...]

  return kernel(body, [f32(4), i32(4), array(bool, 4)], [smem(4, dtype=jnp.float32)])()


def _inlined(ignore):
  def body(x, o):
    @plgpu.inline_mgpu(arg_types=(plgpu.RefType(),))
    def nothing(ctx, ref):
      del ctx, ref

    nothing(x)
    o[...] = x[...]

  return interpreted(kernel(body, i32(4)), numbers(4), inline_mgpu="ignore" if ignore else "error")


CASES.add("inline_mgpu_ignored", expect=lambda: numbers(4))(lambda: _inlined(True))
CASES.add("inline_mgpu", error="inline_mgpu", jax="error: inline_mgpu")(lambda: _inlined(False))


@CASES.add(expect=lambda: numbers(8), jax="error: MLIR translation rule for primitive 'griddepcontrol_wait' not found")
def hints():
  """What only tells the compiler something does nothing."""

  def body(x, o):
    plgpu.set_max_registers(40, action="decrease")
    plgpu.griddepcontrol_wait()
    plgpu.griddepcontrol_launch_dependents()
    v = plgpu.layout_cast(x[...], plgpu.Layout.WG_STRIDED((8,), 1))
    plgpu.print_layout("{}", v)
    o[...] = v

  return kernel(body, i32(8))(numbers(8))



# What else the language has.


@CASES.add(expect=lambda: numbers(8) + 1)
def loops_of_the_language():
  def body(x, o):
    @pl.loop(0, 4, step=2)
    def _(i):
      o[i] = x[i] + 1

    @pl.loop(0, 2, unroll=True)
    def _(i):
      o[2 * i + 1] = x[2 * i + 1] + 1

    for i in range(4, 8):
      o[i] = x[i] + 1

  return kernel(body, i32(8))(numbers(8))


@CASES.pair(finds="data-race", about="tile", right={"expect": lambda: numbers(2) + 10})
def arrive_and_wait(right):
  def body(x, o, tile, bar):
    wg = lax.axis_index("wg")
    tile[wg] = x[wg] + 10
    if right:
      plgpu.barrier_arrive_and_wait(bar)
    o[1 - wg] = tile[1 - wg]
    if not right:
      plgpu.barrier_arrive_and_wait(bar)

  return kernel(body, i32(2), [smem(2), barrier(2)], threads=2)(numbers(2))


@CASES.add(jax="error: MLIR translation rule for primitive 'mosaic_gpu_reduce_sum' not found",
           expect=lambda: [np.array([28, 7, 0]), np.stack([numbers(8).reshape(2, 4).sum(0), numbers(8).reshape(2, 4).max(0)])])
def reductions_of_the_language():
  def body(x, o, p):
    v = x[...]
    o[0] = plgpu.sum(v)
    o[1] = plgpu.max(v)
    o[2] = plgpu.min(v)
    p[0] = plgpu.sum(v.reshape(2, 4), axis=0)
    p[1] = plgpu.max(v.reshape(2, 4), axis=0)

  return kernel(body, [i32(3), i32(2, 4)])(numbers(8))


@CASES.add(expect=lambda: np.array([3, 2, 6]))
def sizes_of_axes():
  def body(o):
    @pl.when((lax.axis_index("i") == 0) & (lax.axis_index("wg") == 0))
    def _():
      o[0] = lax.axis_size("i")
      o[1] = lax.axis_size("wg")
      o[2] = lax.axis_size(("i", "wg"))

  return kernel(body, i32(3), threads=2, grid=(3,), grid_names=("i",))()


@CASES.add(expect=lambda: 2 * numbers(2, 4), jax="error: MLIR translation rule for primitive 'delay' not found")
def batch_of_kernels():
  def body(x, o):
    with jax.named_scope("doubling"):
      pl.delay(10)
      o[...] = x[...] * 2

  return jax.vmap(kernel(body, i32(4)))(numbers(2, 4))


# What gpusim refuses too, by name.


@CASES.add(error="does not support an operand of the kernel that is a semaphore", jax="error: Cannot signal on a non-semaphore Ref")
def semaphore_that_outlives_its_kernel():
  def body(sem, o):
    pl.semaphore_signal(sem, 3)
    o[...] = jnp.array(7)

  return jax.jit(lambda: kernel(body, i32())(plgpu.alloc_semaphore()))()


@CASES.add(error="does not support a reference with Im2ColTransform", jax="error: Interpret mode does not support im2col copies")
def image_to_columns():
  def body(x, o, tile, bar):
    view = plgpu.im2col_ref(x, window_shape=(2,))
    plgpu.copy_gmem_to_smem(view.at[pl.ds(0, 3), 1, pl.ds(0, 4)], tile, bar)
    plgpu.barrier_wait(bar)
    o[...] = tile[...]

  return kernel(body, i32(3, 4), [smem(3, 4), barrier()])(numbers(1, 4, 4))
