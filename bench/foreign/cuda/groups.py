import numpy as np


def cases():
    rng = np.random.default_rng(4)
    k = rng.integers(-99, 99, 128, np.int32)
    zero = np.zeros(128, np.int32)
    one = dict(grid=(1,), block=(128,))
    yield dict(kernel="tile_reduce", **one, args=[k, np.zeros(8, np.int32)], expect={1: k.reshape(8, 16).sum(1)})
    yield dict(kernel="tile_scan", **one, args=[k, zero], expect={1: k.reshape(4, 32).cumsum(1).reshape(-1)})
    yield dict(kernel="coalesced", **one, args=[k, np.zeros(1, np.int32)], expect={1: (k & 1).sum(keepdims=True)})
    w = (k & 3).reshape(4, 32)
    yield dict(kernel="labeled", **one, args=[k, zero], expect={1: np.array([(r == v).sum() for r in w for v in r])})
    p = k.reshape(4, 32)
    yield dict(kernel="binary", **one, args=[k, zero], expect={1: np.array([r[(r & 1) == (v & 1)].max() for r in p for v in r])})
    yield dict(kernel="grid_barrier", grid=(2,), block=(128,), args=[np.zeros(256, np.int32)], expect={0: np.arange(255, -1, -1)})
    yield dict(kernel="copy_async", **one, args=[k, zero], expect={1: k[::-1]})
