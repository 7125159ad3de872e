import numpy as np


def cases():
    rng = np.random.default_rng(5)
    t = np.arange(128)
    one = dict(grid=(1,), block=(128,))
    zero = np.zeros(128, np.int32)
    word = np.zeros(1, np.int32)
    yield dict(kernel="atomic_flag", grid=(2,), block=(32,), args=[word, word, word], expect={2: np.array([42])})
    yield dict(kernel="block_barrier", **one, args=[zero], expect={0: 127 - t + 2})
    yield dict(kernel="split_barrier", **one, args=[zero], expect={0: 127 - t + 2 * t})
    k = rng.integers(-99, 99, (4, 128), np.int32)
    for name in ("pipelined", "block_pipeline"):
        yield dict(kernel=name, **one, args=[k, zero, ("i32", 4)], expect={1: k.sum(0)[::-1]})
    yield dict(kernel="barrier_copy", **one, args=[k, zero], expect={1: k.reshape(-1)[511 - t]})
    yield dict(kernel="atomics", **one, args=[np.zeros(1, np.uint32), np.zeros(1), np.zeros(1, np.uint64), np.zeros(1, np.float32)],
               expect={0: np.array([127]), 1: np.array([128.0]), 2: np.array([0]), 3: np.array([128.0])})
    yield dict(kernel="latched", **one, args=[zero, zero], expect={1: (t + 5) % 128})
    z = (rng.standard_normal((128, 2)) + [2, 0]).astype(np.float32)
    c = z[:, 0].astype(np.float64) + 1j * z[:, 1]
    w = c * c / (c + 1)
    yield dict(kernel="complexes", **one, args=[z, np.zeros_like(z)], expect={1: np.stack([w.real, w.imag], 1)}, rtol=1e-4, atol=1e-4)
    yield dict(kernel="semaphore", **one, args=[word], expect={0: np.array([4])})
