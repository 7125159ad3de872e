package alu

import (
	"math"
	mathbits "math/bits"
)

// rounding is a rounding direction.
type rounding uint8

const (
	nearestEven rounding = iota // .rn
	towardZero                  // .rz
	down                        // .rm
	up                          // .rp
	nearestAway                 // .rna: ties away from zero
)

var roundings = map[string]rounding{
	"rn": nearestEven, "rz": towardZero, "rm": down, "rp": up, "rna": nearestAway,
	"rni": nearestEven, "rzi": towardZero, "rmi": down, "rpi": up,
}

// rnd consumes an optional rounding modifier; without one PTX rounds to nearest
// even.
func (f *form) rnd() rounding { return roundings[f.take("rn", "rz", "rm", "rp")] }

// needRnd consumes a mandatory rounding modifier.
func (f *form) needRnd() rounding { return roundings[f.need("rn", "rz", "rm", "rp")] }

// increments says whether a magnitude cut off after its lowest kept bit (odd)
// rounds up, where half is the first bit dropped and rest the or of the others.
func (m rounding) increments(neg, odd, half, rest bool) bool {
	switch m {
	case nearestEven:
		return half && (rest || odd)
	case nearestAway:
		return half
	case down:
		return neg && (half || rest)
	case up:
		return !neg && (half || rest)
	}
	return false
}

// overflowsToInf says whether a magnitude beyond the largest finite one becomes
// infinite rather than the largest finite one.
func (m rounding) overflowsToInf(neg bool) bool {
	switch m {
	case towardZero:
		return false
	case down:
		return neg
	case up:
		return !neg
	}
	return true
}

// format is a binary floating-point format with IEEE 754's layout.
type format struct {
	fraction uint // explicit significand bits
	exponent uint // exponent bits
	bias     int
}

var (
	binary64 = format{52, 11, 1023}
	binary32 = format{23, 8, 127}
	binary16 = format{10, 5, 15}
	bfloat16 = format{7, 8, 127}
)

func (f format) signBit() uint64 { return 1 << (f.fraction + f.exponent) }
func (f format) inf() uint64     { return (1<<f.exponent - 1) << f.fraction }
func (f format) one() uint64     { return uint64(f.bias) << f.fraction }
func (f format) minNormal() uint64 {
	return 1 << f.fraction
}

// canonicalNaN is what NVIDIA's operations on this format return for NaN: all
// ones but the sign.
func (f format) canonicalNaN() uint64 { return f.signBit() - 1 }

func (f format) isNaN(v uint64) bool { return v&^f.signBit() > f.inf() }

// flush replaces a subnormal by zero of the same sign.
func (f format) flush(v uint64) uint64 {
	if v&f.inf() == 0 {
		return v & f.signBit()
	}
	return v
}

// pack rounds the value sig * 2^exp, whose sig has bit 63 set; sticky says that
// the exact magnitude lies a little above.
func (f format) pack(neg bool, exp int, sig uint64, sticky bool, m rounding) uint64 {
	var sign uint64
	if neg {
		sign = f.signBit()
	}
	biased := exp + 63 + f.bias
	if biased >= 1<<f.exponent-1 {
		return sign | f.overflow(neg, m)
	}
	drop := uint(63) - f.fraction
	if biased < 1 {
		drop += uint(min(1-biased, 64))
		biased = 1
	}
	kept, half, rest := split(sig, drop)
	if m.increments(neg, kept&1 != 0, half, rest || sticky) {
		kept++
	}
	// The hidden bit, or the carry of a rounded-up subnormal, adds to the exponent.
	v := uint64(biased-1)<<f.fraction + kept
	if v >= f.inf() {
		return sign | f.overflow(neg, m)
	}
	return sign | v
}

func (f format) overflow(neg bool, m rounding) uint64 {
	if m.overflowsToInf(neg) {
		return f.inf()
	}
	return f.inf() - 1
}

// split cuts the low n bits off: the highest of them and whether others are set.
func split(sig uint64, n uint) (kept uint64, half, rest bool) {
	switch {
	case n == 0:
		return sig, false, false
	case n > 64:
		return 0, false, sig != 0
	}
	top := uint64(1) << (n - 1)
	return sig >> n, sig&top != 0, sig&(top-1) != 0
}

// unpack writes a finite non-zero double as sig * 2^exp with bit 63 of sig set.
func unpack(x float64) (neg bool, exp int, sig uint64) {
	b := math.Float64bits(x)
	sig = b & (1<<52 - 1)
	exp = int(b >> 52 & 0x7ff)
	if exp == 0 {
		exp = 1
	} else {
		sig |= 1 << 52
	}
	shift := mathbits.LeadingZeros64(sig)
	return b>>63 != 0, exp - 1075 - shift, sig << shift
}

// round converts a double to the format. A double rounded to odd before (see
// toOdd) gives what the exact value would have given.
func (f format) round(x float64, m rounding) uint64 {
	switch {
	case x != x:
		return f.canonicalNaN()
	case x == 0 || math.IsInf(x, 0):
		v := uint64(0)
		if x != 0 {
			v = f.inf()
		}
		return v | math.Float64bits(x)>>63*f.signBit()
	}
	neg, exp, sig := unpack(x)
	return f.pack(neg, exp, sig, false, m)
}

// roundFTZ is round with a subnormal result flushed to zero. A result is subnormal
// if it is below the normal numbers after rounding with an unbounded exponent.
func (f format) roundFTZ(x float64, m rounding) uint64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return f.round(x, m)
	}
	neg, exp, sig := unpack(x)
	if exp+63 < 1-f.bias {
		scaled := f.pack(neg, -63, sig, false, m) // as if in [1, 2)
		carried := scaled&^f.signBit() > f.one()|(f.minNormal()-1)
		if carried && exp+64 == 1-f.bias {
			return scaled&f.signBit() | f.minNormal()
		}
		return scaled & f.signBit()
	}
	return f.pack(neg, exp, sig, false, m)
}

// toOdd returns the double "rounded to odd": x if it is exact, else the neighbour
// of the exact value with an odd significand. above says that the exact magnitude
// is larger than that of x. Rounding such a value to a format of at most 51 bits
// is as good as rounding the exact value, in every direction.
func toOdd(x float64, exact, above bool) float64 {
	b := math.Float64bits(x)
	if exact || b&1 != 0 {
		return x
	}
	if above {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// sumOdd is x + y rounded to odd, for operands far from overflow.
func sumOdd(x, y float64) float64 {
	s := x + y
	v := s - x
	e := (x - (s - v)) + (y - v) // the rounding error: Knuth's TwoSum
	if e == 0 || e != e {
		return s
	}
	return toOdd(s, false, (e > 0) == (s > 0))
}

// zeroSum fixes the sign of an exact zero sum, which is negative when rounding
// down unless both terms are +0.
func zeroSum(s, x, y float64, m rounding) float64 {
	if s == 0 && m == down && (math.Signbit(x) || math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return s
}
