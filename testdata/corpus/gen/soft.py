"""Floating point by exact fractions: every operation is computed exactly and rounded once."""

import math
from fractions import Fraction

NAN = "nan"


class Format:
    def __init__(self, name, precision, emin, emax):
        self.name, self.p, self.emin, self.emax = name, precision, emin, emax
        self.ebits = (emax - emin + 2).bit_length()
        self.bits = self.ebits + precision
        self.mbits = precision - 1
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << self.ebits) - 1) << self.mbits
        self.max = self.inf - 1
        self.qnan = self.sign - 1  # PTX's canonical NaN: all ones but the sign

    # -- decoding: NAN, or (sign, Fraction), or (sign, math.inf)

    def decode(self, bits):
        sign = bits >> (self.bits - 1)
        body = bits & (self.sign - 1)
        if body > self.inf:
            return NAN
        if body == self.inf:
            return sign, math.inf
        exp, man = body >> self.mbits, body & ((1 << self.mbits) - 1)
        if exp:
            man |= 1 << self.mbits
        else:
            exp = 1
        return sign, Fraction(man) * Fraction(2) ** (exp - 1 + self.emin - self.mbits)

    # -- encoding with one rounding

    def encode(self, sign, magnitude, mode="rn"):
        """Rounds the exact magnitude; mode is rn, rz, rm, rp or rna (ties away)."""
        s = self.sign if sign else 0
        if magnitude == math.inf:
            return s | self.inf
        if magnitude == 0:
            return s
        exp = max(floor_log2(magnitude), self.emin)
        quantum = Fraction(2) ** (exp - self.mbits)
        scaled = magnitude / quantum
        man = scaled.numerator // scaled.denominator
        rest = scaled - man
        up = {
            "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and man & 1),
            "rna": rest >= Fraction(1, 2),
            "rz": False,
            "rm": sign and rest > 0,
            "rp": not sign and rest > 0,
        }[mode]
        man += bool(up)
        if man >> self.p:
            man >>= 1
            exp += 1
        if exp > self.emax:
            away = mode in ("rn", "rna") or (mode == "rm" and sign) or (mode == "rp" and not sign)
            return s | (self.inf if away else self.max)
        if man >> self.mbits:
            return s | (exp - self.emin + 1) << self.mbits | (man & ((1 << self.mbits) - 1))
        return s | man

    def value(self, exact, mode="rn", zero_sign=0):
        """Rounds a signed fraction; an exact zero takes zero_sign."""
        if exact == 0:
            return self.sign if zero_sign else 0
        return self.encode(int(exact < 0), abs(exact), mode)

    # -- flushing and saturation

    def flush(self, bits):
        return bits & self.sign if (bits & self.inf) == 0 else bits

    def saturate(self, bits):
        d = self.decode(bits)
        if d == NAN or d[0]:
            return 0
        return min(bits, self.one())

    def one(self):
        return (-self.emin + 1) << self.mbits

    # -- arithmetic

    def add(self, a, b, mode="rn"):
        x, y = self.decode(a), self.decode(b)
        if NAN in (x, y):
            return self.qnan
        if math.inf in (x[1], y[1]):
            if x[1] == y[1] and x[0] != y[0]:
                return self.qnan
            return (a if x[1] == math.inf else b)
        both = x[0] and y[0]
        neg_zero = both or (mode == "rm" and (x[0] or y[0]))
        return self.value(signed(x) + signed(y), mode, neg_zero)

    def sub(self, a, b, mode="rn"):
        return self.add(a, b ^ self.sign, mode)

    def mul(self, a, b, mode="rn"):
        x, y = self.decode(a), self.decode(b)
        if NAN in (x, y) or (math.inf in (x[1], y[1]) and 0 in (x[1], y[1])):
            return self.qnan
        magnitude = math.inf if math.inf in (x[1], y[1]) else x[1] * y[1]
        return self.encode(x[0] ^ y[0], magnitude, mode)

    def fma(self, a, b, c, mode="rn"):
        x, y, z = self.decode(a), self.decode(b), self.decode(c)
        if NAN in (x, y, z) or (math.inf in (x[1], y[1]) and 0 in (x[1], y[1])):
            return self.qnan
        sign = x[0] ^ y[0]
        if math.inf in (x[1], y[1]):
            if z[1] == math.inf and z[0] != sign:
                return self.qnan
            return self.encode(sign, math.inf)
        if z[1] == math.inf:
            return c
        neg_zero = (sign and z[0]) or (mode == "rm" and (sign or z[0]))
        return self.value((-1) ** sign * x[1] * y[1] + signed(z), mode, neg_zero)

    def div(self, a, b, mode="rn"):
        x, y = self.decode(a), self.decode(b)
        if NAN in (x, y) or (x[1] == y[1] and x[1] in (0, math.inf)):
            return self.qnan
        sign = x[0] ^ y[0]
        if y[1] == math.inf:
            return self.encode(sign, Fraction(0))
        if x[1] == math.inf or y[1] == 0:
            return self.encode(sign, math.inf)
        return self.encode(sign, x[1] / y[1], mode)

    def rcp(self, a, mode="rn"):
        return self.div(self.one(), a, mode)

    def sqrt(self, a, mode="rn"):
        x = self.decode(a)
        if x == NAN or (x[0] and x[1] != 0):
            return self.qnan
        if x[1] in (0, math.inf):
            return a
        # An integer root with many guard bits and a sticky bit rounds like the exact one.
        shift = 2 * (self.p + 1100)
        scaled = x[1] * Fraction(2) ** shift
        n = scaled.numerator // scaled.denominator
        root = math.isqrt(n)
        exact = root * root == n and scaled.denominator == 1
        return self.encode(0, (Fraction(root) + (0 if exact else Fraction(1, 2))) / Fraction(2) ** (shift // 2), mode)

    # -- comparison

    def minimum(self, a, b, nan=False, largest=False):
        x, y = self.decode(a), self.decode(b)
        if NAN in (x, y):
            if nan or x == y:
                return self.qnan
            return b if x == NAN else a
        key = lambda d: (-d[1] if d[0] else d[1], -d[0])
        first = key(x) <= key(y)
        return a if first != largest or key(x) == key(y) else b

    def maximum(self, a, b, nan=False):
        return self.minimum(a, b, nan, True)

    def to_int(self, a, bits, is_signed, mode):
        """cvt to an integer: rounded, clamped; a NaN gives what the ISA says ("cvt")."""
        x = self.decode(a)
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
        if x == NAN:
            return None
        if x[1] == math.inf:
            return low if x[0] else high
        return max(low, min(high, round_int(signed(x), mode)))

    def convert(self, a, to, mode="rn"):
        x = self.decode(a)
        if x == NAN:
            return to.qnan
        return to.encode(x[0], x[1], mode)


def signed(d):
    return -d[1] if d[0] else d[1]


def floor_log2(q):
    e = q.numerator.bit_length() - q.denominator.bit_length()
    if Fraction(2) ** e > q:
        e -= 1
    return e


def round_int(q, mode):
    down = q.numerator // q.denominator
    rest = q - down
    if mode == "rz":
        return down + (q < 0 and rest > 0)
    if mode == "rp":
        return down + (rest > 0)
    if mode == "rm":
        return down
    half = Fraction(1, 2)
    return down + (rest > half or (rest == half and down & 1))


F16 = Format("f16", 11, -14, 15)
BF16 = Format("bf16", 8, -126, 127)
F32 = Format("f32", 24, -126, 127)
F64 = Format("f64", 53, -1022, 1023)


def of(fmt, number):
    """The bits of a Python number."""
    if number != number:
        return fmt.qnan
    if number in (math.inf, -math.inf):
        return (fmt.sign if number < 0 else 0) | fmt.inf
    if number == 0:
        return fmt.sign if math.copysign(1, number) < 0 else 0
    return fmt.value(Fraction(number))


def samples(fmt, count, rng):
    """Edge values first: zeros, denormals, the smallest and largest normal, infinities, NaN, halves."""
    one = fmt.one()
    small = 1 << fmt.mbits
    out = [0, fmt.sign, 1, fmt.sign | 1, small - 1, small, fmt.sign | small, fmt.max, fmt.sign | fmt.max, fmt.inf,
           fmt.sign | fmt.inf, fmt.qnan, one, fmt.sign | one, one + 1, one - 1, one + (small >> 1), 2 * small]
    while len(out) < count:
        kind = rng.below(4)
        bits = rng.bits(fmt.bits)
        if kind:  # around one, so that sums and products are interesting
            exp = -fmt.emin + 1 + rng.below(2 * kind * 4) - kind * 4
            bits = bits & ~fmt.inf | exp << fmt.mbits
        if fmt.decode(bits) == NAN:
            bits = one
        out.append(bits)
    return out[:count]
