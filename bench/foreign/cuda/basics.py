import math

import numpy as np


def cases():
    rng = np.random.default_rng(3)
    n = 500
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    d = rng.standard_normal(n)
    i = ("i32", n)
    f = np.vectorize
    wide = x.astype(np.float64)
    yield dict(kernel="saxpy", grid=(4,), block=(128,), args=[("f32", 2.5), x, y, i], expect={2: np.float32(2.5) * x + y}, rtol=1e-5, atol=1e-6)
    v = rng.standard_normal((256, 4)).astype(np.float32)
    yield dict(kernel="vec4", grid=(2,), block=(128,), args=[v, np.zeros_like(v)], expect={1: v[:, ::-1]})
    yield dict(kernel="reduce", grid=(2,), block=(256,), args=[x, np.zeros(1, np.float32), i], expect={1: x.sum(keepdims=True)}, atol=1e-4)
    m = rng.standard_normal((64, 64)).astype(np.float32)
    yield dict(kernel="transpose", grid=(2, 2), block=(32, 8), args=[m, np.zeros_like(m), ("i32", 64)], expect={1: m.T})
    a = np.abs(wide)
    want = np.sin(wide) + np.cos(wide) * np.exp(-wide ** 2) + np.log(a + 1) + np.sqrt(a) + np.tanh(wide) + np.arctan2(wide, 2) + a ** 1.5 + f(math.erf)(wide) + np.cbrt(wide)
    yield dict(kernel="functions", grid=(4,), block=(128,), args=[x, np.zeros_like(x), i], expect={1: want}, rtol=1e-5, atol=1e-5)
    a = np.abs(d)
    want = np.sin(d) + np.exp(d) + np.log(a + 1) + a ** 0.3 + f(math.gamma)(a + 1) + f(math.erf)(d) + np.fmod(d * 10, 3) + np.rint(d) + np.hypot(d, 1)
    yield dict(kernel="doubles", grid=(4,), block=(128,), args=[d, np.zeros_like(d), i], expect={1: want}, rtol=1e-12, atol=1e-12)
    p, q = rng.integers(-2**62, 2**62, n), rng.integers(1, 2**40, n)
    div = [int(abs(int(s)) // int(t)) * (1 if s >= 0 else -1) for s, t in zip(p, q)]
    want = [dv + (int(s) - dv * int(t)) * 3 + (int(s) * int(t) >> 64) + bin(int(s) & (2**64 - 1)).count("1") + (int(s) >> 3) + (int(s) << 9) for dv, s, t in zip(div, p, q)]
    want = np.array([(w + 2**63) % 2**64 - 2**63 for w in want], np.int64)
    yield dict(kernel="longs", grid=(4,), block=(128,), args=[p, q, np.zeros_like(p), i], expect={2: want})
    b = rng.integers(0, 256, 2000, np.uint8)
    yield dict(kernel="histogram", grid=(4,), block=(128,), args=[b, np.zeros(256, np.uint32), ("i32", 2000)], expect={1: np.bincount(b, minlength=256)})
    k = rng.integers(-99, 99, 2000, np.int32)
    yield dict(kernel="last_block", grid=(8,), block=(32,), args=[k, np.zeros(8, np.int32), np.zeros(1, np.int32), ("i32", 2000)], expect={2: k.sum(keepdims=True)})
    t = np.arange(64)
    yield dict(kernel="virtuals", grid=(1,), block=(64,), args=[np.zeros(64, np.float32)], expect={0: np.where(t % 2, t * t, 3 * t * t)})
    yield dict(kernel="heap", grid=(1,), block=(64,), args=[np.zeros(64, np.int32)], expect={0: 120 + 16 * t})
    fib = [0, 1]
    for _ in range(12):
        fib.append(fib[-1] + fib[-2])
    yield dict(kernel="recursion", grid=(1,), block=(64,), args=[np.zeros(64, np.int32)], expect={0: np.array(fib)[t % 12]})
    r = sum((j + 1) * wide ** j for j in range(8))
    yield dict(kernel="polynomial", grid=(4,), block=(128,), args=[x, np.zeros_like(x), i], expect={1: r}, rtol=1e-4, atol=1e-4)
