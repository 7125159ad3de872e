"""Writes launch files whose expected values come from plain Python integers and fractions.

Nothing here knows how the simulator computes: integers are Python's, floating-point results are exact
fractions rounded once (see soft.py).
"""

import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.dirname(HERE)

BITS = {"i8": 8, "u8": 8, "b8": 8, "i16": 16, "u16": 16, "b16": 16, "f16": 16, "bf16": 16,
        "i32": 32, "u32": 32, "b32": 32, "f32": 32, "i64": 64, "u64": 64, "b64": 64, "f64": 64}


def wrap(value, dtype):
    """The value as dtype holds it: two's complement of its width."""
    bits = BITS[dtype]
    value &= (1 << bits) - 1
    if dtype[0] == "i" and value >> (bits - 1):
        value -= 1 << bits
    return value


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def f32(value):
    """The nearest binary32 value, as a Python float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Random:
    """splitmix64: small, and the same on every machine."""

    def __init__(self, seed):
        self.state = seed

    def bits(self, n=64):
        if n > 64:
            return self.bits(64) << (n - 64) | self.bits(n - 64)
        self.state = (self.state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return (z ^ (z >> 31)) >> (64 - n)

    def below(self, n):
        return self.bits() % n


def edges(bits, count, seed):
    """count unsigned words: the edge values of the width first, random ones after."""
    top = 1 << (bits - 1)
    words = [0, 1, 2 * top - 1, top, top - 1, top + 1, 2, 0xFF & (2 * top - 1), 0x55555555 & (2 * top - 1)]
    rng = Random(seed)
    while len(words) < count:
        word = rng.bits(bits)
        if rng.below(3) == 0:
            word >>= rng.below(bits)
        words.append(word)
    return words[:count]


def pairs(bits, count, seed):
    """Two lists of words in which every edge value meets several others."""
    a = edges(bits, count, seed)
    b = edges(bits, count, seed + 1)
    shift = 5
    return a, b[shift:] + b[:shift]


def number(value):
    if isinstance(value, float):
        if value != value:
            return ".nan"
        if value in (float("inf"), float("-inf")):
            return ".inf" if value > 0 else "-.inf"
        return repr(value)
    return str(value)


def values(items):
    """A flow list, wrapped to lines of about 110 columns."""
    lines, line = [], ""
    for item in items:
        text = number(item)
        if line and len(line) + len(text) > 104:
            lines.append(line)
            line = ""
        line += text + ", "
    lines.append(line.rstrip(", "))
    return "[" + "\n      ".join(part.rstrip() for part in lines) + "]"


class Case:
    """One launch file: buffers, launches, expectations, in the order in which they were added."""

    def __init__(self, name, programs=None):
        self.name = name
        self.programs = programs or [name]
        self.buffers = []
        self.launches = []
        self.expect = []

    def buffer(self, name, dtype, count, init="none", symbol=None):
        self.buffers.append((name, dtype, count, init, symbol))
        return name

    def input(self, name, dtype, items):
        items = [wrap(v, dtype) if isinstance(v, int) and dtype[0] in "iub" and dtype != "bf16" else v for v in items]
        return self.buffer(name, dtype, len(items), "{values: " + values(items) + "}")

    def output(self, name, dtype, items, atol=None, rtol=None, init="none"):
        items = [wrap(v, dtype) if isinstance(v, int) and dtype[0] in "iub" and dtype != "bf16" else v for v in items]
        self.buffer(name, dtype, len(items), init)
        return self.want(name, items, atol, rtol)

    def want(self, name, items, atol=None, rtol=None):
        text = "{values: " + values(items)
        if len(set(map(repr, items))) == 1:
            text = "{fill: " + number(items[0])
        if atol is not None:
            text += ", atol: " + repr(atol)
        if rtol is not None:
            text += ", rtol: " + repr(rtol)
        self.expect.append((name, text + "}"))
        return name

    def launch(self, args, grid=1, block=32, shared=0, kernel=None):
        def dims(d):
            return "[" + ", ".join(map(str, d if isinstance(d, (list, tuple)) else [d])) + "]"
        kernel = kernel or self.name
        if ":" in kernel:
            kernel = '"' + kernel + '"'
        text = "  - {kernel: %s, grid: %s, block: %s" % (kernel, dims(grid), dims(block))
        if shared:
            text += ", shared: %d" % shared
        self.launches.append(text + ", args: [" + ", ".join(args) + "]}")

    def write(self):
        names = [p if p.endswith(".ptx") else "ptx/%s.O2.ptx" % p for p in self.programs]
        out = ["# Written by gen/all.py."]
        out.append("program: " + (names[0] if len(names) == 1 else "[" + ", ".join(names) + "]"))
        if self.buffers:
            out.append("buffers:")
        for name, dtype, count, init, symbol in self.buffers:
            sym = "symbol: %s, " % symbol if symbol else ""
            out.append("  %s: {%sdtype: %s, shape: [%d], init: %s}" % (name, sym, dtype, count, init))
        out.append("launches:")
        out += self.launches
        if self.expect:
            out.append("expect:")
            out += ["  %s: %s" % e for e in self.expect]
        with open(os.path.join(CORPUS, self.name + ".yaml"), "w") as f:
            f.write("\n".join(out) + "\n")
