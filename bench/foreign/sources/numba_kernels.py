"""Kernels written for Numba, compiled by numba-cuda (NVVM and its math library come with the package), for
sm_80. NumPy computes what has to come out."""

import math
import sys
import warnings

import numpy as np
from numba import cuda, float32, float64, int32, int64, types, uint32
from numba.cuda.types import float16

import common

warnings.simplefilter("ignore")
rng = np.random.default_rng(2)
SCALARS = {"i32": int32, "i64": int64, "f32": float32, "f64": float64, "u32": uint32}
ARRAYS = {"int32": int32, "int64": int64, "float32": float32, "float64": float64, "uint32": uint32, "float16": float16,
          "uint8": types.uint8, "complex64": types.complex64, "bool": types.boolean}


def array_args(a):
    """What Numba passes for an array: meminfo, parent, count, item size, data, shape, strides."""
    return ([("u64", 0), ("u64", 0), ("i64", a.size), ("i64", a.itemsize), a]
            + [("i64", s) for s in a.shape] + [("i64", s) for s in a.strides])


def case(name, fn, args, grid, block, expect=(), shared=0, atol=0.0, rtol=0.0, **options):
    """Compiles fn for the types of args; expect maps the place of an argument to its contents afterwards."""
    signature = tuple(SCALARS[a[0]] if isinstance(a, tuple) else ARRAYS[str(a.dtype)][(slice(None),) * (a.ndim - 1) + (slice(None, None, 1),)] for a in args)
    try:
        ptx, _ = cuda.compile_ptx(fn, signature, cc=(8, 0), **options)
    except Exception as e:
        print("numba:", name, type(e).__name__, str(e)[-300:], file=sys.stderr)
        return
    path = common.save_ptx("numba", name, ptx)
    flat, places = [], {}
    for i, a in enumerate(args):
        if isinstance(a, tuple):
            flat.append(a)
            continue
        places[i] = len(flat) + 4
        flat += array_args(a)
    kernel = common.entries(ptx)[0]
    common.save_launch(path, kernel, grid, block, flat, {places[i]: w for i, w in dict(expect).items()}, shared, atol, rtol)


def unary(f):
    def kernel(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = f(x[i])
    return kernel


def main():
    n = 500
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    d = rng.standard_normal(n)
    k = rng.integers(-100, 100, n, dtype=np.int32)
    pos = np.abs(x) + np.float32(0.1)
    zero = lambda a: np.zeros_like(a)

    def vadd(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] + b[i]

    for name, a in {"f32": x, "f64": d, "i32": k, "i64": k.astype(np.int64)}.items():
        case("vadd_" + name, vadd, [a, a, zero(a)], (4,), (128,), {2: a + a})

    for name, f, a, want in [
        ("exp", math.exp, x, np.exp(x)), ("log", math.log, pos, np.log(pos)), ("sin", math.sin, x, np.sin(x)), ("cos", math.cos, x, np.cos(x)),
        ("tan", math.tan, x, np.tan(x)), ("sqrt", math.sqrt, pos, np.sqrt(pos)), ("tanh", math.tanh, x, np.tanh(x)), ("sinh", math.sinh, x, np.sinh(x)),
        ("cosh", math.cosh, x, np.cosh(x)), ("atan", math.atan, x, np.arctan(x)), ("asinh", math.asinh, x, np.arcsinh(x)), ("expm1", math.expm1, x, np.expm1(x)),
        ("log1p", math.log1p, pos, np.log1p(pos)), ("log2", math.log2, pos, np.log2(pos)), ("log10", math.log10, pos, np.log10(pos)),
        ("floor", math.floor, x, np.floor(x)), ("ceil", math.ceil, x, np.ceil(x)), ("fabs", math.fabs, x, np.abs(x)),
        ("erf", math.erf, x, np.array([math.erf(v) for v in x])), ("erfc", math.erfc, x, np.array([math.erfc(v) for v in x])),
        ("gamma", math.gamma, pos, np.array([math.gamma(v) for v in pos])), ("lgamma", math.lgamma, pos, np.array([math.lgamma(v) for v in pos])),
    ]:
        case("f32_" + name, unary(f), [a, zero(x)], (4,), (128,), {1: want}, atol=2e-6, rtol=5e-6)
        if name in ("exp", "log", "sin", "cos", "tanh", "erf", "gamma", "atan", "log1p", "lgamma", "expm1"):
            wide = a.astype(np.float64)
            g = {"erf": math.erf, "gamma": math.gamma, "lgamma": math.lgamma}.get(name)
            exact = np.array([g(v) for v in wide]) if g else {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "atan": np.arctan, "log1p": np.log1p, "expm1": np.expm1}[name](wide)
            case("f64_" + name, unary(f), [wide, zero(d)], (4,), (128,), {1: exact}, atol=1e-13, rtol=1e-13)
        if name in ("exp", "log", "sin", "cos", "sqrt", "tanh"):
            case("fast_" + name, unary(f), [a, zero(x)], (4,), (128,), {1: want}, atol=1e-5, rtol=1e-5, fastmath=True)

    def power(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] ** b[i]

    case("power_f32", power, [pos, x, zero(x)], (4,), (128,), {2: pos ** x}, rtol=1e-5)
    case("power_f64", power, [pos.astype(np.float64), d, zero(d)], (4,), (128,), {2: pos.astype(np.float64) ** d}, rtol=1e-12)

    def int_mix(a, out):
        i = cuda.grid(1)
        if i < out.size:
            v = a[i]
            out[i] = (v // 7) * 1000 + (v % 7) + (v << 2) - (v >> 1) + cuda.popc(v) + cuda.clz(v)

    u = k & 0xFFFF
    bits = np.array([bin(int(v)).count("1") + 32 - int(v).bit_length() for v in u], np.int32)
    case("int_mix", int_mix, [u, zero(u)], (4,), (128,), {1: (u // 7) * 1000 + u % 7 + (u << 2) - (u >> 1) + bits})

    def block_sum(a, out):
        s = cuda.shared.array(128, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t] = a[i] if i < a.size else 0
        cuda.syncthreads()
        step = 64
        while step > 0:
            if t < step:
                s[t] += s[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

    case("block_sum", block_sum, [x, np.zeros(4, np.float32)], (4,), (128,), {1: np.pad(x, (0, 12)).reshape(4, 128).sum(1)}, atol=1e-4)

    def warp_sum(a, out):
        i = cuda.grid(1)
        v = a[i]
        for o in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, o)
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, v)

    case("warp_sum", warp_sum, [k[:384].copy(), np.zeros(1, np.int32)], (3,), (128,), {1: k[:384].sum(keepdims=True)})

    def matmul(a, b, c):
        sa = cuda.shared.array((16, 16), float32)
        sb = cuda.shared.array((16, 16), float32)
        r, q = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        acc = float32(0)
        for t in range(a.shape[1] // 16):
            sa[tx, ty] = a[r, ty + t * 16]
            sb[tx, ty] = b[tx + t * 16, q]
            cuda.syncthreads()
            for j in range(16):
                acc += sa[tx, j] * sb[j, ty]
            cuda.syncthreads()
        c[r, q] = acc

    A, B = (rng.standard_normal((32, 32)).astype(np.float32) for _ in range(2))
    case("matmul", matmul, [A, B, np.zeros((32, 32), np.float32)], (2, 2), (16, 16), {2: A @ B}, atol=1e-4)

    def matmul_early(a, b, c):  # the form of Numba's own documentation: threads out of range leave before barriers
        r, q = cuda.grid(2)
        if r < c.shape[0] and q < c.shape[1]:
            t = float32(0)
            for j in range(a.shape[1]):
                t += a[r, j] * b[j, q]
            c[r, q] = t

    case("matmul_plain", matmul_early, [A, B, np.zeros((32, 32), np.float32)], (3, 3), (16, 16), {2: A @ B}, atol=1e-4)

    def histogram(a, bins):
        i = cuda.grid(1)
        if i < a.size:
            cuda.atomic.add(bins, a[i] & 15, 1)

    case("histogram", histogram, [k, np.zeros(16, np.int32)], (4,), (128,), {1: np.bincount(k & 15, minlength=16)})

    def minmax(a, out):
        i = cuda.grid(1)
        if i < a.size:
            cuda.atomic.max(out, 0, a[i])
            cuda.atomic.min(out, 1, a[i])

    case("atomic_minmax_f32", minmax, [x, np.zeros(2, np.float32)], (4,), (128,), {1: np.array([max(x.max(), 0), min(x.min(), 0)])})
    case("atomic_minmax_f64", minmax, [d, np.zeros(2)], (4,), (128,), {1: np.array([max(d.max(), 0), min(d.min(), 0)])})
    case("atomic_minmax_i32", minmax, [k, np.zeros(2, np.int32)], (4,), (128,), {1: np.array([max(k.max(), 0), min(k.min(), 0)])})

    def atomic_f64(a, out):
        i = cuda.grid(1)
        if i < a.size:
            cuda.atomic.add(out, 0, a[i])

    case("atomic_add_f64", atomic_f64, [d, np.zeros(1)], (4,), (128,), {1: d.sum(keepdims=True)}, atol=1e-10)

    def lock(mutex, out):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
                pass
            cuda.threadfence()
            out[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(mutex, 0, 0)

    case("lock", lock, [np.zeros(1, np.int32), np.zeros(1, np.int32)], (8,), (32,), {1: np.array([8])})

    def stencil(a, out):
        i = cuda.grid(1)
        if 0 < i < a.size - 1:
            out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3

    want = zero(d)
    want[1:-1] = (d[:-2] + d[1:-1] + d[2:]) / 3
    case("stencil", stencil, [d, zero(d)], (4,), (128,), {1: want}, rtol=1e-12, atol=1e-14)

    def mandel(out):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            c = complex(-2 + 3 * i / out.shape[0], -1.5 + 3 * j / out.shape[1])
            z = 0j
            t = 0
            while t < 30 and z.real * z.real + z.imag * z.imag < 4:
                z = z * z + c
                t += 1
            out[i, j] = t

    case("mandelbrot", mandel, [np.zeros((32, 32), np.int32)], (2, 2), (16, 16))

    def local_array(a, out):
        i = cuda.grid(1)
        t = cuda.local.array(8, int32)
        for j in range(8):
            t[j] = a[(i + j) % a.size]
        for p in range(8):
            for q in range(7 - p):
                if t[q] > t[q + 1]:
                    t[q], t[q + 1] = t[q + 1], t[q]
        if i < out.size:
            out[i] = t[3]

    case("local_array", local_array, [k, zero(k)], (4,), (128,), {1: np.array([np.sort(np.take(k, range(i, i + 8), mode="wrap"))[3] for i in range(n)])})

    def votes(a, out):
        i = cuda.grid(1)
        p = a[i] > 0
        out[i] = cuda.ballot_sync(0xFFFFFFFF, p) + cuda.any_sync(0xFFFFFFFF, p) + cuda.all_sync(0xFFFFFFFF, p)

    case("votes", votes, [k[:384].copy(), np.zeros(384, np.uint32)], (3,), (128,))

    def match(a, out):
        i = cuda.grid(1)
        out[i] = cuda.match_any_sync(0xFFFFFFFF, a[i] & 3)

    case("match", match, [k[:384].copy(), np.zeros(384, np.int32)], (3,), (128,))

    def counts(a, out):
        t = cuda.threadIdx.x
        out[t] = cuda.syncthreads_count(int32(a[t] > 0)) + cuda.syncthreads_and(int32(a[t] > -101)) * 1000

    case("barrier_count", counts, [k[:128].copy(), np.zeros(128, np.int32)], (1,), (128,), {1: np.full(128, (k[:128] > 0).sum() + 1000)})

    def dynamic(a, out):
        s = cuda.shared.array(0, float32)
        t = cuda.threadIdx.x
        s[t] = a[t]
        cuda.syncthreads()
        out[t] = s[127 - t]

    case("dynamic_shared", dynamic, [x[:128].copy(), np.zeros(128, np.float32)], (1,), (128,), {1: x[127::-1]}, shared=512)

    def scan(a, out):
        s = cuda.shared.array(128, int32)
        t = cuda.threadIdx.x
        s[t] = a[t]
        cuda.syncthreads()
        o = 1
        while o < 128:
            v = s[t - o] if t >= o else 0
            cuda.syncthreads()
            s[t] += v
            cuda.syncthreads()
            o *= 2
        out[t] = s[t]

    case("scan", scan, [k[:128].copy(), np.zeros(128, np.int32)], (1,), (128,), {1: k[:128].cumsum()})

    def scan_racy(a, out):
        s = cuda.shared.array(128, int32)
        t = cuda.threadIdx.x
        s[t] = a[t]
        cuda.syncthreads()
        o = 1
        while o < 128:
            if t >= o:
                s[t] += s[t - o]
            cuda.syncthreads()
            o *= 2
        out[t] = s[t]

    case("scan_racy", scan_racy, [k[:128].copy(), np.zeros(128, np.int32)], (1,), (128,))

    coefficients = np.arange(5, dtype=np.float32)

    def constant(out):
        c = cuda.const.array_like(coefficients)
        i = cuda.grid(1)
        out[i] = c[i % 5]

    case("constant", constant, [np.zeros(128, np.float32)], (1,), (128,), {0: np.arange(128) % 5})

    def raises(a, out):
        i = cuda.grid(1)
        if i < out.size:
            if a[i] > 1000:
                raise ValueError
            out[i] = 10 // (a[i] + 1000)

    case("raises", raises, [k, zero(k)], (4,), (128,), {1: 10 // (k + 1000)}, debug=True, opt=False)

    def prints(a):
        if cuda.grid(1) < 3:
            print("value", a[cuda.grid(1)])

    case("print", prints, [k], (1,), (32,))

    def fma(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = cuda.fma(a[i], b[i], a[i])

    case("fma", fma, [d, d, zero(d)], (4,), (128,), {2: d * d + d}, rtol=1e-14, atol=1e-15)

    def select_bits(a, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = cuda.brev(a[i]) ^ cuda.ffs(a[i])

    case("brev_ffs", select_bits, [k.view(np.uint32), np.zeros(n, np.uint32)], (4,), (128,))

    def cbrt(a, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = cuda.cbrt(a[i])

    case("cbrt", cbrt, [d, zero(d)], (4,), (128,), {1: np.cbrt(d)}, rtol=1e-13, atol=1e-14)

    def strided(a, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[j, i] = a[i, j]

    case("transpose", strided, [A, np.zeros((32, 32), np.float32)], (2, 2), (16, 16), {1: A.T})


main()
