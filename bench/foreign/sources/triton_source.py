"""Triton kernels, written for this collection in the manner of Triton's tutorials."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def axpy(x, out, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, a * tl.load(x + i, mask=m) + tl.load(out + i, mask=m), mask=m)


@triton.jit
def k_exp(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.exp(v), mask=i < n)


@triton.jit
def k_log(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.log(tl.abs(v) + 1.0), mask=i < n)


@triton.jit
def k_sqrt(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.sqrt(tl.abs(v)), mask=i < n)


@triton.jit
def k_sin(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.sin(v), mask=i < n)


@triton.jit
def k_cos(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.cos(v), mask=i < n)


@triton.jit
def k_sigmoid(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.sigmoid(v), mask=i < n)


@triton.jit
def k_relu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.maximum(v, 0.0), mask=i < n)


@triton.jit
def k_abs(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.abs(v), mask=i < n)


@triton.jit
def k_rsqrt(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.rsqrt(tl.abs(v) + 1.0), mask=i < n)


@triton.jit
def k_floor(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.floor(v), mask=i < n)


@triton.jit
def k_ceil(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.ceil(v), mask=i < n)


@triton.jit
def k_silu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * tl.sigmoid(v), mask=i < n)


@triton.jit
def k_tanh(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, libdevice.tanh(v), mask=i < n)


@triton.jit
def k_exp2(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.exp2(v), mask=i < n)


@triton.jit
def k_gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, 0.5 * v * (1.0 + libdevice.tanh(0.7978845608 * (v + 0.044715 * v * v * v))), mask=i < n)


@triton.jit
def k_clamp(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.clamp(v, -0.5, 0.5), mask=i < n)


@triton.jit
def k_log2(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.log2(tl.abs(v) + 1.0), mask=i < n)


@triton.jit
def int_ops(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    p = tl.load(a + i, mask=m)
    q = tl.load(b + i, mask=m, other=1)
    tl.store(out + i, (p // q + p % q) ^ (p << 3) ^ (q >> 1), mask=m)


@triton.jit
def umulhi(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.umulhi(tl.load(a + i, mask=m), tl.load(b + i, mask=m)), mask=m)


@triton.jit
def cast(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def row_sum(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(v, axis=0))


@triton.jit
def row_max(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + tl.program_id(0), tl.max(v, axis=0))


@triton.jit
def row_argmax(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + tl.program_id(0), tl.argmax(v, axis=0))


@triton.jit
def row_xor(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    tl.store(out + tl.program_id(0), tl.xor_sum(v, axis=0))


@triton.jit
def cumsum(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    tl.store(out + tl.program_id(0) * n + i, tl.cumsum(v, 0), mask=i < n)


@triton.jit
def cumprod(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=1.0)
    tl.store(out + tl.program_id(0) * n + i, tl.cumprod(v, 0), mask=i < n)


@triton.jit
def sort(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def transpose(x, out, N: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * N + c[None, :])
    tl.store(out + c[:, None] * N + r[None, :], tl.trans(v))


@triton.jit
def gather(x, idx, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + tl.load(idx + i, mask=m, other=0), mask=m), mask=m)


@triton.jit
def histogram(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.atomic_add(bins + tl.load(x + i, mask=m, other=0), 1, mask=m)


@triton.jit
def tl_histogram(x, bins, BLOCK: tl.constexpr, BINS: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.store(bins + tl.arange(0, BINS), tl.histogram(v, BINS))


@triton.jit
def atomic_max(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=-1000)
    tl.atomic_max(out, tl.max(v, axis=0))


@triton.jit
def atomic_add_f16(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i, tl.full((BLOCK,), 1.0, tl.float16), sem="relaxed")


@triton.jit
def cas_lock(lock, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm(x, w, b, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + row * n + i, mask=m, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    r = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(out + row * n + i, d * r * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def rms_norm(x, w, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    tl.store(out + row * n + i, v * r * tl.load(w + i, mask=i < n), mask=i < n)


@triton.jit
def rand(out, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(tl.rand(seed, i) > p, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def cross_entropy(x, labels, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    top = tl.max(v, axis=0)
    lse = tl.log(tl.sum(tl.exp(v - top), axis=0)) + top
    tl.store(out + row, lse - tl.load(x + row * n + tl.load(labels + row)))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
    pid = tl.program_id(0)
    tiles = tl.cdiv(N, BN)
    rm = (pid // tiles) * BM + tl.arange(0, BM)
    rn = (pid % tiles) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        ta = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0)
        tb = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0)
        acc += tl.dot(ta, tb, out_dtype=ACC)
        pa += BK
        pb += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def attention(q, k, v, out, scale, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    tq = tl.load(q + rm[:, None] * D + rd[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        tk = tl.load(k + (start + rn)[None, :] * D + rd[:, None])
        s = tl.dot(tq, tk) * scale
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        old = tl.exp(top - new)
        total = total * old + tl.sum(p, 1)
        tv = tl.load(v + (start + rn)[:, None] * D + rd[None, :])
        acc = acc * old[:, None] + tl.dot(p.to(tl.float16), tv)
        top = new
    tl.store(out + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def conv3x3(img, ker, out, W: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            acc += tl.load(img + (r + i) * W + c + j) * tl.load(ker + i * 3 + j)
    tl.store(out + r * BLOCK + c, acc)


@triton.jit
def batched_sum(x, out, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    v = tl.load(x + tl.program_id(0) * R * C + r[:, None] * C + c[None, :])
    tl.store(out + tl.program_id(0) * C + c, tl.sum(v, axis=0))


@triton.jit
def combine(m1, s1, n1, m2, s2, n2):
    n = n1 + n2
    d = m2 - m1
    safe = tl.where(n == 0.0, 1.0, n)
    return m1 + d * n2 / safe, s1 + s2 + d * d * n1 * n2 / safe, n


@triton.jit
def welford(x, mean, var, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    m, s, c = tl.reduce((v, tl.zeros_like(v), (i < n).to(tl.float32)), 0, combine)
    tl.store(mean + tl.program_id(0), m)
    tl.store(var + tl.program_id(0), s / c)


@triton.jit
def swizzle(out, M: tl.constexpr, N: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    i, j = tl.swizzle2d(pid // N, pid % N, M, N, G)
    tl.store(out + pid, i * N + j)


@triton.jit
def fp8_cast(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i).to(tl.float8e5, bitcast=True)
    tl.store(out + i, v.to(tl.float16))


@triton.jit
def step(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def linear_scan(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    _, s = tl.associative_scan((tl.full((BLOCK,), 0.9, tl.float32), v), 0, step)
    tl.store(out + tl.program_id(0) * n + i, s, mask=i < n)


@triton.jit
def join_split(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.split(tl.reshape(tl.load(x + tl.arange(0, 2 * BLOCK)), (BLOCK, 2)))
    tl.store(out + i, a + b)


@triton.jit
def device_assert(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.device_print("largest", tl.max(v, axis=0))


@triton.jit
def adamw(p, g, m, v, lr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = i < n
    grad = tl.load(g + i, mask=k)
    m1 = 0.9 * tl.load(m + i, mask=k) + 0.1 * grad
    v1 = 0.999 * tl.load(v + i, mask=k) + 0.001 * grad * grad
    tl.store(m + i, m1, mask=k)
    tl.store(v + i, v1, mask=k)
    w = tl.load(p + i, mask=k)
    tl.store(p + i, w - lr * (m1 / (tl.sqrt(v1) + 1e-8) + 0.01 * w), mask=k)


@triton.jit
def rope(x, cos, sin, out, H: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, H)
    a = tl.load(x + row * 2 * H + i)
    b = tl.load(x + row * 2 * H + H + i)
    c = tl.load(cos + row * H + i)
    s = tl.load(sin + row * H + i)
    tl.store(out + row * 2 * H + i, a * c - b * s)
    tl.store(out + row * 2 * H + H + i, b * c + a * s)


@triton.jit
def embedding(ids, table, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(table + tl.load(ids + row) * n + i, mask=i < n)
    tl.store(out + row * n + i, v, mask=i < n)
