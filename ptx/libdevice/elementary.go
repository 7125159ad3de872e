package libdevice

import "math"

func init() {
	for name, fn := range map[string]func(float64) float64{
		"acos": acos, "asin": asin, "acosh": acosh, "asinh": asinh, "atanh": atanh, "atan": math.Atan, "cbrt": math.Cbrt,
		"ceil": math.Ceil, "floor": math.Floor, "trunc": math.Trunc, "rint": math.RoundToEven, "nearbyint": math.RoundToEven, "round": math.Round,
		"cos": math.Cos, "sin": math.Sin, "tan": math.Tan, "cosh": cosh, "sinh": sinh, "tanh": math.Tanh, "cospi": cospi, "sinpi": sinpi,
		"exp": math.Exp, "exp2": exp2, "exp10": exp10, "expm1": math.Expm1, "log": log, "log1p": math.Log1p, "log2": log2, "log10": log10,
		"logb": logb, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "rcbrt": func(x float64) float64 { return 1 / math.Cbrt(x) },
		"erf": math.Erf, "erfc": math.Erfc, "erfinv": erfinv, "erfcinv": erfcinv, "erfcx": erfcx, "normcdf": normcdf, "normcdfinv": normcdfinv,
		"tgamma": tgamma, "lgamma": lgamma, "j0": besselJ0, "j1": besselJ1, "y0": besselY0, "y1": besselY1, "cyl_bessel_i0": besselI0, "cyl_bessel_i1": besselI1,
	} {
		one(name, fn)
	}
	two("atan2", math.Atan2)
	two("fdim", math.Dim)
	two("fmod", math.Mod)
	two("remainder", math.Remainder)
	two("pow", pow)
	two("hypot", func(x, y float64) float64 { return norm(x, y) })
	two("rhypot", func(x, y float64) float64 { return 1 / norm(x, y) })
	three("norm3d", func(x, y, z float64) float64 { return norm(x, y, z) })
	three("rnorm3d", func(x, y, z float64) float64 { return 1 / norm(x, y, z) })
	four("norm4d", func(x, y, z, w float64) float64 { return norm(x, y, z, w) })
	four("rnorm4d", func(x, y, z, w float64) float64 { return 1 / norm(x, y, z, w) })
	withInt("ldexp", math.Ldexp)
	withInt("scalbn", math.Ldexp)
	withInt("powi", func(x float64, n int) float64 { return pow(x, float64(n)) })
	ofOrder("jn", math.Jn)
	ofOrder("yn", math.Yn)

	// In double the last bits of these take long; a float needs none of them.
	add("powf", "fff", func(a, b, _, _ uint64) uint64 { return b32(pow32(f32(a), f32(b))) })
	for name, fn := range map[string]func(float64) float64{
		"exp2f": math.Exp2, "exp10f": func(x float64) float64 { return math.Exp(x * math.Ln10) },
		"log2f": func(x float64) float64 { return math.Log(x) / math.Ln2 }, "log10f": func(x float64) float64 { return math.Log(x) / math.Ln10 },
	} {
		add(name, "ff", func(a, _, _, _ uint64) uint64 { return b32(fn(f32(a))) })
	}

	// float versions that rounding the double result would not give
	add("nextafter", "ddd", func(a, b, _, _ uint64) uint64 { return b64(math.Nextafter(f64(a), f64(b))) })
	add("nextafterf", "fff", func(a, b, _, _ uint64) uint64 {
		return uint64(math.Float32bits(math.Nextafter32(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))))
	})
	add("frsqrt_rn", "ff", func(a, _, _, _ uint64) uint64 { return b32(1 / math.Sqrt(f32(a))) })

	add("ilogb", "id", func(a, _, _, _ uint64) uint64 { return low(ilogb(f64(a))) })
	add("ilogbf", "if", func(a, _, _, _ uint64) uint64 { return low(ilogb(f32(a))) })
	for name, fn := range map[string]func(float64) float64{"llrint": math.RoundToEven, "llround": math.Round} {
		add(name, "ld", func(a, _, _, _ uint64) uint64 { return toLong(fn(f64(a))) })
		add(name+"f", "lf", func(a, _, _, _ uint64) uint64 { return toLong(fn(f32(a))) })
	}
	outputs()
}

// outputs registers the functions that store results through pointers.
func outputs() {
	add("frexp", "ddp", func(a, _, _, _ uint64) uint64 { f, _ := math.Frexp(f64(a)); return b64(f) },
		Output{1, Int, func(a, _, _, _ uint64) uint64 { _, e := math.Frexp(f64(a)); return low(int64(e)) }})
	add("frexpf", "ffp", func(a, _, _, _ uint64) uint64 { f, _ := math.Frexp(f32(a)); return b32(f) },
		Output{1, Int, func(a, _, _, _ uint64) uint64 { _, e := math.Frexp(f32(a)); return low(int64(e)) }})
	add("modf", "ddp", func(a, _, _, _ uint64) uint64 { return b64(fraction(f64(a))) },
		Output{1, Double, func(a, _, _, _ uint64) uint64 { return b64(math.Trunc(f64(a))) }})
	add("modff", "ffp", func(a, _, _, _ uint64) uint64 { return b32(fraction(f32(a))) },
		Output{1, Float, func(a, _, _, _ uint64) uint64 { return b32(math.Trunc(f32(a))) }})
	add("remquo", "dddp", func(a, b, _, _ uint64) uint64 { return b64(math.Remainder(f64(a), f64(b))) },
		Output{2, Int, func(a, b, _, _ uint64) uint64 { return low(quotient(f64(a), f64(b))) }})
	add("remquof", "fffp", func(a, b, _, _ uint64) uint64 { return b32(math.Remainder(f32(a), f32(b))) },
		Output{2, Int, func(a, b, _, _ uint64) uint64 { return low(quotient(f32(a), f32(b))) }})
	for name, fn := range map[string][2]func(float64) float64{"sincos": {math.Sin, math.Cos}, "sincospi": {sinpi, cospi}} {
		d := func(i int) Output {
			return Output{i + 1, Double, func(a, _, _, _ uint64) uint64 { return b64(fn[i](f64(a))) }}
		}
		f := func(i int) Output {
			return Output{i + 1, Float, func(a, _, _, _ uint64) uint64 { return b32(fn[i](f32(a))) }}
		}
		add(name, "vdpp", nil, d(0), d(1))
		add(name+"f", "vfpp", nil, f(0), f(1))
	}
	fast()
}

// fraction is what modf returns: it has the sign of x.
func fraction(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	return math.Copysign(x-math.Trunc(x), x)
}

// quotient is the low bits of the quotient of remquo, with its sign.
func quotient(x, y float64) int64 {
	if math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || y == 0 || math.IsInf(y, 0) {
		return 0
	}
	ax, ay := math.Abs(x), math.Abs(y)
	r := ax
	if ay <= math.MaxFloat64/8 {
		r = math.Mod(ax, 8*ay)
	}
	q := int64(0)
	for _, k := range []int64{4, 2, 1} {
		if w := float64(k) * ay; r >= w {
			r -= w
			q += k
		}
	}
	if d := r - (ay - r); d > 0 || d == 0 && q&1 != 0 {
		q++
	}
	q &= 7
	if math.Signbit(x) != math.Signbit(y) {
		return -q
	}
	return q
}

func toLong(x float64) uint64 {
	switch {
	case x != x:
		return 1 << 63
	case x >= 1<<63:
		return math.MaxInt64
	case x < -1<<63:
		return 1 << 63
	}
	return uint64(int64(x))
}

func ilogb(x float64) int64 {
	switch {
	case x == 0 || x != x:
		return math.MinInt32
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	_, e := math.Frexp(x)
	return int64(e) - 1
}

func logb(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x != x:
		return x
	case math.IsInf(x, 0):
		return math.Inf(1)
	}
	return float64(ilogb(x))
}

// near1 is (1-x)(1+x), exactly enough.
func near1(x float64) float64 {
	p := product(x, x)
	return dd{1, 0}.add(p.neg()).value()
}

func asin(x float64) float64 {
	if math.Abs(x) > 1 || x != x {
		return math.NaN()
	}
	return math.Atan2(x, math.Sqrt(near1(x)))
}

func acos(x float64) float64 {
	if math.Abs(x) > 1 || x != x {
		return math.NaN()
	}
	return math.Atan2(math.Sqrt(near1(x)), x)
}

func cosh(x float64) float64 {
	if x = math.Abs(x); x > 700 {
		t := math.Exp(x / 2)
		return t / 2 * t
	}
	e := math.Exp(x)
	return e/2 + 0.5/e
}

func sinh(x float64) float64 {
	a := math.Abs(x)
	var r float64
	switch {
	case a > 700:
		t := math.Exp(a / 2)
		r = t / 2 * t
	case a < 1e-9:
		r = a
	default:
		t := math.Expm1(a)
		r = (t + t/(t+1)) / 2
	}
	return math.Copysign(r, x)
}

func acosh(x float64) float64 { return math.Acosh(x) }
func asinh(x float64) float64 { return math.Asinh(x) }
func atanh(x float64) float64 { return math.Atanh(x) }

// piTimes is sin(pi*r) and cos(pi*r) for |r| <= 1/4.
func piTimes(r float64) (s, c float64) {
	p := ddPi.times(r)
	s, c = math.Sincos(p.hi)
	return s + c*p.lo, c - s*p.lo
}

// octant splits x into a multiple of 1/2 and the rest.
func octant(x float64) (k int, r float64) {
	x = math.Mod(x, 2)
	q := math.RoundToEven(2 * x)
	return int(q) & 3, x - q/2
}

func sinpi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	if x == math.Trunc(x) {
		return math.Copysign(0, x)
	}
	k, r := octant(x)
	s, c := piTimes(r)
	return [...]float64{s, c, -s, -c}[k]
}

func cospi(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	k, r := octant(math.Abs(x))
	if r == 0 && k&1 == 1 {
		return 0
	}
	s, c := piTimes(r)
	return [...]float64{c, -s, -c, s}[k]
}

func exp2(x float64) float64 {
	if x != x || math.IsInf(x, 0) || x == math.Trunc(x) && math.Abs(x) < 2000 {
		return math.Exp2(x)
	}
	return expOf(ddLn2.times(max(min(x, 2000), -2000)))
}

func exp10(x float64) float64 {
	if x != x {
		return x
	}
	return expOf(ddLn10.times(max(min(x, 1000), -1000)))
}

// log takes subnormal numbers apart first: math.Log does not on amd64.
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func logBase(x float64, base dd, pow2 bool) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	if f, e := math.Frexp(x); pow2 && f == 0.5 {
		return float64(e - 1)
	}
	return logDD(dd{x, 0}).div(base).value()
}

func log2(x float64) float64  { return logBase(x, ddLn2, true) }
func log10(x float64) float64 { return logBase(x, ddLn10, false) }

// pow is exp(y * log x) in double-double; what C's pow fixes comes from math.Pow.
func pow(x, y float64) float64 {
	special := x == 0 || y == 0 || x == 1 || x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0)
	if special || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	r := 1.0
	if x < 0 {
		if math.Mod(y, 2) != 0 {
			r = -1
		}
		x = -x
	}
	l := logDD(dd{x, 0})
	if p := l.hi * y; p > 711 || p < -747 {
		if p > 0 {
			return math.Inf(int(r))
		}
		return math.Copysign(0, r)
	}
	return r * expOf(l.times(y))
}

// pow32 is pow for arguments that are floats: exp(y * log x) in double is good to 2^-45.
func pow32(x, y float64) float64 {
	if !(x > 0) || x == 1 || y != y || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Pow(x, y)
	}
	return math.Exp(y * math.Log(x))
}

// norm is the Euclidean norm. Squares are summed in double-double, scaled so that they
// neither overflow nor vanish.
func norm(xs ...float64) float64 {
	big, nan := 0.0, false
	for _, x := range xs {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		nan = nan || x != x
		big = max(big, math.Abs(x))
	}
	if nan {
		return math.NaN()
	}
	if big == 0 {
		return 0
	}
	_, e := math.Frexp(big)
	var s dd
	for _, x := range xs {
		x = math.Ldexp(x, -e)
		s = s.add(product(x, x))
	}
	r := math.Sqrt(s.hi)
	d := s.add(product(r, r).neg()) // one step of Newton
	return quickSum(r, d.value()/(2*r)).scale(e)
}
