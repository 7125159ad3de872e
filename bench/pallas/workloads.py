"""The kernels of the benchmark. None of them has a race or another mistake."""

import dataclasses
import functools
import math
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams, force_gpu_interpret_mode
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu

PARAMS = InterpretGPUParams(detect_races=True, on_race="warn")


@dataclasses.dataclass(frozen=True)
class Workload:
  """A function of arrays, and what it has to return."""

  name: str
  call: Callable[..., Any]
  args: tuple[Any, ...]
  want: Any
  rtol: float = 0.0
  what: str = ""
  ratio: bool = True  # counts for the targets of how much faster


WORKLOADS: list[Callable[[bool], Workload]] = []


def workload(fn):
  WORKLOADS.append(fn)
  return fn


def shape(dims, dtype=jnp.int32):
  return jax.ShapeDtypeStruct(tuple(dims), dtype)


def kernel(body, out, scratch=(), threads=0, **kwargs):
  if threads:
    kwargs |= {"num_threads": threads, "thread_name": "wg"}
  return plgpu.kernel(body, out_type=out, scratch_types=list(scratch), interpret=PARAMS, **kwargs)


def numbers(*dims, dtype=jnp.int32, most=1000):
  return (jnp.arange(math.prod(dims), dtype=jnp.int32).reshape(dims) % most).astype(dtype)


def floats(*dims, dtype=jnp.float16, seed=0):
  return jnp.asarray(np.random.default_rng(seed).uniform(-1, 1, dims), dtype)


def product(a, b):
  return np.asarray(a, np.float32) @ np.asarray(b, np.float32)


@workload
def threads_matmul(small: bool) -> Workload:
  n, rows, cols = (64, 2, 2) if small else (1024, 4, 4)
  h, w = n // rows, n // cols

  def body(a, b, o):
    t = lax.axis_index("wg")
    row, col = pl.ds((t // cols) * h, h), pl.ds((t % cols) * w, w)
    o[row, col] = a[row, :] @ b[:, col]

  a, b = floats(n, n, dtype=jnp.float32), floats(n, n, dtype=jnp.float32, seed=1)
  return Workload("matmul by threads", kernel(body, shape((n, n), jnp.float32), threads=rows * cols), (a, b), product(a, b), 1e-3,
                  f"{n}², float32, {rows * cols} threads, each a tile, from global memory")


@workload
def grid_matmul(small: bool) -> Workload:
  n, tile = (128, 64) if small else (512, 128)
  steps = n // tile

  def body(a, b, o, a_smem, b_smem, full, done):
    i, j, t = lax.axis_index("i"), lax.axis_index("j"), lax.axis_index("wg")

    @pl.when(t == 0)
    def _():
      def load(k, _):
        slot = k % 2

        @pl.when(k >= 2)
        def _():
          plgpu.barrier_wait(done.at[slot])

        plgpu.copy_gmem_to_smem(a.at[pl.ds(i * tile, tile), pl.ds(k * tile, tile)], a_smem.at[slot], full.at[slot])
        plgpu.copy_gmem_to_smem(b.at[pl.ds(k * tile, tile), pl.ds(j * tile, tile)], b_smem.at[slot], full.at[slot])
        return 0

      lax.fori_loop(0, steps, load, 0)
      plgpu.barrier_wait(done.at[0])
      plgpu.barrier_wait(done.at[1])

    @pl.when(t == 1)
    def _():
      def multiply(k, acc):
        slot = k % 2
        plgpu.barrier_wait(full.at[slot])
        acc = acc + a_smem[slot] @ b_smem[slot]
        plgpu.commit_smem()
        plgpu.barrier_arrive(done.at[slot])
        return acc

      acc = lax.fori_loop(0, steps, multiply, jnp.zeros((tile, tile), jnp.float32))
      o[pl.ds(i * tile, tile), pl.ds(j * tile, tile)] = acc

  a, b = floats(n, n, dtype=jnp.float32), floats(n, n, dtype=jnp.float32, seed=1)
  smem = plgpu.SMEM((2, tile, tile), jnp.float32)
  call = kernel(body, shape((n, n), jnp.float32), [smem, smem, plgpu.Barrier(num_arrivals=2, num_barriers=2), plgpu.Barrier(num_arrivals=1, num_barriers=2)],
                threads=2, grid=(steps, steps), grid_names=("i", "j"))
  return Workload("tiled matmul, double-buffered", call, (a, b), product(a, b), 1e-3, f"{n}², float32, tiles of {tile}², a thread copies and one computes")


@workload
def hopper_matmul(small: bool) -> Workload:
  n = 128 if small else 512
  tuning = hopper_matmul_mgpu.TuningConfig(
      tile_m=64 if small else 128, tile_n=64 if small else 128, tile_k=64, max_concurrent_steps=2, epi_tile_m=64, epi_tile_n=64,
      wg_dimension=hopper_matmul_mgpu.MatmulDimension.M if not small else hopper_matmul_mgpu.MatmulDimension.N,
  )
  device = jax.sharding.AbstractDevice(device_kind="NVIDIA H100 80GB HBM3", platform="gpu", num_cores=8)
  a, b = floats(n, n), floats(n, n, seed=1)

  def call(a, b):
    mesh = jax.sharding.AbstractMesh((), (), abstract_device=device)
    with jax.sharding.use_abstract_mesh(mesh), force_gpu_interpret_mode(PARAMS):
      return hopper_matmul_mgpu.matmul(a, b, None, tuning)

  return Workload("JAX's Hopper matmul", call, (a, b), product(a, b), 1e-2, f"{n}², float16, wgmma, warp-specialised, as JAX ships it")


@workload
def blackwell_matmul(small: bool) -> Workload:
  n, tile, block_k = (128, 128, 64) if small else (512, 128, 64)
  steps, slots = n // block_k, 2

  def body(a, b, o, a_smem, b_smem, acc, out_smem, full, free, finished):
    i, j = lax.axis_index("i"), lax.axis_index("j")

    def copy(k):
      slot = k % slots
      plgpu.copy_gmem_to_smem(a.at[pl.ds(i * tile, tile), pl.ds(k * block_k, block_k)], a_smem.at[slot], full.at[slot])
      plgpu.copy_gmem_to_smem(b.at[pl.ds(k * block_k, block_k), pl.ds(j * tile, tile)], b_smem.at[slot], full.at[slot])

    for k in range(min(slots, steps)):
      copy(jnp.int32(k))

    def step(k, _):
      slot = k % slots
      plgpu.barrier_wait(full.at[slot])
      plgpu.tcgen05_mma(acc, a_smem.at[slot], b_smem.at[slot], free.at[slot], accumulate=k > 0)
      plgpu.barrier_wait(free.at[slot])

      @pl.when(k + slots < steps)
      def _():
        copy(k + slots)

      return 0

    lax.fori_loop(0, steps, step, 0)
    plgpu.tcgen05_commit_arrive(finished)
    plgpu.barrier_wait(finished)
    out_smem[...] = plgpu.async_load_tmem(acc).astype(jnp.float16)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(out_smem, o.at[pl.ds(i * tile, tile), pl.ds(j * tile, tile)])
    plgpu.wait_smem_to_gmem(0)

  transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  scratch = [
      plgpu.SMEM((slots, tile, block_k), jnp.float16, transforms=transforms),
      plgpu.SMEM((slots, block_k, tile), jnp.float16, transforms=transforms),
      plgpu.TMEM((tile, tile), jnp.float32),
      plgpu.SMEM((tile, tile), jnp.float16, transforms=transforms),
      plgpu.Barrier(num_arrivals=2, num_barriers=slots),
      plgpu.Barrier(num_arrivals=1, num_barriers=slots, orders_tensor_core=True),
      plgpu.Barrier(num_arrivals=1, orders_tensor_core=True),
  ]
  a, b = floats(n, n), floats(n, n, seed=1)
  call = kernel(body, shape((n, n), jnp.float16), scratch, grid=(n // tile, n // tile), grid_names=("i", "j"))
  return Workload("Blackwell matmul", call, (a, b), product(a, b), 1e-2, f"{n}², float16, tcgen05 and TMEM, {slots} slots")


@workload
def barrier_ring(small: bool) -> Workload:
  rounds = 20 if small else 1000

  def body(x, o, smem, full, empty):
    t = lax.axis_index("wg")

    @pl.when(t == 0)
    def _():
      def produce(k, _):
        @pl.when(k > 0)
        def _():
          plgpu.barrier_wait(empty)

        smem[0] = x[0] + k
        plgpu.barrier_arrive(full)
        return 0

      lax.fori_loop(0, rounds, produce, 0)
      plgpu.barrier_wait(empty)

    @pl.when(t == 1)
    def _():
      def consume(k, total):
        plgpu.barrier_wait(full)
        total = total + smem[0]
        plgpu.barrier_arrive(empty)
        return total

      o[0] = lax.fori_loop(0, rounds, consume, jnp.int32(0))

  call = kernel(body, shape((1,)), [plgpu.SMEM((1,), jnp.int32), plgpu.Barrier(num_arrivals=1), plgpu.Barrier(num_arrivals=1)], threads=2)
  return Workload("barrier ring", call, (jnp.array([3], jnp.int32),), [3 * rounds + rounds * (rounds - 1) // 2], 0,
                  f"{rounds} rounds between two threads, two barriers")


@workload
def one_buffer(small: bool) -> Workload:
  accesses = 40 if small else 4000

  def body(x, o, smem):
    smem[...] = x[...]

    def step(k, _):
      smem[k % 8] = smem[(k + 1) % 8] + 1
      return 0

    lax.fori_loop(0, accesses // 2, step, 0)
    o[...] = smem[...]

  x = numbers(8)
  want = np.asarray(x).copy()
  for k in range(accesses // 2):
    want[k % 8] = want[(k + 1) % 8] + 1
  return Workload("accesses to one buffer", kernel(body, shape((8,)), [plgpu.SMEM((8,), jnp.int32)]), (x,), want, 0, f"{accesses} loads and stores by one thread")


@workload
def grid_points(small: bool) -> Workload:
  points = 16 if small else 1024

  def body(x, o, smem, bar):
    i = lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x.at[i], smem, bar)
    plgpu.barrier_wait(bar)
    smem[...] = smem[...] * 2
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, o.at[i])
    plgpu.wait_smem_to_gmem(0)

  x = numbers(points, 128)
  call = kernel(body, shape((points, 128)), [plgpu.SMEM((128,), jnp.int32), plgpu.Barrier(num_arrivals=1)], grid=(points,), grid_names=("i",))
  return Workload("grid", call, (x,), 2 * np.asarray(x), 0, f"{points} points, each copies 128 elements in, doubles them, and copies them out")


@workload
def sixteen_threads(small: bool) -> Workload:
  rounds = 2 if small else 16

  def body(x, o, smem, bar):
    t = lax.axis_index("wg")
    smem[t] = x[t]
    plgpu.barrier_arrive(bar)
    plgpu.barrier_wait(bar)
    for _ in range(rounds):
      v = smem[(t + 1) % 16] + 1
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
      smem[t] = v
      plgpu.barrier_arrive(bar)
      plgpu.barrier_wait(bar)
    o[t] = smem[t]

  x = numbers(16)
  want = np.roll(np.asarray(x), -rounds) + rounds
  call = kernel(body, shape((16,)), [plgpu.SMEM((16,), jnp.int32), plgpu.Barrier(num_arrivals=16)], threads=16)
  return Workload("16 threads", call, (x,), want, 0, f"{2 * rounds + 1} barriers of all threads")


@workload
def small_kernel(small: bool) -> Workload:
  def body(x, o, smem, bar):
    plgpu.copy_gmem_to_smem(x, smem, bar)
    plgpu.barrier_wait(bar)
    o[...] = smem[...] + 1

  x = numbers(4, 8)
  call = kernel(body, shape((4, 8)), [plgpu.SMEM((4, 8), jnp.int32), plgpu.Barrier(num_arrivals=1)])
  return Workload("small kernel", call, (x,), np.asarray(x) + 1, 0, "one copy, one barrier, one addition", ratio=False)


@functools.cache
def all_workloads(small: bool) -> list[Workload]:
  return [make(small) for make in WORKLOADS]
