import triton
import triton.language as tl


@triton.jit
def layer_norm(x, w, b, out, mean, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + row * n + i, mask=mask, other=0.0)
    m = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - m, 0.0)
    r = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    y = d * r * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask)
    tl.store(out + row * n + i, y, mask=mask)
    tl.store(mean + row, m)


@triton.jit
def layer_norm_racy(x, w, b, out, mean, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + row * n + i, mask=mask, other=0.0)
    m = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - m, 0.0)
    r = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    y = d * r * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask)
    tl.store(out + row * n + i, y, mask=mask)
    tl.store(mean, m)  # want: data-race
