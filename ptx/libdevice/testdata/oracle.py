# Writes oracle.txt: function, arguments and the correctly rounded result, as bits of doubles.
# Needs mpmath.
import math, random, struct
import mpmath as m

m.mp.prec = 400
random.seed(1)

def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]

def spread(lo, hi, n=24):
    return [random.uniform(lo, hi) for _ in range(n)]

def orders(lo, hi, n=24, sign=False):
    return [math.exp(random.uniform(math.log(lo), math.log(hi))) * (random.choice([1, -1]) if sign else 1) for _ in range(n)]

near1 = [1 - 2.0**-k for k in (3, 10, 25, 40, 52)] + [1 + 2.0**-k for k in (3, 10, 25, 40, 52)]
unit = spread(-1, 1) + [1 - 2.0**-k for k in (3, 10, 25, 40, 53)] + orders(1e-300, 1, 8, True)
pos = orders(1e-300, 1e300) + near1 + [5e-324, 1.7e308]
real = spread(-20, 20) + orders(1e-200, 10, 8, True)
angle = spread(-100, 100) + orders(1e-200, 1e8, 10, True)

one = {
    "acos": (unit, m.acos), "asin": (unit, m.asin), "atan": (real, m.atan), "acosh": (orders(1, 1e300) + [1 + 2.0**-k for k in (3, 10, 25, 40)], m.acosh),
    "asinh": (real + orders(1, 1e300, 8, True), m.asinh), "atanh": (unit, m.atanh), "cbrt": (pos, lambda x: m.cbrt(x)),
    "cos": (angle, m.cos), "sin": (angle, m.sin), "tan": (angle, m.tan), "cosh": (real + [709.9, -710.3], m.cosh), "sinh": (real + [709.9, -710.3], m.sinh), "tanh": (real, m.tanh),
    "cospi": (angle, m.cospi), "sinpi": (angle, m.sinpi), "exp": (spread(-740, 709) + real, m.exp), "exp2": (spread(-1074, 1023) + real, lambda x: m.power(2, x)),
    "exp10": (spread(-320, 308) + real, lambda x: m.power(10, x)), "expm1": (real, m.expm1), "log": (pos, m.log), "log1p": (orders(1e-300, 1e300) + spread(-1, 1), m.log1p),
    "log2": (pos, lambda x: m.log(x, 2)), "log10": (pos, m.log10), "rsqrt": (pos, lambda x: 1 / m.sqrt(x)), "rcbrt": (pos, lambda x: 1 / m.cbrt(x)),
    "erf": (spread(-6, 6) + orders(1e-300, 1, 8, True), m.erf), "erfc": (spread(-6, 26), m.erfc), "erfinv": (unit, m.erfinv),
    "erfcinv": (spread(0, 2) + orders(1e-300, 1), None), "erfcx": (spread(-20, 30) + orders(30, 1e4, 8), lambda x: m.exp(x * x) * m.erfc(x)),
    "normcdf": (spread(-37, 8), m.ncdf), "normcdfinv": (spread(0, 1) + orders(1e-300, 1), None),
    "tgamma": (spread(-20, 171, 40) + spread(-180, 0, 20) + orders(1e-300, 1, 8, True), m.gamma), "lgamma": (orders(3, 1e300) + spread(3, 100), m.loggamma),
    "j0": (spread(-8, 8) + [2.40482556, 5.52007811], lambda x: m.besselj(0, x)), "j1": (spread(-8, 8) + [3.83170597, 7.01558667], lambda x: m.besselj(1, x)), "y0": (spread(0, 8) + [0.89357697, 3.95767842], lambda x: m.bessely(0, x)), "y1": (spread(0, 8) + [2.19714133, 5.42968104], lambda x: m.bessely(1, x)),
    "cyl_bessel_i0": (spread(-700, 700) + spread(-40, 40), lambda x: m.besseli(0, x)), "cyl_bessel_i1": (spread(-700, 700) + spread(-40, 40), lambda x: m.besseli(1, x)),
}

def inverse_erfc(y):
    """erfc(x) = y by Newton's method on log erfc."""
    if y > 1:
        return -inverse_erfc(2 - y)
    x = m.erfinv(1 - y) if y > m.mpf(10)**-10 else m.sqrt(-m.log(y))
    for _ in range(60):
        d = (m.log(m.erfc(x)) - m.log(y)) * m.erfc(x) * m.sqrt(m.pi) / 2 * m.exp(x * x)
        x += d
        if abs(d) < abs(x) * m.mpf(10)**-60:
            break
    return x

def pairs(n=40):
    return list(zip(orders(1e-300, 1e300, n, True), orders(1e-300, 1e300, n, True))) + list(zip(spread(-5, 5), spread(-5, 5)))

two = {
    "atan2": (pairs(), m.atan2), "hypot": (pairs(), lambda x, y: m.sqrt(x * x + y * y)), "rhypot": (list(zip(spread(-5, 5), spread(-5, 5))), lambda x, y: 1 / m.sqrt(x * x + y * y)),
    "pow": (list(zip(orders(1e-5, 1e5, 60), spread(-60, 60, 60))) + [(1.0000001, 1e9), (0.99999, 1e7), (-3.5, 101.0), (2.0, -1074.0), (10.0, 308.0)], m.power),
}
three = {"norm3d": ([tuple(spread(-5, 5, 3)) for _ in range(20)], lambda *a: m.sqrt(sum(x * x for x in a)))}
three["rnorm3d"] = (three["norm3d"][0], lambda *a: 1 / m.sqrt(sum(x * x for x in a)))

out = open("oracle.txt", "w")
for table in (one, two, three):
    for name, (args, fn) in sorted(table.items()):
        for a in args:
            a = a if isinstance(a, tuple) else (a,)
            if name == "erfcinv":
                v = inverse_erfc(m.mpf(a[0]))
            elif name == "normcdfinv":
                v = -m.sqrt(2) * inverse_erfc(2 * m.mpf(a[0]))
            else:
                v = fn(*[m.mpf(x) for x in a])
            try:
                r = float(v)
            except (OverflowError, TypeError):
                continue
            if math.isnan(r) or math.isinf(r):
                continue
            out.write(" ".join([name] + [bits(x) for x in a] + [bits(r)]) + "\n")
