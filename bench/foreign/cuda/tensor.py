import numpy as np


def cases():
    rng = np.random.default_rng(7)
    warp = dict(grid=(1,), block=(32,))
    a, b = rng.standard_normal((16, 32)).astype(np.float16), rng.standard_normal((32, 16)).astype(np.float16)
    yield dict(kernel="wmma_half", **warp, args=[a, b, np.zeros((16, 16), np.float32)], expect={2: a.astype(np.float32) @ b.astype(np.float32)}, atol=1e-3)
    p, q = rng.integers(-128, 128, (8, 16), np.int8), rng.integers(-128, 128, (32, 16), np.int8)
    yield dict(kernel="wmma_int8", **warp, args=[p, q, np.zeros((8, 32), np.int32)], expect={2: p.astype(np.int32) @ q.T.astype(np.int32) + 1})
    d, e = rng.standard_normal((8, 4)), rng.standard_normal((8, 4))
    yield dict(kernel="wmma_double", **warp, args=[d, e, np.zeros((8, 8))], expect={2: d @ e.T}, rtol=1e-13, atol=1e-14)
    x, y = rng.standard_normal((16, 8)).astype(np.float32), rng.standard_normal((16, 8)).astype(np.float32)
    yield dict(kernel="wmma_tf32", **warp, args=[x, y, np.zeros((16, 16), np.float32)], expect={2: x @ y.T}, atol=2e-2)
    u, v = rng.integers(0, 2**32, (8, 4), np.uint32), rng.integers(0, 2**32, (8, 4), np.uint32)
    bits = np.array([[sum(bin(int(s & t)).count("1") for s, t in zip(r, c)) for c in v] for r in u])
    yield dict(kernel="wmma_bits", **warp, args=[u, v, np.zeros((8, 8), np.int32)], expect={2: bits})
    half = rng.standard_normal((3, 16, 16)).astype(np.float16)
    want = (half[0].T.astype(np.float32) @ half[1].T.astype(np.float32) + half[2].T).T
    yield dict(kernel="wmma_half_acc", **warp, args=[half[0], half[1], half[2]], expect={2: want}, atol=2e-2, rtol=2e-2)
