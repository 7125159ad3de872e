"""Atomics, fences, barriers and warp collectives."""

from kit import Case, Random, signed
from memory import ints

M32 = 2**32 - 1


def inc(old, limit):
    return 0 if old >= limit else old + 1


def dec(old, limit):
    return limit if old == 0 or old > limit else old - 1


def repeat(step, start, limit, times):
    for _ in range(times):
        start = step(start, limit)
    return start


def xor_all(values):
    out = 0
    for v in values:
        out ^= v
    return out


def atomics_int():
    n = 96
    ts = range(n)
    s = [sum(ts), 5000 - sum(ts), min(50 - t for t in ts), max(max(t - 100 for t in ts), -7),
         -1 & ~0xFFFF, signed(M32), xor_all(t * 77 for t in ts)] + [0] * 9
    u = [sum(0x10000001 * t for t in ts), 0x80000000, 0xFFFFFFF0, repeat(inc, 3, 10, n), repeat(dec, 4, 10, n)]
    # The private word: -1, exchanged for t, swapped for -t, then atomicInc with limit 5.
    returned, mine = [], []
    for t in ts:
        now = -t & M32
        returned += [-1, t, -t, -t]
        mine.append(inc(now, 5))
    c = Case("atomics_int")
    start = "{values: [0, 5000, 1000, -7, -1, 0, 0" + ", 0" * 9 + ", -1" * n + "]}"
    c.launch([c.output("s", "i32", s + mine, init=start),
              c.output("u", "u32", u, init="{values: [0, 4294967295, 0, 3, 4]}"),
              c.output("returned", "i32", returned)], grid=3, block=32)
    c.write()


def atomics_64():
    n = 64
    ts = range(n)
    s = [-63 << 32, 63 * 0x100000001]
    u = [sum(t << 33 for t in ts), 1 << 63, 0xFFFFFFFFFFFFFF00 + 63, 0, 2**64 - 1, xor_all(t * 0x100000001B3 for t in ts)]
    u += [0] * 10 + [5] * n
    returned = []
    for t in ts:
        returned += [9, t << 40, 5]
    c = Case("atomics_64")
    start = "{values: [0, 18446744073709551615, 0, 18446744073709551615, 0, 0" + ", 0" * 10 + ", 9" * n + "]}"
    c.launch([c.output("s", "i64", s, init="zeros"), c.output("u", "u64", u, init=start), c.output("returned", "u64", returned)],
             grid=2, block=32)
    c.write()


def atomics_float():
    n = 128
    c = Case("atomics_float")
    f = [sum(0.25 * (t & 7) for t in range(k, n, 4)) for k in range(4)]
    d = [sum(t / 1024 for t in range(k, n, 2)) for k in range(2)]
    pair = [32.0, 64.0] * 4
    c.launch([c.output("f", "f32", f, init="zeros"), c.output("d", "f64", d, init="zeros"),
              c.output("h", "f16", [32.0] * 4 + [0.0, 0.0, 0.0, 3.5], init="{values: [0, 0, 0, 0, 0, 0, 0, 2.5]}"),
              c.output("h2", "f16", pair, init="zeros"), c.output("b", "bf16", [32.0] * 4, init="zeros"),
              c.output("b2", "bf16", pair, init="zeros"), c.output("old", "f16", [2.5])], grid=4, block=32)
    c.write()


def atomics_shared():
    ins = ints(128, 501)
    out = [sum(1 for v in ins if v & 15 == k) for k in range(16)]
    c = Case("atomics_shared")
    c.launch([c.input("in", "u32", ins), c.output("out", "u32", out),
              c.output("wide", "u64", [sum(v * v for v in ins), min(ins)]),
              c.output("sums", "f32", [sum(0.5 * (v & 3) for v in ins)])], block=128, shared=64)
    c.write()


def atomics_scoped():
    n, block = 128, 64
    c = Case("atomics_scoped")
    c.buffer("word", "u32", 3, "zeros")
    c.launch(["word", c.output("own", "u32", [t + 1 for t in range(n)], init="zeros"),
              c.output("blocks", "u32", [block * 14] * 2, init="zeros"), c.output("out", "u32", [t + 1 for t in range(n)])],
             grid=2, block=block)
    c.want("word", [n * 4, n * 8, n * 3])
    c.launch([c.output("total", "i32", [n], init="zeros"), c.output("per_block", "i32", [sum(range(block))] * 2, init="zeros")],
             kernel="block_and_system", grid=2, block=block)
    c.write()


def reductions():
    n = 64
    ts = range(n)
    s = [sum(ts), -63, 63]
    u = [sum(ts), 1000 - 63, 63 * 3, 0, (1 << 20) - 1, xor_all(ts), repeat(inc, 0, 6, n), repeat(dec, 0, 6, n), 2 * n]
    w = [sum(t << 32 for t in ts), -63 & (2**64 - 1), 63 << 40, 0, (1 << 40) - 1, xor_all(t << 20 for t in ts)]
    c = Case("reductions")
    c.launch([c.output("s", "i32", s, init="zeros"),
              c.output("u", "u32", u, init="{values: [0, 4294967295, 0, 4294967295, 0, 0, 0, 0, 0]}"),
              c.output("w", "u64", w, init="{values: [0, 0, 0, 18446744073709551615, 0, 0]}"),
              c.output("f", "f32", [32.0], init="zeros"), c.output("d", "f64", [8.0], init="zeros")], grid=2, block=32)
    c.write()


class Cell:
    """A word in memory, and what atomics do to it (PTX ISA, "atom")."""

    def __init__(self, value, bits):
        self.value, self.bits = value, bits

    def update(self, op, operand):
        old, mask = self.value, (1 << self.bits) - 1
        operand &= mask
        s = lambda v: signed(v, self.bits)
        self.value = {
            "add": lambda: old + operand, "exch": lambda: operand,
            "smin": lambda: min(s(old), s(operand)), "smax": lambda: max(s(old), s(operand)),
            "umin": lambda: min(old, operand), "umax": lambda: max(old, operand),
            "and": lambda: old & operand, "or": lambda: old | operand, "xor": lambda: old ^ operand,
            "inc": lambda: inc(old, operand), "dec": lambda: dec(old, operand),
        }[op]() & mask
        return old

    def cas(self, compare, operand):
        old = self.value
        if old == compare:
            self.value = operand
        return old


def ops32(cell, x):
    """The values that the macro OPS32 returns."""
    steps = [("add", x), ("add", -3), ("smin", x - 40), ("smax", -x), ("umin", x * 7), ("umax", x * 5), ("and", 0xFFFE),
             ("or", 0x10001), ("xor", x << 3), ("inc", 100000), ("dec", 100000), ("exch", x + 1000)]
    out = [cell.update(op, v) for op, v in steps]
    out += [cell.cas(x + 1000, x + 5), cell.cas(x + 1000, x + 6)]
    for op, v in (("add", 9), ("smax", 20), ("xor", 0x70)):
        cell.update(op, v)
    return out


def ops64(cell, x):
    steps = [("add", x << 35), ("smin", x - 40), ("smax", x << 34), ("umin", x << 33), ("umax", x << 32), ("and", ~6),
             ("or", 1 << 60), ("xor", x << 50), ("exch", x + 77)]
    out = [cell.update(op, v) for op, v in steps]
    out += [cell.cas(x + 77, 88), cell.cas(x + 77, 99)]
    for op, v in (("add", 1 << 40), ("umin", (1 << 40) + x)):
        cell.update(op, v)
    return out


def atomics_matrix():
    words, wide, hashes = [], [], []
    for x in range(32):
        p, q = Cell(5, 32), Cell(6, 64)
        returned = ops32(p, x) + ops32(p, x) + ops64(q, x) + ops64(q, x)
        if x == 7:
            word, pair = Cell(3, 32), Cell(4, 64)
            returned += ops32(word, x) + ops64(pair, x)
            returned += [word.value, pair.value]
        words.append(p.value)
        wide.append(q.value)
        total = 1
        for v in returned:
            total = (total * 31 + v) & (2**64 - 1)
        hashes.append(total)
    c = Case("atomics_matrix")
    c.launch([c.output("words", "u32", words, init="{fill: 5}"), c.output("wide", "u64", wide, init="{fill: 6}"),
              c.output("singles", "f32", [6.5] * 32, init="{fill: 3}"), c.output("doubles", "f64", [8.25] * 32, init="{fill: 4}"),
              c.output("out", "u64", hashes)])
    c.write()


def cas_loop():
    n = 64
    ins = [float(v) for v in ints(n, 502, -100, 100)]
    positive = sum(v > 0 for v in ins)
    c = Case("cas_loop")
    halves = [0x00050000 + 3 * n] + [(t + 1) | (t + 2) << 16 for t in range(0, n, 2)]
    c.launch([c.input("in", "f32", ins), c.output("largest", "f32", [max(ins)], init="zeros"),
              c.output("halves", "u32", halves, init="{values: [327680" + ", 0" * (n // 2) + "]}"),
              c.output("top", "u32", [positive], init="zeros"),
              c.output("list", "u32", [1] * positive + [0] * (n - positive), init="zeros"), "{i32: 64}"], grid=2, block=32)
    c.write()


def fences():
    c = Case("fences")
    c.buffer("flags", "u32", 6, "zeros")
    c.launch(["flags", c.output("data", "i32", [1, 3, 7, 15, 31, 63])], grid=6, block=32)
    c.launch([c.output("out", "i32", [11])], kernel="block_fences", block=96)
    c.write()


def named_barriers():
    ins = ints(64 * 6, 503)
    out = []
    for k in range(64):
        total = 0
        for r in range(6):
            total = total * 5 + ins[r * 64 + 63 - k] + r
        out.append(total)
    c = Case("named_barriers")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out)], block=128)
    c.launch([c.output("groups", "i32", [(t ^ 33) * (3 + t // 64) for t in range(128)] + [64 * 4 + 127 * 4])],
             kernel="group_barriers", block=128)
    c.write()


def barrier_unaligned():
    ins = ints(64, 511)
    cells = [v * 3 if t & 1 else v + 100 for t, v in enumerate(ins[:32])]
    c = Case("barrier_unaligned")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", cells[::-1] + [sum(v > 50 for v in ins)] * 64 + [0] * 64),
              "{i32: 32}"], block=64)
    c.write()


def bar_red():
    n = 128
    ins = ints(n, 504)
    rows = [
        [sum(v > 50 for v in ins)] * n,
        [1] * n,
        [0] * n,
        [1] * n,
        [0] * n,
        [sum(v & 1 for v in ins[64 * g:64 * g + 64]) for g in (0, 1) for _ in range(64)],
        [int(g == 0) for g in (0, 1) for _ in range(64)],
        [int(g == 1) for g in (0, 1) for _ in range(64)],
    ]
    c = Case("bar_red")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(rows, [])), "{i32: 128}"], block=n)
    c.write()


def warp_sync():
    ins = ints(64, 505)
    out = []
    for w in (0, 32):
        v = [ins[w + 31 - lane] for lane in range(32)]
        low = [x * 2 for x in v[:16]]
        high = [x * 3 for x in v[16:]]
        v = [v[k] + low[(k + 1) & 15] for k in range(16)] + [v[16 + k] + high[(16 + k + 5) & 15] for k in range(16)]
        out += [sum(v)] * 32
    c = Case("warp_sync")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out)], block=64)
    c.write()


def shfl(mode, v, b, c):
    """The new values of 32 lanes and their predicates (PTX ISA, "shfl.sync")."""
    seg = c >> 8 & 31
    out = []
    for lane in range(32):
        bval = (b(lane) if callable(b) else b) & 31
        top = lane & seg | c & 31 & ~seg
        low = lane & seg
        if mode == "up":
            j, ok = lane - bval, lane - bval >= top
        elif mode == "down":
            j, ok = lane + bval, lane + bval <= top
        elif mode == "bfly":
            j, ok = lane ^ bval, lane ^ bval <= top
        else:
            j = low | bval & ~seg
            ok = j <= top
        out.append((v[j] if ok else v[lane], int(ok)))
    return out


def per_warp(values, fn):
    out = []
    for w in range(0, len(values), 32):
        out += fn(values[w:w + 32])
    return out


def shuffle():
    n = 64
    ins = ints(n, 506, -100, 100)

    def row(mode, b, c):
        return per_warp(ins, lambda v: [x for x, _ in shfl(mode, v, b, c)])

    def with_pred(mode, b, c):
        return per_warp(ins, lambda v: [x * 2 + p for x, p in shfl(mode, v, b, c)])

    width = lambda w: (32 - w) << 8
    rows = [
        row("idx", 5, 31), row("idx", lambda lane: lane + 3, 31), row("idx", 3, width(8) | 31),
        row("up", 4, 0), row("up", 1, width(16)), row("down", 9, 31), row("down", 2, width(4) | 31),
        row("bfly", 21, 31), row("bfly", 6, width(8) | 31),
        with_pred("up", 3, 0), with_pred("down", 1, 0x181F),
        row("idx", lambda lane: lane ^ 2 if lane & 1 else (lane + 4) & 31, 31),
    ]
    c = Case("shuffle")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(rows, [])),
              c.output("floats", "f32", [x * 0.5 for x in row("bfly", 1, 31)]),
              c.output("wide", "u64", [(x & (2**64 - 1)) << 30 for x in row("down", 1, 31)]), "{i32: 64}"], block=n)
    c.write()


def mask(bits):
    return sum(1 << k for k, bit in enumerate(bits) if bit)


def vote():
    n = 64
    ins = ints(n, 507)
    ins[40:64] = [v | 1 for v in ins[40:64]]
    same = lambda v, fn: [int(len({bool(fn(x)) for x in v}) == 1)] * 32
    rows = [
        [1] * n,
        per_warp(ins, lambda v: [int(all(x > 10 for x in v))] * 32),
        per_warp(ins, lambda v: [int(ins[3] in v)] * 32),
        [0] * n,
        per_warp(ins, lambda v: [2 + k for k in same(v, lambda x: x & 1)]),
        per_warp(ins, lambda v: [mask(x & 1 for x in v)] * 32),
        per_warp(ins, lambda v: [mask(x > 40 for x in v[:12])] * 12 + [0] * 20),
    ]
    c = Case("vote")
    c.launch([c.input("in", "i32", ins), c.output("out", "u32", sum(rows, [])), "{i32: 64}"], block=n)
    c.write()


def match():
    n = 64
    ins = ints(n, 508)
    ins[32:] = [7] * 32
    same = lambda v, key: [mask(key(y) == key(x) for y in v) for x in v]
    rows = [
        per_warp(ins, lambda v: same(v, lambda x: x & 3)),
        per_warp(ins, lambda v: same(v, lambda x: x & 1)),
        [M32 + 1] * n,
        per_warp(ins, lambda v: [M32 + 1 if len(set(v)) == 1 else 0] * 32),
        [M32 + 1] * n,
        per_warp(ins, lambda v: [255] * 8 + [m << 8 for m in same(v[8:], lambda x: x & 1)]),
    ]
    c = Case("match")
    c.launch([c.input("in", "u32", ins), c.output("out", "u32", sum(rows, [])), "{i32: 64}"], block=n)
    c.write()


def redux():
    n = 64
    ins = ints(n, 509, -1000, 1000)
    u = lambda v: v & M32

    def fold(v, fn, start):
        for x in v:
            start = fn(start, u(x))
        return start

    rows = [
        per_warp(ins, lambda v: [sum(v)] * 32),
        per_warp(ins, lambda v: [min(v)] * 32),
        per_warp(ins, lambda v: [max(v)] * 32),
        per_warp(ins, lambda v: [min(map(u, v))] * 32),
        per_warp(ins, lambda v: [max(map(u, v))] * 32),
        per_warp(ins, lambda v: [fold(v, lambda a, b: a & (b | 0xF0F0F0F0), M32)] * 32),
        per_warp(ins, lambda v: [fold(v, lambda a, b: a | b & 0x1248, 0)] * 32),
        per_warp(ins, lambda v: [fold(v, lambda a, b: a ^ b, 0)] * 32),
        per_warp(ins, lambda v: [sum(v[::3]) if k % 3 == 0 else -1 for k in range(32)]),
    ]
    c = Case("redux")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(rows, [])), "{i32: 64}"], block=n)
    c.write()


def activemask():
    c = Case("activemask")
    c.launch([c.output("out", "i32", [7] * 50), "{i32: 50}"], block=64)
    c.write()


def special_registers():
    grid, block = (2, 3, 2), (6, 4, 3)
    c = Case("special_registers")
    c.launch([c.output("out", "u32", [511] * (12 * 72)), c.output("sizes", "u32", [288, 1, 232, 643, 32])],
             grid=grid, block=block, shared=288)
    c.write()


def cases():
    for run in (atomics_int, atomics_64, atomics_float, atomics_shared, atomics_scoped, reductions, atomics_matrix, cas_loop, fences,
                named_barriers, barrier_unaligned, bar_red, warp_sync, shuffle, vote, match, redux, activemask, special_registers):
        run()
