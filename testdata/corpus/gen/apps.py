"""Whole algorithms."""

import hashlib
import math
import struct
import zlib

from kit import Case, Random, f32
from memory import ints, product


def as_floats(items):
    return [float(v) for v in items]


def matmul_tiled():
    m, n, k = 20, 13, 17
    a, b = ints(m * k, 601, -9, 9), ints(k * n, 602, -9, 9)
    size = "{i32: 20}, {i32: 13}, {i32: 17}"
    c = Case("matmul_tiled")
    c.launch([c.input("a", "f32", as_floats(a)), c.input("b", "f32", as_floats(b)),
              c.output("c", "f32", as_floats(product(a, b, m, n, k))), size], kernel="matmul_float", grid=(2, 3), block=(8, 8))
    c.launch([c.input("ai", "i64", a), c.input("bi", "i64", b), c.output("ci", "i64", product(a, b, m, n, k)), size],
             kernel="matmul_int", grid=(4, 5), block=(4, 4))
    c.write()


def transpose():
    w, h = 40, 20
    ins = ints(w * h, 603, 0, 10000)
    c = Case("transpose")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", [ins[y * w + x] for x in range(w) for y in range(h)]),
              "{i32: 40}", "{i32: 20}"], grid=(3, 2), block=(16, 4))
    c.write()


def histogram():
    n = 1000
    ins = [min(v, 255) for v in ints(n, 604, 0, 300)]
    c = Case("histogram")
    c.launch([c.input("in", "u8", ins), c.output("bins", "u32", [ins.count(k) for k in range(256)], init="zeros"),
              "{i32: 1000}"], grid=3, block=96)
    c.write()


def prefix(items, exclusive=False):
    out, total = [], 0
    for v in items:
        out.append(total if exclusive else total + v)
        total += v
    return out


def scan():
    ins = ints(512, 605, -20, 50)
    c = Case("scan")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", prefix(ins[:256]) + prefix(ins[256:]))],
             kernel="scan_warp", grid=2, block=256)
    c.launch(["in", c.output("tree", "i32", prefix(ins[:256], True))], kernel="scan_tree", block=128)
    c.write()


def bitonic():
    n = 128
    keys = [(i * 7919 + 13) % 1009 for i in range(n)]
    values = [k * 3 % 65536 for k in keys]
    order = sorted(range(n), key=lambda i: keys[i])
    c = Case("bitonic")
    start = lambda v: "{values: [" + ", ".join(map(str, v)) + "]}"
    c.launch([c.output("keys", "u32", [keys[i] for i in order], init=start(keys)),
              c.output("values", "u16", [values[i] for i in order], init=start(values))], block=n, shared=8 * n)
    c.write()


def mandelbrot():
    w, h = 40, 24
    image = []
    for py in range(h):
        for px in range(w):
            cx, cy = -8192 + px * 12288 // w, -4096 + py * 8192 // h
            x = y = k = 0
            while k < 100:
                xx, yy = x * x >> 12, y * y >> 12
                if xx + yy > 4 * 4096:
                    break
                x, y = xx - yy + cx, (2 * x * y >> 12) + cy
                k += 1
            image.append(k)
    c = Case("mandelbrot")
    c.launch([c.output("image", "u8", image), "{i32: 40}", "{i32: 24}"], grid=(3, 3), block=(16, 8))
    c.write()


def stencil():
    n = 32
    ins = as_floats(ints(n * n, 606))

    def step(v):
        at = lambda y, x: v[y * n + x] if 0 <= x < n and 0 <= y < n else 0.0
        return [0.5 * at(y, x) + 0.125 * (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1))
                for y in range(n) for x in range(n)]

    c = Case("stencil")
    c.input("a", "f32", ins)
    c.output("b", "f32", step(step(step(ins))))
    for args in (["a", "b"], ["b", "a"], ["a", "b"]):
        c.launch(args + ["{i32: 32}"], grid=(2, 2), block=(16, 16))
    c.want("a", step(step(ins)))
    c.write()


def spmv():
    n = 20
    rng = Random(607)
    rows, cols, values = [0], [], []
    for r in range(n):
        for col in range(n * 3):
            if rng.below(3) == 0 and r != 7:
                cols.append(col)
                values.append(float(rng.below(20) - 10))
        rows.append(len(cols))
    x = as_floats(ints(n * 3, 608, -10, 10))
    y = [sum((values[k] * x[cols[k]] for k in range(rows[r], rows[r + 1])), 0.0) for r in range(n)]
    c = Case("spmv")
    c.launch([c.input("rows", "i32", rows), c.input("cols", "i32", cols), c.input("values", "f64", values),
              c.input("x", "f64", x), c.output("y", "f64", y), "{i32: 20}"], grid=6, block=128)
    c.write()


def softmax():
    rows, cols = 3, 200
    ins = [f32(v / 64) for v in ints(rows * cols, 609, -400, 400)]
    out = []
    for r in range(rows):
        row = ins[r * cols:(r + 1) * cols]
        exps = [math.exp(v - max(row)) for v in row]
        out += [e / sum(exps) for e in exps]
    c = Case("softmax")
    c.launch([c.input("in", "f32", ins), c.output("out", "f32", [f32(v) for v in out], rtol=1e-5), "{i32: 200}"],
             grid=rows, block=128)
    c.write()


def crc():
    records = 20
    lengths = [(i * 7) % 23 for i in range(records)]
    data = bytes(ints(sum(lengths), 610, 0, 256))
    offsets = prefix(lengths, True) + [sum(lengths)]
    c = Case("crc")
    c.launch([c.input("data", "u8", list(data)), c.input("offsets", "i32", offsets),
              c.output("out", "u32", [zlib.crc32(data[offsets[i]:offsets[i + 1]]) for i in range(records)]), "{i32: 20}"],
             block=256)
    c.write()


def sha256():
    """Messages of 4 to 55 bytes, padded to one block each."""
    blocks, digests = b"", []
    for t in range(32):
        text = bytes(ints(4 + t, 611 + t, 0, 256))
        blocks += text + b"\x80" + b"\0" * (55 - len(text)) + struct.pack(">Q", 8 * len(text))
        digests += struct.unpack(">8I", hashlib.sha256(text).digest())
    words = list(struct.unpack("<%dI" % (len(blocks) // 4), blocks))
    c = Case("sha256")
    c.launch([c.input("message", "u32", words), c.output("out", "u32", digests)])
    c.write()


def life():
    rows, steps = 64, 5
    rng = Random(650)
    words = [rng.bits(64) & rng.bits(64) for _ in range(rows)]
    board = words
    for _ in range(steps):
        nxt = []
        for r in range(rows):
            word = 0
            for x in range(64):
                count = sum(board[(r + dr) % rows] >> ((x + dx) % 64) & 1
                            for dr in (-1, 0, 1) for dx in (-1, 0, 1) if dr or dx)
                alive = board[r] >> x & 1
                word |= int(count == 3 or (alive and count == 2)) << x
            nxt.append(word)
        board = nxt
    c = Case("life")
    c.launch([c.input("in", "u64", words), c.output("out", "u64", board), "{i32: 64}", "{i32: 5}"], block=64)
    c.write()


def queens():
    n = 6

    def solve(cols):
        if len(cols) == n:
            return 1
        row = len(cols)
        return sum(solve(cols + [k]) for k in range(n)
                   if all(k != v and abs(k - v) != row - j for j, v in enumerate(cols)))

    c = Case("queens")
    c.launch([c.output("count", "i32", [solve([k]) for k in range(n)]), "{i32: 6}"])
    c.write()


def templates():
    out = []
    for i in range(32):
        ax, ay, bx, by = i, 2, 3, i
        calls = 1 + 6 * i + 100
        out.append((ax + bx) * ax + (ay + by) * ay + 2 * i + i + calls)
    c = Case("templates")
    c.launch([c.output("out", "i32", out)])
    c.launch([c.output("ints", "i32", [3 * i for i in range(32)], init="{range: {start: 0, step: 1}}"), "{i32: 3}"],
             kernel="math::scale<int>")
    c.launch([c.output("reals", "f64", [0.5 * i for i in range(32)], init="{range: {start: 0, step: 1}}"), "{f64: 0.5}"],
             kernel="math::scale<double>")
    c.write()


def launch_bounds():
    n = 256
    ins = ints(n, 660)
    c = Case("launch_bounds")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", [sum(ins[(i + k) % n] * k for k in range(20)) for i in range(n)]),
              "{i32: 256}"], grid=2, block=128)
    c.write()


def cases():
    for run in (matmul_tiled, transpose, histogram, scan, bitonic, mandelbrot, stencil, spmv, softmax, crc, sha256, life,
                queens, templates,
                launch_bounds):
        run()
