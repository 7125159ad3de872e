"""What the files of kernels are made with: a Case says what gpusim and JAX's interpreter make of a kernel."""

import dataclasses
import math
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

PARAMS = InterpretGPUParams(detect_races=True, on_race="warn")


@dataclasses.dataclass(frozen=True)
class Case:
  """A kernel, as a function without arguments, and what is known about it.

  `jax` is the verdict of JAX's own interpreter, where it is not that of gpusim: "silent", "race",
  "wrong" (silent, with wrong values), "error: ..." (a part of the text), "hangs" (it does not come back),
  "differs" (its verdict depends on timing).
  """

  name: str
  run: Callable[[], Any]
  finds: str = ""  # the kind of finding; without one gpusim finds nothing at all
  about: str = ""  # a part of the text of that finding
  severity: str = "error"
  error: str = ""  # a part of the error's text; then there is no value
  expect: Any = None  # the value, or a function that gives it; None: JAX's
  tolerance: float = 0.0  # relative, of the value; 0: the same bits
  jax: str = ""
  options: dict[str, Any] = dataclasses.field(default_factory=dict)  # of gpusim_jax.check()

  @property
  def jax_says(self) -> str:
    if self.jax:
      return self.jax
    if self.error:
      return f"error: {self.error}"
    return "race" if self.finds == "data-race" else "silent"


class Cases(list[Case]):
  """The cases of a file, in order."""

  def add(self, name: str = "", **known):
    """Adds the decorated function as a case."""

    def add(fn):
      self.append(Case(name or fn.__name__, fn, **known))
      return fn

    return add

  def pair(self, right: dict[str, Any] | None = None, **wrong):
    """Adds the decorated function of one flag twice: right, as found by nobody, and wrong."""

    def add(fn):
      self.append(Case(f"{fn.__name__}-right", lambda: fn(True), **right or {}))
      self.append(Case(f"{fn.__name__}-wrong", lambda: fn(False), **wrong))
      return fn

    return add


def array(dtype, *shape):
  return jax.ShapeDtypeStruct(shape, dtype)


def i32(*shape):
  return array(jnp.int32, *shape)


def f32(*shape):
  return array(jnp.float32, *shape)


def kernel(body, out, scratch=(), threads=0, **kwargs):
  if threads:
    kwargs |= {"num_threads": threads, "thread_name": "wg"}
  return plgpu.kernel(body, out_type=out, scratch_types=list(scratch), interpret=PARAMS, **kwargs)


def interpreted(call, *args, **kwargs):
  """Calls a kernel with other parameters of the interpreter; gpusim_jax.check() would override its own ones."""
  with plgpu.force_gpu_interpret_mode(dataclasses.replace(PARAMS, **kwargs)):
    return call(*args)


def numbers(*shape, dtype=jnp.int32):
  """0, 1, 2, ... as an array of NumPy: JAX would compile a program for each operation on its own ones."""
  return np.arange(math.prod(shape), dtype=np.int32).reshape(shape).astype(dtype)


def small(*shape, dtype=jnp.float32, seed=0):
  """Small whole numbers, whose sums and products are exact in every type."""
  return ((numbers(*shape) * 7 + seed) % 5 - 2).astype(dtype)


def smem(*shape, dtype=jnp.int32):
  return plgpu.SMEM(shape, dtype)


def barrier(arrivals=1, count=1, **kwargs):
  return plgpu.Barrier(num_arrivals=arrivals, num_barriers=count, **kwargs)


def when(condition, *rest):
  """pl.when of all conditions."""
  for c in rest:
    condition = jnp.logical_and(condition, c)
  return pl.when(condition)
