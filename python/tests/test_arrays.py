"""Operations on arrays inside of kernels: the values of JAX itself, bit by bit where the operation is exact."""

import functools

import gpusim_jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import kernel
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

_RANDOM = np.random.default_rng(7)
F = _RANDOM.normal(size=(4, 6)).astype(np.float32) * 3
G = np.abs(_RANDOM.normal(size=(4, 6)).astype(np.float32)) + 0.1
I = _RANDOM.integers(-50, 50, size=(4, 6)).astype(np.int32)
J = _RANDOM.integers(1, 9, size=(4, 6)).astype(np.int32)
U = _RANDOM.integers(0, 2**32, size=(4, 6), dtype=np.uint32)
V = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.5, 0.5], np.float32)

EXACT = {
    "add": lambda: (F + G, I + J, U + U),
    "sub": lambda: (F - G, I - J, U - U[::-1]),
    "mul": lambda: (F * G, I * J, U * U),
    "div": lambda: (F / G, I // J, lax.div(I, J), U // 7),
    "rem": lambda: (lax.rem(I, J), I % J, lax.rem(F, G)),
    "neg_abs_sign": lambda: (-F, abs(F), jnp.sign(F), -I, abs(I), jnp.sign(I), jnp.sign(V)),
    "min_max": lambda: (jnp.minimum(F, G), jnp.maximum(I, J), jnp.maximum(V, 1.0), jnp.minimum(V, 1.0)),
    "compare": lambda: (F < G, I <= J, U > 5, U >= U[::-1], I == J, F != G, V == V),
    "logic": lambda: (I & J, I | J, I ^ J, ~I, (I > 0) & (J > 3), (I > 0) ^ (J > 3), ~(I > 0)),
    "shift": lambda: (I << 3, I >> 2, lax.shift_right_logical(U, jnp.uint32(5)), lax.shift_left(J, I % 8)),
    "clz_popcount": lambda: (lax.clz(U), lax.population_count(U)),
    "select": lambda: (jnp.where(I > 0, F, G), jnp.where(I > J, I, J), lax.select_n(abs(I) % 3, F, G, F * 2)),
    "clamp": lambda: (jnp.clip(F, -1.0, 1.0), lax.clamp(-5, I, 5)),
    "round": lambda: (jnp.floor(F), jnp.ceil(F), jnp.round(F), lax.round(F, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.trunc(F)),
    "sqrt": lambda: (jnp.sqrt(G),),
    "is_finite": lambda: (jnp.isfinite(V), jnp.isnan(V), jnp.isinf(V)),
    "convert": lambda: (F.astype(jnp.int32), I.astype(jnp.float32), F.astype(jnp.bfloat16), F.astype(jnp.float16), I.astype(jnp.int8),
                        U.astype(jnp.uint8), (I > 0).astype(jnp.int32), F.astype(jnp.bool_), I.astype(jnp.uint16)),
    "bitcast": lambda: (lax.bitcast_convert_type(F, jnp.int32), lax.bitcast_convert_type(I, jnp.float32)),
    "iota": lambda: (lax.broadcasted_iota(jnp.int32, (3, 4), 1), lax.iota(jnp.float32, 5), jnp.arange(6)),
    "broadcast": lambda: (jnp.broadcast_to(F[0], (3, 6)), F[:, :1] + F[:1], jnp.full((2, 3), 7)),
    "reshape": lambda: (F.reshape(6, 4), F.reshape(24), F[None], jnp.squeeze(F[:, :1], 1), F.T, jnp.transpose(F.reshape(2, 2, 6), (2, 0, 1))),
    "slice": lambda: (F[1:3, ::2], F[::-1], F[:, -1], lax.dynamic_slice(F, (I[0, 0] * 0 + 1, 2), (2, 3))),
    "update": lambda: (lax.dynamic_update_slice(F, G[:2, :2], (1, I[0, 0] * 0 + 3)), F.at[1, 2].set(5.0), F.at[1:3].add(1.0)),
    "concatenate": lambda: (jnp.concatenate([F, G]), jnp.concatenate([I, J], axis=1), jnp.stack([F[0], G[0]])),
    "pad": lambda: (jnp.pad(F, ((1, 0), (0, 2))), lax.pad(I, 9, ((0, 1, 1), (2, -1, 0)))),
    "rev": lambda: (jnp.flip(F, 1), lax.rev(I, (0, 1))),
    "reduce": lambda: (I.sum(), I.sum(0), I.max(1), I.min(), J.prod(1), jnp.max(F, 0), jnp.min(F), (I > 0).any(1), (I > -99).all()),
    "bitwise_reduce": lambda: (lax.reduce_or(U, (0,)), lax.reduce_and(U, (1,)), lax.reduce_xor(U, (0, 1))),
    "argmax": lambda: (jnp.argmax(F, 1), jnp.argmin(I, 0), jnp.argmax(V)),
    "sort": lambda: (jnp.sort(F, 1), jnp.sort(I, 0), jnp.argsort(F, 1), *lax.sort((I % 3, F), dimension=1, num_keys=1)),
    "cumulative": lambda: (jnp.cumsum(I, 1), lax.cumprod(J[:, :4], 1), lax.cummax(F, 0), lax.cummin(I, 1, reverse=True)),
    "gather": lambda: (F[J[0] % 4], jnp.take_along_axis(F, J[:, :3] % 6, 1), F[J[0] % 4, J[1] % 6], jnp.take(I, J[0], axis=1, mode="clip")),
    "scatter": lambda: (I.at[J[0, :3] % 2].add(J[:3]), I.at[(J[0, :1] + jnp.arange(2)) % 4].set(J[:2]), I.at[J[0, :3]].max(J[:3], mode="drop")),
    "stack": lambda: (jnp.stack([F, G], 1), jnp.unstack(I, axis=1), jnp.tile(I, (2, 1)), lax.tile(F, (1, 3)), jnp.repeat(I, 2, axis=1)),
    "top_k": lambda: (lax.top_k(F, 3), lax.top_k(I[0], 2)),
    "high_product": lambda: (lax.mulhi(U, U[::-1]), lax.mulhi(I, J)),
    "dot_of_integers": lambda: (lax.dot_general(I, J, (((1,), (1,)), ((), ()))), lax.dot_general(I.reshape(2, 2, 6), J.reshape(2, 6, 2), (((2,), (1,)), ((0,), (0,))))),
    "integer_pow": lambda: (I**2, I**3, F**2),
    "nextafter": lambda: (jnp.nextafter(F, G),),
    "copysign": lambda: (jnp.copysign(F, G - 1),),
    "reduce_precision": lambda: (lax.reduce_precision(F, 5, 7),),
    "remainders": lambda: (jnp.divmod(I, J), jnp.mod(F, G)),
    "where_nan": lambda: (jnp.nan_to_num(V),),
    "one_hot": lambda: (jax.nn.one_hot(J[0] % 4, 4),),
    "int4": lambda: (I.astype(jnp.int4).astype(jnp.int32), (I % 4).astype(jnp.uint2).astype(jnp.int32), (I.astype(jnp.int4) + J.astype(jnp.int4)).astype(jnp.int32)),
    "small_floats": lambda: tuple(F.astype(d).astype(jnp.float32) for d in (
        jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float4_e2m1fn, jnp.bfloat16, jnp.float16)) + (jnp.exp2(jnp.round(F)).astype(jnp.float8_e8m0fnu).astype(jnp.float32),),
    "bfloat16": lambda: (F.astype(jnp.bfloat16) + G.astype(jnp.bfloat16), F.astype(jnp.bfloat16) * G.astype(jnp.bfloat16),
                         jnp.maximum(F.astype(jnp.bfloat16), 1)),
    "float16": lambda: (F.astype(jnp.float16) + G.astype(jnp.float16), F.astype(jnp.float16) / G.astype(jnp.float16)),
    "loops": lambda: (lax.scan(lambda c, v: (c + v.sum(), c), jnp.int32(0), I), lax.scan(lambda c, v: (c * 2 + v[0], c), jnp.int32(0), I, reverse=True),
                      lax.fori_loop(0, 5, lambda i, c: c + i, 3), lax.while_loop(lambda c: c < 50, lambda c: c * 2, 3)),
    "branches": lambda: (lax.cond(I[0, 0] > 0, lambda: 1, lambda: 2), lax.switch(J[0, 0] % 3, [lambda: 1, lambda: 2, lambda: 3]),
                         lax.switch(9, [lambda: 1, lambda: 2])),
}

CLOSE = {  # with the relative tolerance
    "exp": (1e-6, lambda: (jnp.exp(F), jnp.exp2(F), jnp.expm1(F))),
    "log": (1e-6, lambda: (jnp.log(G), jnp.log1p(G), jnp.log2(G))),
    "trigonometric": (2e-6, lambda: (jnp.sin(F), jnp.cos(F), jnp.tan(F * 0.3), jnp.arctan2(F, G))),
    "hyperbolic": (2e-6, lambda: (jnp.tanh(F), jnp.sinh(F), jnp.cosh(F))),
    "logistic": (2e-6, lambda: (jax.nn.sigmoid(F), jax.nn.silu(F), jax.nn.softmax(F, axis=1), jax.nn.relu(F))),
    "erf": (2e-6, lambda: (lax.erf(F), lax.erf_inv(F / 10), jax.nn.gelu(F))),
    "roots": (1e-6, lambda: (lax.rsqrt(G), jnp.cbrt(G))),
    "power": (2e-6, lambda: (G**F, G**-2, F**5, jnp.power(G, 0.5))),
    "sum": (2e-6, lambda: (F.sum(1), jnp.mean(F), jnp.cumsum(F, 1), F.prod(1), lax.cumlogsumexp(F, 1))),
    "dot": (2e-6, lambda: (F @ G.T, jnp.dot(F[0], G[0]), jnp.einsum("ij,kj->ik", F, G))),
    "small_dot": (2e-2, lambda: (F.astype(jnp.bfloat16) @ G.T.astype(jnp.bfloat16), F.astype(jnp.float16) @ G.T.astype(jnp.float16))),
}


def _run(fn):
  """The values of a function in a kernel on gpusim, and those of JAX. Its operands are those of this module."""
  names = ["F", "G", "I", "J", "U", "V"]
  operands = [globals()[n] for n in names]

  def inside(*values):
    old = {n: globals()[n] for n in names}
    globals().update(zip(names, values, strict=True))
    try:
      return jax.tree.map(jnp.asarray, fn())
    finally:
      globals().update(old)

  want = jax.jit(inside)(*operands)

  def body(*refs):
    values = inside(*(r[...] for r in refs[: len(names)]))
    for ref, value in zip(refs[len(names):], jax.tree.leaves(values), strict=True):
      ref[...] = value

  out = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in jax.tree.leaves(want)]
  report = gpusim_jax.check(functools.partial(kernel(body, out), *operands))
  assert not report.findings, str(report)
  return report.result, jax.tree.leaves(want)


def _wide(x):
  """Values of types that NumPy does not know, as float32."""
  x = np.asarray(x)
  return x if x.dtype.kind in "biuf" else x.astype(np.float32)


@pytest.mark.parametrize("name", EXACT)
def test_exact(name):
  got, want = _run(EXACT[name])
  for i, (g, w) in enumerate(zip(got, want, strict=True)):
    assert g.dtype == w.dtype
    np.testing.assert_array_equal(_wide(g), _wide(w), err_msg=f"result {i}", strict=True)


@pytest.mark.parametrize("name", CLOSE)
def test_close(name):
  tolerance, fn = CLOSE[name]
  got, want = _run(fn)
  for i, (g, w) in enumerate(zip(got, want, strict=True)):
    assert g.dtype == w.dtype
    np.testing.assert_allclose(np.asarray(g, np.float64), np.asarray(w, np.float64), rtol=tolerance, atol=tolerance, err_msg=f"result {i}")


def test_every_type_goes_in_and_out():
  """Arrays of every type as operands, in shared memory and as results."""
  types = [jnp.bool_, jnp.int2, jnp.int4, jnp.int8, jnp.int16, jnp.int32, jnp.uint2, jnp.uint4, jnp.uint8, jnp.uint16, jnp.uint32,
           jnp.float16, jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e8m0fnu, jnp.float4_e2m1fn,
           jnp.float8_e4m3b11fnuz, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz, jnp.float8_e3m4, jnp.float8_e4m3]
  values = [(np.arange(8) % 2).astype(t) for t in types]

  def body(*refs):
    n = len(types)
    for x, o, tile in zip(refs[:n], refs[n : 2 * n], refs[2 * n :], strict=True):
      tile[...] = x[...]
      o[...] = tile[...]

  call = kernel(body, [jax.ShapeDtypeStruct((8,), t) for t in types], [plgpu.SMEM((8,), t) for t in types])
  report = gpusim_jax.check(lambda: call(*values))
  assert not report.findings, str(report)
  for got, want in zip(report.result, values, strict=True):
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(np.asarray(got).astype(np.float32), want.astype(np.float32), err_msg=str(want.dtype))


def test_what_a_program_cannot_say_is_refused():
  def body(x, i, o):
    o[...] = x[...].at[i[...]].get(mode="fill", fill_value=np.inf)

  with pytest.raises(NotImplementedError, match=r"a gather that fills with inf .*test_arrays.py:\d+"):
    gpusim_jax.check(lambda: kernel(body, jax.ShapeDtypeStruct((6,), np.float32))(F[0], J[0]))


def test_types_of_64_bits():
  def body(x, i, o, p, q):
    o[...] = x[...] / 3 + jnp.sum(x[...])
    p[...] = i[...] * i[...] // 7
    q[...] = x[...].astype(jnp.int64) << 40

  x, i = np.linspace(-4, 4, 8), np.arange(8, dtype=np.int64) + 2**32
  with jax.enable_x64(True):
    call = kernel(body, [jax.ShapeDtypeStruct((8,), t) for t in (np.float64, np.int64, np.int64)])
    report = gpusim_jax.check(lambda: call(x, i))
  assert not report.findings, str(report)
  for got, want in zip(report.result, (x / 3 + x.sum(), i * i // 7, x.astype(np.int64) << 40), strict=True):
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
