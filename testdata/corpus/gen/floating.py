"""Floating-point instructions, rounded by soft.py; approximations by Python's math with the ISA's tolerance."""

import math
import struct
from fractions import Fraction

from kit import Case, Random, edges, signed as signed_int
from integer import columns
from soft import BF16, F16, F32, F64, NAN, of, round_int, samples, signed

N = 32
MODES = ("rn", "rz", "rm", "rp")


def inputs(fmt, seed, k=3):
    """k lists in which every edge value meets different others."""
    lists = []
    for j in range(k):
        items = samples(fmt, N, Random(seed + j))
        cut = 5 * j
        lists.append(items[cut:] + items[:cut])
    return lists


def decode64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def decode32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def floats(fmt, items):
    """As Python floats, so that any NaN equals any NaN."""
    out = []
    for bits in items:
        d = fmt.decode(bits)
        if d == NAN:
            out.append(math.nan)
        else:
            out.append(float(-d[1] if d[0] else d[1]) if d[1] or not d[0] else -0.0)
    return out


def case(name, fmt, ops, seed, arity=3, dtype=None, as_floats=False):
    """A kernel NAME(inputs..., out, n) over bit patterns."""
    word = dtype or {16: "u16", 32: "u32", 64: "u64"}[fmt.bits]
    ins = inputs(fmt, seed, arity)
    c = Case(name)
    args = [c.input("abc"[j], word, ins[j]) for j in range(arity)]
    out = columns(ops, *ins)
    if as_floats:
        args.append(c.output("out", fmt.name, floats(fmt, out)))
    else:
        args.append(c.output("out", word, out))
    c.launch(args + ["{i32: 32}"])
    c.write()


def f32_arith():
    f = F32
    case("f32_arith", f, [
        lambda a, b, c: f.add(a, b),
        lambda a, b, c: f.sub(a, b),
        lambda a, b, c: f.mul(a, b),
        lambda a, b, c: f.div(a, b),
        lambda a, b, c: f.fma(a, b, c),
        lambda a, b, c: f.sqrt(a),
        lambda a, b, c: f.rcp(b),
    ], 101)


def rounded(f):
    ops = []
    for m in MODES:
        ops += [
            lambda a, b, c, m=m: f.add(a, b, m),
            lambda a, b, c, m=m: f.mul(a, b, m),
            lambda a, b, c, m=m: f.fma(a, b, c, m),
            lambda a, b, c, m=m: f.div(a, b, m),
            lambda a, b, c, m=m: f.rcp(a, m),
            lambda a, b, c, m=m: f.sqrt(a, m),
        ]
    return ops


def f32_rounding():
    case("f32_rounding", F32, rounded(F32), 111)


def f32_ftz_sat():
    f = F32
    sat = lambda op: lambda a, b, c: f.saturate(op(a, b, c))
    flush = lambda op: lambda a, b, c: f.flush(op(f.flush(a), f.flush(b), f.flush(c)))
    case("f32_ftz_sat", f, [
        flush(lambda a, b, c: f.add(a, b)),
        flush(lambda a, b, c: f.sub(a, b)),
        flush(lambda a, b, c: f.mul(a, b)),
        flush(lambda a, b, c: f.div(a, b)),
        flush(f.fma),
        flush(lambda a, b, c: f.sqrt(a)),
        flush(lambda a, b, c: f.rcp(a)),
        flush(lambda a, b, c: f.minimum(a, b)),
        flush(lambda a, b, c: f.maximum(a, b)),
        flush(lambda a, b, c: a & ~f.sign),
        flush(lambda a, b, c: a ^ f.sign),
        sat(lambda a, b, c: f.add(a, b)),
        sat(lambda a, b, c: f.mul(a, b)),
        sat(f.fma),
        sat(flush(lambda a, b, c: f.add(a, b, "rz"))),
        sat(lambda a, b, c: a),
        flush(lambda a, b, c: a),
        lambda a, b, c: f.one() if f.flush(a) & ~f.sign == 0 else 0,
    ], 121, as_floats=True)


def f32_minmax():
    f = F32
    ops = [
        lambda a, b: f.minimum(a, b),
        lambda a, b: f.maximum(a, b),
        lambda a, b: f.minimum(a, b, nan=True),
        lambda a, b: f.maximum(a, b, nan=True),
        lambda a, b: a & f.sign | b & ~f.sign,
        lambda a, b: a & ~f.sign,
        lambda a, b: a ^ f.sign,
        lambda a, b: f.minimum(a, b),
        lambda a, b: f.maximum(a, b),
        lambda a, b: b & f.sign | a & ~f.sign,
        lambda a, b: a & ~f.sign,
    ]

    def classify(a):
        """As float, and as the same number in double precision, where no value is subnormal."""
        def bits(fmt, v):
            body = v & ~fmt.sign
            number, finite = body <= fmt.inf, body < fmt.inf
            sub = 0 < body < (1 << fmt.mbits)
            return finite | (body == fmt.inf) << 1 | number << 2 | (not number) << 3 | (finite and not sub) << 4 | sub << 5
        return bits(f, a) | bits(F64, f.convert(a, F64)) << 8

    ins = inputs(f, 131, 2)
    c = Case("f32_minmax")
    c.launch([c.input("a", "u32", ins[0]), c.input("b", "u32", ins[1]),
              c.output("out", "f32", floats(f, columns(ops, *ins))),
              c.output("classes", "i32", [classify(a) for a in ins[0]]), "{i32: 32}"])
    c.write()


def f64_arith():
    f = F64
    case("f64_arith", f, rounded(f) + [
        lambda a, b, c: f.add(a, b),
        lambda a, b, c: f.sub(a, b),
        lambda a, b, c: f.mul(a, b),
        lambda a, b, c: f.div(a, b),
        lambda a, b, c: f.fma(a, b, c),
        lambda a, b, c: f.sqrt(a),
        lambda a, b, c: f.minimum(a, b),
        lambda a, b, c: f.maximum(a, b),
        lambda a, b, c: a & ~f.sign,
        lambda a, b, c: a ^ f.sign,
    ], 141, as_floats=True)


def compare(f, a, b):
    x, y = f.decode(a), f.decode(b)
    if NAN in (x, y):
        return 8
    p, q = signed(x), signed(y)
    return (p < q) | (p == q) << 1 | (p >= q) << 2 | (p != q) << 3


def relu(f, bits):
    d = f.decode(bits)
    return f.qnan if d == NAN else 0 if d[0] else bits


def f16_arith():
    f = F16
    fl = f.flush
    case("f16_arith", f, [
        lambda a, b, c: f.add(a, b),
        lambda a, b, c: f.sub(a, b),
        lambda a, b, c: f.mul(a, b),
        lambda a, b, c: f.div(a, b),
        lambda a, b, c: compare(f, a, b),
        lambda a, b, c: f.fma(a, b, c),
        lambda a, b, c: f.saturate(f.fma(a, b, c)),
        lambda a, b, c: relu(f, f.fma(a, b, c)),
        lambda a, b, c: fl(f.add(fl(a), fl(b))),
        lambda a, b, c: f.saturate(f.add(a, b)),
        lambda a, b, c: f.saturate(fl(f.mul(fl(a), fl(b)))),
        lambda a, b, c: f.minimum(a, b),
        lambda a, b, c: f.maximum(a, b),
        lambda a, b, c: f.minimum(a, b, nan=True),
        lambda a, b, c: f.maximum(a, b, nan=True),
        lambda a, b, c: 0 if f.decode(a) == NAN else ~a & f.sign,
        lambda a, b, c: 0,
    ], 151)


def halves(word):
    return word & 0xFFFF, word >> 16


def packed(op):
    def run(*words):
        lo, hi = (op(*part) for part in zip(*map(halves, words)))
        return hi << 16 | lo
    return run


def f16x2_arith():
    f = F16
    a, b, z = ([hi << 16 | lo for lo, hi in zip(x, x[9:] + x[:9])] for x in inputs(f, 161))
    two = lambda op: packed(lambda x, y, w: op(x, y))
    ops = [
        two(f.add), two(f.sub), two(f.mul), packed(f.fma),
        packed(lambda x, y, w: f.flush(f.fma(f.flush(x), f.flush(y), f.flush(w)))),
        two(f.minimum),
        two(lambda x, y: f.maximum(x, y, nan=True)),
        two(lambda x, y: f.saturate(f.add(x, y))),
        two(f.add),
        lambda x, y, w: (x & 0xFFFF) << 16 | y >> 16,
        lambda x, y, w: sum((compare(f, p, q) & 1) << i for i, (p, q) in enumerate(zip(halves(x), halves(y)))),
    ]
    c = Case("f16x2_arith")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.input("c", "u32", z),
              c.output("out", "u32", columns(ops, a, b, z)), "{i32: 32}"])
    c.write()


def bf16_arith():
    f = BF16
    ins = inputs(f, 171)
    via_float = lambda op: lambda a, b, c: F32.convert(op(f.convert(a, F32), f.convert(b, F32)), f)
    ops = [
        via_float(F32.add),
        via_float(F32.mul),
        lambda a, b, c: f.minimum(a, b),
        lambda a, b, c: f.maximum(a, b),
        lambda a, b, c: f.minimum(a, b, nan=True),
        lambda a, b, c: f.fma(a, b, c),
        lambda a, b, c: relu(f, f.fma(a, b, c)),
    ]
    ops2 = [
        lambda a, b, c: f.fma(b, c, a) << 16 | f.fma(a, b, c),
        lambda a, b, c: f.maximum(b, c) << 16 | f.maximum(a, b),
    ]
    c = Case("bf16_arith")
    c.launch([c.input("a", "u16", ins[0]), c.input("b", "u16", ins[1]), c.input("c", "u16", ins[2]),
              c.output("out", "bf16", floats(f, columns(ops, *ins))),
              c.output("out2", "u32", columns(ops2, *ins)), "{i32: 32}"])
    c.write()


def bf16_sm90():
    f = BF16
    a, b = inputs(f, 181, 2)
    ops = [f.add, f.sub, f.mul, f.add]
    ops2 = [
        lambda a, b: f.add(b, a) << 16 | f.add(a, b),
        lambda a, b: f.sub(b, a) << 16 | f.sub(a, b),
        lambda a, b: f.mul(b, a) << 16 | f.mul(a, b),
    ]
    c = Case("bf16_sm90")
    c.launch([c.input("a", "u16", a), c.input("b", "u16", b), c.output("out", "bf16", floats(f, columns(ops, a, b))),
              c.output("out2", "u32", columns(ops2, a, b)),
              c.output("wide", "f32", floats(F32, [f.convert(x, F32) for x in a])), "{i32: 32}"])
    c.write()


def total(fn, x):
    try:
        return fn(x)
    except (ValueError, OverflowError):
        return math.nan


def approx():
    a = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, 2.0, -2.0, 3.14159274, 1.57079637, 0.75, -0.25, 4.0, 6.25]
    rng = Random(191)
    while len(a) < N:
        a.append(decode32(of(F32, (rng.below(12000) - 6000) / 1024)))
    inv = lambda x: math.nan if x != x else math.copysign(math.inf, x) if x == 0 else 1 / x
    rsqrt = lambda x: math.copysign(math.inf, x) if x == 0 else math.nan if x < 0 else inv(total(math.sqrt, x))
    root = lambda x: x if x == 0 else total(math.sqrt, x)
    log2 = lambda x: -math.inf if x == 0 else total(math.log2, x)
    rel = [lambda x: 2.0 ** x, inv, rsqrt, root, lambda x: 3 * inv(x), lambda x: x / 7]
    c = Case("approx")
    c.launch([c.input("a", "f32", a),
              c.output("rel", "f32", columns(rel, a), rtol=2.0 ** -21),
              c.output("log", "f32", columns([log2], a), atol=2.0 ** -21, rtol=2.0 ** -21),
              c.output("trig", "f32", columns([lambda x: total(math.sin, x), lambda x: total(math.cos, x)], a), atol=2.0 ** -20),
              c.output("tanh", "f32", columns([math.tanh], a), rtol=2.0 ** -10.9), "{i32: 32}"])
    c.write()


def approx_more():
    rng = Random(192)
    a = [(1 + rng.below(100000)) / 128 for _ in range(N)]
    f16 = [of(F16, (rng.below(512) - 256) / 64) for _ in range(N)]
    b16 = [of(BF16, (rng.below(256) - 128) / 32) for _ in range(N)]
    c = Case("approx_more")
    half = [float(signed(F16.decode(x))) for x in f16]
    brain = [float(signed(BF16.decode(x))) for x in b16]
    exps = [lambda x: 2.0 ** x, math.tanh]
    c.launch([c.input("a", "f64", a), c.input("h", "u16", f16), c.input("b", "u16", b16),
              c.output("rel", "f64", columns([lambda x: 1 / x, lambda x: x ** -0.5], a), rtol=2.0 ** -19),
              c.output("halves", "f16", columns(exps, half), atol=2.0 ** -10.9, rtol=2.0 ** -9.9),
              c.output("bfloats", "bf16", columns(exps, brain), atol=2.0 ** -8, rtol=2.0 ** -7), "{i32: 32}"])
    c.write()


def clamp(v, bits, is_signed):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, v))


def cvt_int():
    a = edges(32, N, 201)
    b = edges(64, N, 202)
    for i in range(20, N):
        b[i] = b[i] >> 24 if i % 2 else -(b[i] >> 31) & (2**64 - 1)
    s, s64 = signed_int, lambda w: signed_int(w, 64)
    ops = [
        lambda x, w: s(x, 8),
        lambda x, w: x & 255,
        lambda x, w: s(x, 16),
        lambda x, w: x & 65535,
        lambda x, w: w,
        lambda x, w: clamp(s(x), 32, False),
        lambda x, w: clamp(x, 32, True),
        lambda x, w: clamp(s(x), 16, True),
        lambda x, w: s(clamp(s(x), 16, False), 16),
        lambda x, w: clamp(x, 16, True),
        lambda x, w: clamp(s(x), 8, True),
        lambda x, w: clamp(s(x), 8, False),
        lambda x, w: s(x, 8),
        lambda x, w: x & 65535,
        lambda x, w: clamp(s64(w), 32, True),
        lambda x, w: clamp(s64(w), 32, False),
        lambda x, w: clamp(w, 32, True),
    ]
    ops64 = [
        lambda x, w: s(x),
        lambda x, w: x,
        lambda x, w: s(w, 8),
        lambda x, w: w & 65535,
        lambda x, w: clamp(s(x), 64, False),
        lambda x, w: clamp(w, 64, True),
    ]
    c = Case("cvt_int")
    c.launch([c.input("a", "i32", a), c.input("b", "i64", b), c.output("out", "i32", columns(ops, a, b)),
              c.output("out64", "i64", columns(ops64, a, b)), "{i32: 32}"])
    c.write()


ROUND = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def to_int(fmt, bits, is_signed, mode):
    """NaN gives 0 unless the source is f64 or the result has 64 bits (PTX ISA, "cvt")."""
    def op(v):
        out = fmt.to_int(v, bits, is_signed, ROUND[mode])
        if out is None:
            return 1 << (bits - 1) if fmt is F64 or bits == 64 else 0
        return out
    return op


def cvt_f2i():
    rng = Random(211)
    values = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.75, -0.75, 2147483647.0, 2147483648.0, -2147483648.0,
              -2147483904.0, 4294967295.0, 4294967296.0, 1e20, -1e20, 9.2e18, -9.3e18, math.inf, -math.inf, math.nan, 1e-40]
    while len(values) < N:
        values.append((rng.below(1 << 24) - (1 << 23)) / 256)
    a = [of(F32, v) for v in values]
    b = [of(F64, v) for v in values]
    h = samples(F16, N, rng)
    s = [
        to_int(F32, 32, True, "rni"), to_int(F32, 32, True, "rzi"), to_int(F32, 32, True, "rmi"), to_int(F32, 32, True, "rpi"),
        to_int(F32, 32, False, "rni"), to_int(F32, 32, False, "rzi"), to_int(F32, 32, False, "rmi"), to_int(F32, 32, False, "rpi"),
    ]
    out = columns(s, a) + columns([to_int(F64, 32, True, "rni"), to_int(F64, 32, False, "rzi")], b)
    out += columns([lambda v: to_int(F32, 32, True, "rzi")(F32.flush(v))], a)
    out += columns([to_int(F16, 32, True, "rni"), to_int(F16, 32, False, "rzi")], h)
    out64 = columns([to_int(F32, 64, True, "rni"), to_int(F32, 64, False, "rzi")], a)
    out64 += columns([to_int(F64, 64, True, "rni"), to_int(F64, 64, True, "rzi"), to_int(F64, 64, True, "rmi"),
                      to_int(F64, 64, False, "rpi")], b)
    out16 = columns([to_int(F32, 16, True, "rzi")], a) + columns([to_int(F64, 16, False, "rni")], b)
    out16 += columns([to_int(F16, 16, True, "rpi")], h)
    c = Case("cvt_f2i")
    c.launch([c.input("a", "u32", a), c.input("b", "u64", b), c.input("h", "u16", h),
              c.output("out", "i32", out), c.output("out64", "i64", out64), c.output("out16", "i16", out16), "{i32: 32}"])
    c.write()


def cvt_i2f():
    a = edges(32, N, 221)
    b = edges(64, N, 222)
    a[9:13] = [16777217, 2**32 - 129, 33554431, 0x7FFFFFBF]
    b[9:13] = [2**53 + 1, 2**64 - 1025, 2**24 + 1, 65520]
    s, s64 = signed_int, lambda w: signed_int(w, 64)
    to = lambda fmt, v, mode: fmt.value(Fraction(v), mode)
    out = [
        lambda x, w: to(F32, s(x), "rn"), lambda x, w: to(F32, s(x), "rz"), lambda x, w: to(F32, s(x), "rm"),
        lambda x, w: to(F32, s(x), "rp"), lambda x, w: to(F32, x, "rn"), lambda x, w: to(F32, x, "rp"),
        lambda x, w: to(F32, s64(w), "rn"), lambda x, w: to(F32, s64(w), "rm"), lambda x, w: to(F32, w, "rn"),
        lambda x, w: to(F32, w, "rz"), lambda x, w: to(F32, s(x, 16), "rn"), lambda x, w: to(F32, x & 255, "rn"),
    ]
    out64 = [
        lambda x, w: to(F64, s(x), "rn"), lambda x, w: to(F64, x, "rn"), lambda x, w: to(F64, s64(w), "rn"),
        lambda x, w: to(F64, s64(w), "rz"), lambda x, w: to(F64, w, "rm"), lambda x, w: to(F64, w, "rp"),
        lambda x, w: to(F64, s(w, 8), "rn"),
    ]
    out16 = [
        lambda x, w: to(F16, s(x), "rn"), lambda x, w: to(F16, x, "rz"), lambda x, w: to(F16, s64(w), "rp"),
    ]
    c = Case("cvt_i2f")
    c.launch([c.input("a", "i32", a), c.input("b", "i64", b), c.output("out", "u32", columns(out, a, b)),
              c.output("out64", "u64", columns(out64, a, b)), c.output("out16", "u16", columns(out16, a, b)), "{i32: 32}"])
    c.write()


def integral(fmt, mode):
    def op(bits):
        d = fmt.decode(bits)
        if d == NAN or d[1] == math.inf:
            return bits
        return fmt.value(Fraction(round_int(signed(d), mode)), "rn", d[0])
    return op


def cvt_f2f():
    rng = Random(231)
    a, b, z = samples(F32, N, rng), samples(F64, N, rng), samples(F16, N, rng)
    a[18:24] = [of(F32, v) for v in (2.5, -3.5, 65519.0, 65520.0, 5.9e-8, 2.9e-8)]
    b[18:24] = [of(F64, v) for v in (2.5, -3.5, 1.0000000596046448, 3.4028235677973366e38, 1.4e-45, -7e-46)]
    out = columns([lambda v, m=m: F64.convert(v, F32, m) for m in MODES], b)
    out += columns([lambda v: F16.convert(v, F32)], z)
    out += columns([integral(F32, m) for m in ("rn", "rz", "rm", "rp", "rm", "rp", "rz", "rn")], a)
    out64 = columns([lambda v: F32.convert(v, F64)], a) + columns([lambda v: F16.convert(v, F64)], z)
    out64 += columns([integral(F64, "rn"), integral(F64, "rp")], b)
    out16 = columns([lambda v: F32.convert(v, F16), lambda v: F32.convert(v, F16, "rz")], a)
    out16 += columns([lambda v: F64.convert(v, F16)], b)
    out16 += columns([integral(F16, "rp")], z)
    out16 += columns([lambda v: F32.convert(v, F16)], a)
    c = Case("cvt_f2f")
    c.launch([c.input("a", "u32", a), c.input("b", "u64", b), c.input("c", "u16", z),
              c.output("out", "f32", floats(F32, out)), c.output("out64", "f64", floats(F64, out64)),
              c.output("out16", "f16", floats(F16, out16)), "{i32: 32}"])
    c.write()


def cvt_pack():
    a, b = inputs(F32, 241, 2)
    finite = lambda items: [F32.one() if F32.decode(v) == NAN else v for v in items]
    a, b = finite(a), finite(b)
    a[20:24] = [of(F32, v) for v in (65519.0, 65520.0, 1.00390625, 1.01171875)]
    pack = lambda f, m, post=lambda f, v: v: lambda x, y: (
        post(f, F32.convert(x, f, m)) << 16 | post(f, F32.convert(y, f, m)))

    def tf32(x, y):
        if x & ~F32.sign >= F32.inf:
            return x >> 13
        return (x + (1 << 12)) >> 13

    ops = [pack(F16, "rn"), pack(F16, "rz"), pack(F16, "rn", relu), pack(BF16, "rn"), pack(BF16, "rz"),
           pack(BF16, "rn", relu), tf32, lambda x, y: F32.convert(y, F16) << 16 | F32.convert(x, F16)]
    ops16 = [lambda x: F32.convert(x, BF16), lambda x: F32.convert(x, BF16, "rz"), lambda x: relu(BF16, F32.convert(x, BF16))]
    c = Case("cvt_pack")
    c.launch([c.input("a", "u32", a), c.input("b", "u32", b), c.output("out", "u32", columns(ops, a, b)),
              c.output("out16", "u16", columns(ops16, a)), "{i32: 32}"])
    c.write()


def cases():
    for run in (f32_arith, f32_rounding, f32_ftz_sat, f32_minmax, f64_arith, f16_arith, f16x2_arith, bf16_arith, bf16_sm90,
                approx, approx_more, cvt_int, cvt_f2i, cvt_i2f, cvt_f2f, cvt_pack):
        run()
