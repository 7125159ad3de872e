import numpy as np


def cases():
    rng = np.random.default_rng(8)
    k = rng.integers(-999, 999, 512, np.int32)
    out = np.zeros(512, np.int32)
    one = dict(grid=(1,), block=(128,))
    yield dict(kernel="block_reduce", **one, args=[k, np.zeros(1, np.int32)], expect={1: k[:128].sum(keepdims=True)})
    yield dict(kernel="block_scan", **one, args=[k, out], expect={1: k.cumsum()})
    yield dict(kernel="radix_sort", **one, args=[k, out], expect={1: np.sort(k)})
    yield dict(kernel="merge_sort", **one, args=[k, out], expect={1: np.sort(k)})
    yield dict(kernel="block_load", **one, args=[k, out], expect={1: -k})
    x = rng.standard_normal(128).astype(np.float32)
    yield dict(kernel="warp_reduce", **one, args=[x, np.zeros(4, np.float32)], expect={1: x.reshape(4, 32).sum(1)}, atol=1e-5)
    w = k[:128].reshape(4, 32)
    yield dict(kernel="warp_scan", **one, args=[k[:128].copy(), np.zeros(128, np.int32)], expect={1: (w.cumsum(1) - w).reshape(-1)})
