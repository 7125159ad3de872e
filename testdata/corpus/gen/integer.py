"""Integer instructions, after the descriptions in the PTX ISA."""

from kit import Case, edges, pairs, signed, Random

N = 32
M32, M64 = 2**32 - 1, 2**64 - 1


def columns(ops, *inputs):
    """out[k * n + i] = ops[k](inputs[...][i])"""
    return [op(*row) for op in ops for row in zip(*inputs)]


def div0(a, b):
    """Division towards zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def rem0(a, b):
    return a - b * div0(a, b)


def div_ops(bits):
    s = lambda v: signed(v, bits)
    return [
        lambda a, b: div0(s(a), s(b)) if s(b) not in (0, -1) else 0,
        lambda a, b: rem0(s(a), s(b)) if s(b) not in (0, -1) else 0,
        lambda a, b: a // b if b else 0,
        lambda a, b: a % b if b else 0,
    ]


def int_arith():
    a, b = pairs(32, N, 11)
    s = signed
    ops = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: s(a) * s(b) >> 32,
        lambda a, b: a * b >> 32,
    ] + div_ops(32) + [
        lambda a, b: -a,
        lambda a, b: min(s(a), s(b)),
        lambda a, b: max(s(a), s(b)),
        lambda a, b: min(a, b),
        lambda a, b: max(a, b),
        lambda a, b: a << (b & 31),
        lambda a, b: s(a) >> (b & 31),
        lambda a, b: a >> (b & 31),
        lambda a, b: abs(s(a)),
        lambda a, b: a << min(b & 63, 32),
        lambda a, b: s(a) >> min(b & 63, 32),
        lambda a, b: a >> min(b & 63, 32),
    ]
    c = Case("int_arith")
    c.launch([c.input("a", "i32", a), c.input("b", "i32", b), c.output("out", "i32", columns(ops, a, b)), "{i32: 32}"])
    c.write()


def int64_arith():
    a, b = pairs(64, N, 12)
    s = lambda v: signed(v, 64)
    ops = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: s(a) * s(b) >> 64,
        lambda a, b: a * b >> 64,
    ] + div_ops(64) + [
        lambda a, b: -a,
        lambda a, b: min(s(a), s(b)),
        lambda a, b: max(s(a), s(b)),
        lambda a, b: min(a, b),
        lambda a, b: max(a, b),
        lambda a, b: a << (b & 63),
        lambda a, b: s(a) >> (b & 63),
        lambda a, b: a >> (b & 63),
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: ~a,
        lambda a, b: a << min(b & 127, 64),
        lambda a, b: s(a) >> min(b & 127, 64),
        lambda a, b: abs(s(a)),
    ]
    c = Case("int64_arith")
    c.launch([c.input("a", "i64", a), c.input("b", "i64", b), c.output("out", "i64", columns(ops, a, b)), "{i32: 32}"])
    c.write()


def int16_arith():
    a, b = pairs(16, N, 13)
    s = lambda v: signed(v, 16)
    s8 = lambda v: signed(v, 8)
    ops = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: div0(s(a), s(b)) if b else 0,
        lambda a, b: a % b if b else 0,
        lambda a, b: a >> (b & 15),
        lambda a, b: s(a) >> (b & 15),
        lambda a, b: s(a) * s(b) >> 16,
        lambda a, b: s(a) * s(b) + s(a),
        lambda a, b: min(s(a), s(b)),
        lambda a, b: max(a, b),
        lambda a, b: -a,
        lambda a, b: a ^ b,
        lambda a, b: a << min(b & 31, 16),
        lambda a, b: s(a) * s(b) >> 16,
    ]
    byte_ops = [
        lambda a, b: a + b,
        lambda a, b: div0(s8(a), 3),
        lambda a, b: (a & 255) >> 3,
        lambda a, b: (s8(a) < s8(b)) - ((a & 255) < (b & 255)),
    ]
    c = Case("int16_arith")
    c.launch([c.input("a", "i16", a), c.input("b", "i16", b), c.output("out", "i16", columns(ops, a, b)),
              c.output("bytes", "i8", columns(byte_ops, a, b)), "{i32: 32}"])
    c.write()


def limbs(values):
    return [v >> (32 * k) & M32 for v in values for k in range(4)]


def carry():
    a = edges(128, N, 14)
    b = edges(128, N, 15)[7:] + edges(128, N, 15)[:7]
    c = Case("carry")
    flags = []
    for x, y in zip(a, b):
        flags += [(x + y) >> 128, -1 if x < y else 0]
    c.launch([
        c.input("a", "u32", limbs(a)), c.input("b", "u32", limbs(b)),
        c.output("sum", "u32", limbs([x + y for x, y in zip(a, b)])),
        c.output("diff", "u32", limbs([x - y for x, y in zip(a, b)])),
        c.output("prod", "u32", limbs([(x & M64) * (y & M64) for x, y in zip(a, b)])),
        c.output("flags", "u32", flags)])
    c.write()


def carry64():
    a, b = pairs(64, N, 16)
    mul = lambda a, b: a * b + (b << 64)
    ops = [
        lambda a, b: a + b,
        lambda a, b: (a + b) >> 64,
        lambda a, b: a - b,
        lambda a, b: -1 if a < b else 0,
        lambda a, b: mul(a, b),
        lambda a, b: mul(a, b) >> 64,
        lambda a, b: mul(a, b) + (a << 64) + a,
        lambda a, b: (mul(a, b) + (a << 64) + a) >> 64,
    ]
    c = Case("carry64")
    c.launch([c.input("a", "u64", a), c.input("b", "u64", b), c.output("out", "u64", columns(ops, a, b)), "{i32: 32}"])
    c.write()


def bfe(a, pos, length, bits, is_signed):
    pos, length = pos & 255, length & 255
    sign = a >> min(pos + length - 1, bits - 1) & 1 if is_signed and length else 0
    return sum((a >> (pos + i) & 1 if i < length and pos + i < bits else sign) << i for i in range(bits))


def bfi(a, b, pos, length, bits):
    pos, length = pos & 255, length & 255
    for i in range(length):
        if pos + i < bits:
            b = b & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
    return b


def bfind(a, bits, is_signed, shiftamt=False):
    if is_signed and a >> (bits - 1):
        a ^= (1 << bits) - 1
    if a == 0:
        return M32
    return bits - a.bit_length() if shiftamt else a.bit_length() - 1


def bitfield():
    a = edges(32, N, 17)
    rng = Random(18)
    pos = [(0, 31, 32, 63, 7, 255, 0x10003)[i % 7] if i % 3 else rng.below(64) for i in range(N)]
    length = [(0, 1, 32, 31, 64, 8, 0x20005)[i % 5] if i % 2 else rng.below(40) for i in range(N)]
    wide = lambda x: x << 32 | (x * 0x9E3779B9 & M32)
    ops = [
        lambda a, p, l: bfe(a, p, l, 32, False),
        lambda a, p, l: bfe(a, p, l, 32, True),
        lambda a, p, l: bfi(a, ~a & M32, p, l, 32),
        lambda a, p, l: bfind(a, 32, False),
        lambda a, p, l: bfind(a, 32, True),
        lambda a, p, l: bfind(a, 32, False, True),
        lambda a, p, l: bfind(a, 32, True, True),
        lambda a, p, l: bfind(wide(a), 64, False),
        lambda a, p, l: bfind(wide(a), 64, True),
    ]
    ops64 = [
        lambda a, p, l: bfe(wide(a), p, l, 64, False),
        lambda a, p, l: bfe(wide(a), p, l, 64, True),
        lambda a, p, l: bfi(wide(a), ~wide(a) & M64, p, l, 64),
    ]
    c = Case("bitfield")
    c.launch([c.input("a", "u32", a), c.input("pos", "u32", pos), c.input("len", "u32", length),
              c.output("out", "u32", columns(ops, a, pos, length)),
              c.output("out64", "u64", columns(ops64, a, pos, length)), "{i32: 32}"])
    c.write()


def reverse(a, bits):
    return int(format(a, "0%db" % bits)[::-1], 2)


def bits():
    a = edges(32, N, 19)
    w = lambda x: x * 0x100000001B3 & M64
    clz = lambda v, n: n - v.bit_length()
    ops = [
        lambda a: reverse(a, 32),
        lambda a: clz(a, 32),
        lambda a: bin(a).count("1"),
        lambda a: (a & -a).bit_length(),
        lambda a: clz(w(a), 64),
        lambda a: bin(w(a)).count("1"),
        lambda a: clz(a, 32),
        lambda a: int(a == 0),
        lambda a: ~a,
        lambda a: clz(w(a), 64),
    ]
    ops64 = [lambda a: reverse(w(a), 64), lambda a: w(a) << 7 | w(a) >> 57]
    c = Case("bits")
    c.launch([c.input("a", "u32", a), c.output("out", "u32", columns(ops, a)),
              c.output("out64", "u64", columns(ops64, a)), "{i32: 32}"])
    c.write()


PRMT = {  # bytes 3 to 0 of the result for selectors 0 to 3 (PTX ISA, "prmt")
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def prmt_op(a, b, sel, mode=None):
    data = [(b << 32 | a) >> (8 * i) & 255 for i in range(8)]
    if mode:
        picks = [int(ch) for ch in reversed(PRMT[mode][sel & 3])]
    else:
        picks = [sel >> (4 * i) & 15 for i in range(4)]
    out = 0
    for i, pick in enumerate(picks):
        byte = data[pick & 7]
        if pick & 8:
            byte = 255 if byte & 128 else 0
        out |= byte << (8 * i)
    return out


def prmt():
    a, b = pairs(32, N, 20)
    rng = Random(21)
    sel = [i if i < 4 else rng.bits(16) for i in range(N)]
    ops = [lambda a, b, s: prmt_op(a, b, s)]
    ops += [lambda a, b, s, m=m: prmt_op(a, b, s, m) for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")]
    ops += [lambda a, b, s: prmt_op(a, b, 0x6521)]
    c = Case("prmt")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.input("sel", "u32", sel),
              c.output("out", "u32", columns(ops, a, b, sel)), "{i32: 32}"])
    c.write()


def lop3_op(a, b, c, lut):
    return sum((lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))


def lop3():
    rng = Random(22)
    a, b, z = ([rng.bits(32) for _ in range(N)] for _ in range(3))
    ops = [lambda a, b, c, k=k: lop3_op(a, b, c, k) for k in (0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x1B, 0x00, 0xFF)]
    ops += [lambda a, b, c: (a & b) ^ (~a & c), lambda a, b, c: (a | b) & ~(c ^ a)]
    c = Case("lop3")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.input("c", "u32", z),
              c.output("out", "u32", columns(ops, a, b, z)), "{i32: 32}"])
    c.write()


def shf():
    a, b = pairs(32, N, 23)
    amount = [(0, 1, 31, 32, 33, 63, 64, 0xFFFFFFFF)[i] if i < 8 else i * 3 for i in range(N)]
    left = lambda lo, hi, n: (hi << 32 | lo) << n >> 32
    right = lambda lo, hi, n: (hi << 32 | lo) >> n
    ops = [
        lambda a, b, s: left(a, b, min(s, 32)),
        lambda a, b, s: left(a, b, s & 31),
        lambda a, b, s: right(a, b, min(s, 32)),
        lambda a, b, s: right(a, b, s & 31),
        lambda a, b, s: left(a, a, s & 31),
        lambda a, b, s: right(b, b, s & 31),
    ]
    c = Case("shf")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.input("amount", "u32", amount),
              c.output("out", "u32", columns(ops, a, b, amount)), "{i32: 32}"])
    c.write()


def parts(v, width, count, is_signed, first=0):
    out = [v >> (width * (first + i)) & ((1 << width) - 1) for i in range(count)]
    return [signed(p, width) for p in out] if is_signed else out


def dp(a, b, c, a_signed, b_signed, width, first=0):
    count = 4 if width == 8 else 2
    return c + sum(x * y for x, y in zip(parts(a, width, count, a_signed), parts(b, 8, count, b_signed, first)))


def dot():
    a, b = pairs(32, N, 24)
    z = edges(32, N, 25)
    s24 = lambda v: signed(v, 24)
    u24 = lambda v: v & 0xFFFFFF
    ops = [
        lambda a, b, c: c + abs(signed(a) - signed(b)),
        lambda a, b, c: c + abs(a - b),
        lambda a, b, c: s24(a) * s24(b),
        lambda a, b, c: u24(a) * u24(b),
        lambda a, b, c: dp(a, b, c, False, False, 8),
        lambda a, b, c: dp(a, b, c, True, True, 8),
        lambda a, b, c: dp(a, b, c, False, True, 8),
        lambda a, b, c: dp(a, b, c, True, False, 8),
        lambda a, b, c: dp(a, b, c, False, False, 16),
        lambda a, b, c: dp(a, b, c, True, True, 16, 2),
        lambda a, b, c: dp(a, b, c, True, False, 16),
        lambda a, b, c: u24(a) * u24(b) + c,
        lambda a, b, c: s24(a) * s24(b) + c,
        lambda a, b, c: (s24(a) * s24(b) >> 16) + c,
        lambda a, b, c: u24(a) * u24(b) >> 16,
    ]
    c = Case("dot")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.input("c", "u32", z),
              c.output("out", "u32", columns(ops, a, b, z)), "{i32: 32}"])
    c.write()


def clamp(v):
    return max(-2**31, min(2**31 - 1, v))


def wide():
    a, b = pairs(32, N, 26)
    z = edges(32, N, 27)
    s = signed
    z64 = lambda c: s(s(c) * 0x123456789, 64)
    ops = [
        lambda a, b, c: a * b + c,
        lambda a, b, c: (s(a) * s(b) >> 32) + c,
        lambda a, b, c: (a * b >> 32) + c,
        lambda a, b, c: clamp((s(a) * s(b) >> 32) + s(c)),
        lambda a, b, c: clamp(s(a) + s(b)),
        lambda a, b, c: clamp(s(a) - s(b)),
    ]
    ops64 = [
        lambda a, b, c: s(a) * s(b),
        lambda a, b, c: a * b,
        lambda a, b, c: s(a) * s(b) + z64(c),
        lambda a, b, c: a * b + z64(c),
        lambda a, b, c: z64(c) * z64(c) + s(a),
    ]
    c = Case("wide")
    c.launch([c.input("a", "i32", a), c.input("b", "i32", b), c.input("c", "i32", z),
              c.output("out", "i32", columns(ops, a, b, z)),
              c.output("out64", "i64", columns(ops64, a, b, z)), "{i32: 32}"])
    c.write()


def predicates():
    a, b = pairs(32, N, 28)
    special = [0.0, -0.0, 1.0, -1.5, float("inf"), float("-inf"), float("nan"), 3.0]
    f = [special[i % 8] for i in range(N)]
    g = [special[(i // 4) % 8] for i in range(N)]
    s = signed

    def combined(x, y):
        p = s(x) > 0
        q = x < y and p
        p = x >= y or not q
        p = p != q
        q = not q
        p = p and q
        q = q or p
        return (16 if p else 32) | q

    def compare(u, v):
        r = (u == v) | (u != v) << 1 | (u < v) << 2 | (u <= v) << 3 | (u > v) << 4 | (u >= v) << 5
        nan = u != u or v != v
        return r | nan << 6 | (not u < v) << 7 | (not u >= v) << 8

    def unordered(u, v):
        nan = u != u or v != v
        bits = [u == v, u != v, u < v, u <= v, u > v, u >= v]
        return sum((bit or nan) << i for i, bit in enumerate(bits)) | (not nan) << 6 | nan << 7

    ops = [
        lambda x, y, u, v: 9 if s(x) < s(y) else 6,
        lambda x, y, u, v: combined(x, y),
        lambda x, y, u, v: -1 if s(x) <= s(y) else 0,
        lambda x, y, u, v: int(s(x) > s(y)),
        lambda x, y, u, v: x if s(y) >= 0 else y,
        lambda x, y, u, v: x if u >= 0 else y,
        lambda x, y, u, v: compare(u, v),
        lambda x, y, u, v: unordered(u, v),
    ]
    c = Case("predicates")
    c.launch([c.input("a", "i32", a), c.input("b", "i32", b), c.input("f", "f32", f), c.input("g", "f32", g),
              c.output("out", "i32", columns(ops, a, b, f, g)), "{i32: 32}"])
    c.write()


def cases():
    for case in (int_arith, int64_arith, int16_arith, carry, carry64, bitfield, bits, prmt, lop3, shf, dot, wide,
                 predicates):
        case()
