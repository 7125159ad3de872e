"""Matrix and video instructions."""

from kit import Case, Random, edges, pairs, signed
from soft import F16, of
from soft import signed as value

N = 32


def words(items, bits):
    """Elements packed into words, the first in the lowest bits."""
    per = 32 // bits
    mask = (1 << bits) - 1
    return [sum((v & mask) << (bits * i) for i, v in enumerate(items[k:k + per])) for k in range(0, len(items), per)]


def halves(count, rng):
    return [of(F16, (rng.below(129) - 64) / 16) for _ in range(count)]


def product(a, b, c, m, n, k):
    """Row-major a and c, b by columns, as exact numbers."""
    return [c[i * n + j] + sum(a[i * k + l] * b[j * k + l] for l in range(k)) for i in range(m) for j in range(n)]


def tensor():
    rng = Random(70)
    num = lambda items: [value(F16.decode(x)) for x in items]
    single = lambda items: [float(x) for x in items]
    c = Case("tensor")
    a, b = halves(256, rng), halves(128, rng)
    z = [(rng.below(2001) - 1000) / 8 for _ in range(128)]
    c.launch([c.input("ha", "u32", words(a, 16)), c.input("hb", "u32", words(b, 16)), c.input("hc", "f32", z),
              c.output("hd", "f32", single(product(num(a), num(b), z, 16, 8, 16)))], kernel="mma_half")
    a, b = [rng.bits(8) for _ in range(512)], [rng.bits(8) for _ in range(256)]
    z = [signed(v) for v in edges(32, 128, 71)]
    exact = product([signed(v, 8) for v in a], b, z, 16, 8, 32)
    c.launch([c.input("ba", "u32", words(a, 8)), c.input("bb", "u32", words(b, 8)), c.input("bc", "i32", z),
              c.output("bd", "i32", [max(-2**31, min(2**31 - 1, v)) for v in exact])], kernel="mma_byte")
    a, b = halves(256, rng), halves(256, rng)
    z = [(rng.below(2001) - 1000) / 8 for _ in range(256)]
    flip = lambda m: [m[j * 16 + i] for i in range(16) for j in range(16)]
    d = product(num(a), flip(num(b)), [2 * v for v in flip(z)], 16, 16, 16)
    c.launch([c.input("wa", "u32", words(a, 16)), c.input("wb", "u32", words(b, 16)), c.input("wc", "f32", z),
              c.output("wd", "f32", single(flip(d)))], kernel="wmma_half")
    a = [rng.bits(16) for _ in range(256)]
    d = [0] * 256
    for m in range(4):
        for lane in range(32):
            for h in range(2):
                d[m * 64 + lane * 2 + h] = a[m * 64 + (lane % 4 * 2 + h) * 8 + lane // 4]
    c.launch([c.input("ta", "u32", words(a, 16)), c.output("td", "u32", words(d, 16))], kernel="transposed")
    c.write()


def part(word, bits, i, is_signed=False):
    v = word >> (bits * i) & ((1 << bits) - 1)
    return signed(v, bits) if is_signed else v


def clamp(v, bits, is_signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, v))


def lanes(f, bits, is_signed):
    """A SIMD instruction on all lanes of two words."""
    def apply(x, y, z):
        return sum((f(part(x, bits, i, is_signed), part(y, bits, i, is_signed)) & ((1 << bits) - 1)) << (bits * i) for i in range(32 // bits))
    return apply


def video():
    x, y = pairs(32, N, 72)
    z = edges(32, N, 73)
    s = signed
    ops = [
        lambda a, b, c: clamp(s(a) + part(b, 8, 1), 32, True),
        lambda a, b, c: part(a, 16, 1) - part(b, 16, 0),
        lambda a, b, c: abs(part(a, 8, 3, True) - s(b)),
        lambda a, b, c: min(part(a, 16, 0) + part(b, 8, 2), c),
        lambda a, b, c: (max(s(a), part(b, 16, 1, True)) & 0xFFFF) << 16 | c & 0xFFFF,
        lambda a, b, c: c + sum(abs(part(a, 8, i) - part(b, 8, i)) for i in range(4)),
        lanes(lambda p, q: clamp(p + q, 8, False), 8, False),
        lanes(lambda p, q: clamp(p - q, 16, True), 16, True),
        lanes(lambda p, q: p + q + 1 >> 1, 8, False),
        lambda a, b, c: min(part(a, 16, 1, True), part(b, 16, 0, True)) & 0xFFFF | c & 0xFFFF0000,
        lanes(lambda p, q: int(p < q), 8, True),
    ]
    c = Case("video")
    c.launch([c.input("a", "u32", x), c.input("b", "u32", y), c.input("c", "u32", z),
              c.output("out", "u32", [f(*v) & 0xFFFFFFFF for f in ops for v in zip(x, y, z)]), "{i32: 32}"])
    c.write()


def cases():
    tensor()
    video()
