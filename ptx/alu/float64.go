package alu

import (
	"math"
	mathbits "math/bits"
)

// Double-precision arithmetic: PTX ISA 9.7.3. Subnormals are always supported.
// NaN operands keep sign and payload and become quiet, the first in operand order
// winning; operations that make a NaN return 0xfff8000000000000.

const (
	quietBit64 = 1 << 51
	invalid64  = 0xfff8000000000000
)

func f64(v uint64) float64 { return math.Float64frombits(v) }

// nan64 is the NaN of an operation on a, b and c.
func nan64(a, b, c uint64) uint64 {
	for _, v := range [...]uint64{a, b, c} {
		if binary64.isNaN(v) {
			return v | quietBit64
		}
	}
	return invalid64
}

// bits64 is the register value of a result computed from a, b and c.
func bits64(x float64, a, b, c uint64) uint64 {
	if x != x {
		return nan64(a, b, c)
	}
	return math.Float64bits(x)
}

func addFn64(m rounding, subtract bool) Fn {
	switch {
	case m == nearestEven && subtract:
		return func(a, b, _, _ uint64) uint64 { return bits64(f64(a)-f64(b), a, b, 0) }
	case m == nearestEven:
		return func(a, b, _, _ uint64) uint64 { return bits64(f64(a)+f64(b), a, b, 0) }
	case subtract:
		return func(a, b, _, _ uint64) uint64 { return bits64(fmaDirected(f64(a), 1, -f64(b), m), a, b, 0) }
	}
	return func(a, b, _, _ uint64) uint64 { return bits64(fmaDirected(f64(a), 1, f64(b), m), a, b, 0) }
}

func mulFn64(m rounding) Fn {
	if m == nearestEven {
		return func(a, b, _, _ uint64) uint64 { return bits64(f64(a)*f64(b), a, b, 0) }
	}
	return func(a, b, _, _ uint64) uint64 { return bits64(mulDirected(f64(a), f64(b), m), a, b, 0) }
}

func fmaFn64(m rounding) Fn {
	if m == nearestEven {
		return func(a, b, c, _ uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c)), a, b, c) }
	}
	return func(a, b, c, _ uint64) uint64 { return bits64(fmaDirected(f64(a), f64(b), f64(c), m), a, b, c) }
}

func divFn64(m rounding) Fn {
	if m == nearestEven {
		return func(a, b, _, _ uint64) uint64 { return bits64(f64(a)/f64(b), a, b, 0) }
	}
	return func(a, b, _, _ uint64) uint64 { return bits64(divDirected(f64(a), f64(b), m), a, b, 0) }
}

func rcpFn64(m rounding) Fn {
	if m == nearestEven {
		return func(a, _, _, _ uint64) uint64 { return bits64(1/f64(a), a, 0, 0) }
	}
	return func(a, _, _, _ uint64) uint64 { return bits64(divDirected(1, f64(a), m), a, 0, 0) }
}

func sqrtFn64(m rounding) Fn {
	if m == nearestEven {
		return func(a, _, _, _ uint64) uint64 { return bits64(math.Sqrt(f64(a)), a, 0, 0) }
	}
	return func(a, _, _, _ uint64) uint64 { return bits64(sqrtDirected(f64(a), m), a, 0, 0) }
}

// ordinary says that x is neither zero nor infinite nor NaN.
func ordinary(x float64) bool { return x != 0 && x-x == 0 }

// The operations below round in any direction by exact integer arithmetic on the
// significands. With a zero, an infinity or a NaN among the operands nothing is
// rounded and Go's own operators are exact.

func mulDirected(x, y float64, m rounding) float64 {
	if !ordinary(x) || !ordinary(y) {
		return x * y
	}
	neg, exp, hi, lo := product(x, y)
	return f64(binary64.pack(neg, exp+64, hi, lo != 0, m))
}

// product is x * y as hi:lo * 2^exp with the highest bit of hi set.
func product(x, y float64) (neg bool, exp int, hi, lo uint64) {
	xn, xe, xs := unpack(x)
	yn, ye, ys := unpack(y)
	hi, lo = mathbits.Mul64(xs, ys)
	exp = xe + ye
	if hi>>63 == 0 {
		hi, lo = hi<<1|lo>>63, lo<<1
		exp--
	}
	return xn != yn, exp, hi, lo
}

func fmaDirected(x, y, z float64, m rounding) float64 {
	switch {
	case x == 0 || y == 0 || x-x != 0 || y-y != 0 || z-z != 0:
		p := x * y // exact; a sum with zero or infinity is exact too
		return zeroSum(p+z, p, z, m)
	case z == 0:
		return mulDirected(x, y, m)
	}
	pn, pe, ph, pl := product(x, y)
	zn, ze, zs := unpack(z)
	ze -= 64
	zh, zl := zs, uint64(0)
	// Both are now 128-bit numbers with the top bit set. Let p be the larger.
	if ze > pe || ze == pe && (zh > ph || zh == ph && zl > pl) {
		pn, pe, ph, pl, zn, ze, zh, zl = zn, ze, zh, zl, pn, pe, ph, pl
	}
	ph, pl = shiftRight(ph, pl, 1) // room for a carry; exact, the low bits of both are zeros
	zh, zl = shiftRight(zh, zl, pe-ze+1)
	pe++
	var carry uint64
	if pn == zn {
		pl, carry = mathbits.Add64(pl, zl, 0)
		ph, _ = mathbits.Add64(ph, zh, carry)
	} else {
		pl, carry = mathbits.Sub64(pl, zl, 0)
		ph, _ = mathbits.Sub64(ph, zh, carry)
	}
	if ph|pl == 0 {
		return zeroSum(0, math.Copysign(0, -1), 0, m)
	}
	shift := mathbits.LeadingZeros64(ph)
	if ph == 0 {
		shift = 64 + mathbits.LeadingZeros64(pl)
	}
	ph, pl = shiftLeft(ph, pl, uint(shift))
	return f64(binary64.pack(pn, pe+64-shift, ph, pl != 0, m))
}

// shiftRight shifts a 128-bit number, keeping in the lowest bit whether a one was
// lost.
func shiftRight(hi, lo uint64, n int) (uint64, uint64) {
	var lost uint64
	switch {
	case n == 0:
		return hi, lo
	case n >= 128:
		return 0, truth(hi|lo != 0)
	case n > 64:
		lost = lo | hi<<(128-n)
		hi, lo = 0, hi>>(n-64)
	case n == 64:
		lost = lo
		hi, lo = 0, hi
	default:
		lost = lo << (64 - n)
		hi, lo = hi>>n, lo>>n|hi<<(64-n)
	}
	return hi, lo | truth(lost != 0)
}

func shiftLeft(hi, lo uint64, n uint) (uint64, uint64) {
	if n >= 64 {
		return lo << (n - 64), 0
	}
	return hi<<n | lo>>(64-n), lo << n
}

func divDirected(x, y float64, m rounding) float64 {
	if !ordinary(x) || !ordinary(y) {
		return x / y
	}
	xn, xe, xs := unpack(x)
	yn, ye, ys := unpack(y)
	q, r := mathbits.Div64(xs>>1, xs<<63, ys) // xs * 2^63 / ys
	exp := xe - ye - 63
	if q>>63 == 0 {
		q <<= 1 // the bit that enters lies below those kept: the remainder stands for it
		exp--
	}
	return f64(binary64.pack(xn != yn, exp, q, r != 0, m))
}

func sqrtDirected(x float64, m rounding) float64 {
	if !ordinary(x) || x < 0 {
		return math.Sqrt(x)
	}
	fraction, exp := math.Frexp(x)
	if exp&1 != 0 {
		fraction, exp = fraction*2, exp-1
	}
	s := math.Sqrt(fraction)
	r := math.FMA(-s, s, fraction) // exact: sign of the rounding error
	switch {
	case r < 0 && m != up:
		s = math.Nextafter(s, 0)
	case r > 0 && m == up:
		s = math.Nextafter(s, 2)
	}
	return math.Ldexp(s, exp/2)
}
