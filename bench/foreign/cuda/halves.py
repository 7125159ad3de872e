import numpy as np


def cases():
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(128).astype(np.float16) for _ in range(2))
    one = dict(grid=(1,), block=(128,))
    yield dict(kernel="half_ops", **one, args=[a, b, np.zeros_like(a)], expect={2: a * b + (a - b)})
    wide = a.astype(np.float64)
    want = np.exp(wide) + np.sqrt(np.abs(wide)) + np.sin(wide) + np.log(np.abs(wide) + 1) + 1 / (wide + 9) + np.tanh(wide)
    yield dict(kernel="half_functions", **one, args=[a, np.zeros_like(a)], expect={1: want}, rtol=8e-3, atol=8e-3)
    yield dict(kernel="shuffle", grid=(1,), block=(64,), args=[a, np.zeros_like(a)], expect={1: a.reshape(64, 2)[np.arange(64) ^ 3].reshape(-1)})
