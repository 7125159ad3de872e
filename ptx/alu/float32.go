package alu

import "math"

// Single-precision arithmetic: PTX ISA 9.7.3. NaN results are 0x7fffffff.

const nan32 = 0x7fffffff

func f32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

// bits32 is the register value of a single-precision result.
func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

// flush32 is .ftz on an operand.
func flush32(x float32) float32 {
	b := math.Float32bits(x)
	if b&0x7f800000 == 0 {
		return math.Float32frombits(b & 0x80000000)
	}
	return x
}

// numeric holds the modifiers that floating-point instructions share.
type numeric struct {
	m         rounding
	ftz, sat  bool
	relu      bool
	canonical bool // nothing but rounding to nearest even
}

// modifiers consumes what follows the rounding modifier.
func (f *form) modifiers(m rounding) numeric {
	n := numeric{m: m}
	n.ftz = f.flag("ftz")
	n.sat = f.flag("sat")
	n.canonical = m == nearestEven && !n.ftz && !n.sat
	return n
}

// result32 rounds an exact or odd-rounded double to a register value.
func (n numeric) result32(x float64) uint64 {
	var v uint64
	switch {
	case n.ftz:
		v = binary32.roundFTZ(x, n.m)
	case n.m == nearestEven:
		v = bits32(float32(x))
	default:
		v = binary32.round(x, n.m)
	}
	if n.sat {
		return binary32.saturate(v)
	}
	return v
}

// saturate is .sat: the result clamped to [0, 1], NaN to +0.
func (f format) saturate(v uint64) uint64 {
	if v > f.inf() { // negative or NaN
		return 0
	}
	return min(v, f.one())
}

// wide32 makes a lane function of an operation on exact doubles.
func (n numeric) wide32(op func(a, b, c float64) float64) Fn {
	if n.ftz {
		return func(a, b, c, _ uint64) uint64 {
			return n.result32(op(float64(flush32(f32(a))), float64(flush32(f32(b))), float64(flush32(f32(c)))))
		}
	}
	return func(a, b, c, _ uint64) uint64 {
		return n.result32(op(float64(f32(a)), float64(f32(b)), float64(f32(c))))
	}
}

// 9.7.3.3 add, 9.7.3.4 sub
func addFn32(n numeric, subtract bool) Fn {
	switch {
	case n.canonical && subtract:
		return func(a, b, _, _ uint64) uint64 { return bits32(f32(a) - f32(b)) }
	case n.canonical:
		return func(a, b, _, _ uint64) uint64 { return bits32(f32(a) + f32(b)) }
	case subtract:
		return n.wide32(func(a, b, _ float64) float64 { return zeroSum(sumOdd(a, -b), a, -b, n.m) })
	}
	return n.wide32(func(a, b, _ float64) float64 { return zeroSum(sumOdd(a, b), a, b, n.m) })
}

// 9.7.3.5 mul: a double holds the product exactly.
func mulFn32(n numeric) Fn {
	if n.canonical {
		return func(a, b, _, _ uint64) uint64 { return bits32(f32(a) * f32(b)) }
	}
	return n.wide32(func(a, b, _ float64) float64 { return a * b })
}

// 9.7.3.6 fma, 9.7.3.7 mad: both fused on every target since sm_20.
func fmaFn32(n numeric) Fn {
	if n.canonical {
		return fma32
	}
	return n.wide32(func(a, b, c float64) float64 { return zeroSum(sumOdd(a*b, c), a*b, c, n.m) })
}

// fma32 is fma.rn.f32. The double sum of the exact product and c, rounded again
// to single, is right unless the first rounding may have made or hidden a tie:
// low bits exactly half a unit, or a subnormal result.
func fma32(a, b, c, _ uint64) uint64 {
	p := float64(f32(a)) * float64(f32(b))
	z := float64(f32(c))
	s := p + z
	u := math.Float64bits(s)
	if u&0x1fffffff == 0x10000000 || u>>52&0x7ff <= 1023-126 {
		s = sumOdd(p, z)
	}
	return bits32(float32(s))
}

// Quotients and roots of 24-bit significands lie further from any 25-bit value that
// they are not equal to than a double's rounding error: rounding twice is harmless
// for them, in every direction.

// 9.7.3.8 div with IEEE rounding
func divFn32(n numeric) Fn {
	if n.canonical {
		return func(a, b, _, _ uint64) uint64 { return bits32(f32(a) / f32(b)) }
	}
	return n.wide32(func(a, b, _ float64) float64 { return a / b })
}

// 9.7.3.13 rcp with IEEE rounding
func rcpFn32(n numeric) Fn {
	if n.canonical {
		return func(a, _, _, _ uint64) uint64 { return bits32(1 / f32(a)) }
	}
	return n.wide32(func(a, _, _ float64) float64 { return 1 / a })
}

// 9.7.3.15 sqrt with IEEE rounding
func sqrtFn32(n numeric) Fn {
	return n.wide32(func(a, _, _ float64) float64 { return math.Sqrt(a) })
}
