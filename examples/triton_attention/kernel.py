import triton
import triton.language as tl


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
        tk = tl.load(k + (start + rn)[None, :] * D + rd[:, None])  # want: data-race
        s = tl.dot(tq, tk) * scale
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        old = tl.exp(top - new)
        total = total * old + tl.sum(p, 1)
        tv = tl.load(v + (start + rn)[:, None] * D + rd[None, :])  # want: data-race
        acc = tl.dot(p.to(tl.float16), tv, acc * old[:, None])
        top = new
    tl.store(out + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))
