package launch

import "math"

// floatFormat is a floating-point format of at most 16 bits, as the PTX ISA's section
// "Alternate Floating-Point Data Formats" describes them.
type floatFormat struct {
	exponent, mantissa int  // bits
	noInfinity         bool // all ones in the exponent is a number, except with all ones in the mantissa
}

var (
	f16  = floatFormat{exponent: 5, mantissa: 10}
	bf16 = floatFormat{exponent: 8, mantissa: 7}
	e4m3 = floatFormat{exponent: 4, mantissa: 3, noInfinity: true}
	e5m2 = floatFormat{exponent: 5, mantissa: 2}
)

func (x *floatFormat) bias() int { return 1<<(x.exponent-1) - 1 }

// infinity is the bit pattern that overflow gives: infinity, or NaN where there is none.
func (x *floatFormat) infinity() uint64 {
	if x.noInfinity {
		return x.nan()
	}
	return (1<<x.exponent - 1) << x.mantissa
}

func (x *floatFormat) nan() uint64 { return 1<<(x.exponent+x.mantissa) - 1 }

// encode rounds to nearest even. Scaling by a power of two and rounding to an integer are
// exact steps, so there is one rounding only, also for subnormal results.
func (x *floatFormat) encode(f float64) uint64 {
	var sign uint64
	if math.Signbit(f) {
		sign = 1 << (x.exponent + x.mantissa)
	}
	f = math.Abs(f)
	switch {
	case math.IsNaN(f):
		return sign | x.nan()
	case math.IsInf(f, 0):
		return sign | x.infinity()
	case f == 0:
		return sign
	}
	_, e := math.Frexp(f) // f = m * 2^e with m in [0.5, 1)
	exp := max(e-1, 1-x.bias())
	q := uint64(math.RoundToEven(math.Ldexp(f, x.mantissa-exp)))
	// q counts units in the last place; a carry out of the mantissa raises the exponent,
	// and a subnormal has q < 2^mantissa: adding does both.
	v := uint64(exp+x.bias()-1)<<x.mantissa + q
	if limit := x.infinity(); v >= limit {
		v = limit
	}
	return sign | v
}

func (x *floatFormat) decode(v uint64) float64 {
	sign := 1.0
	if v>>(x.exponent+x.mantissa)&1 != 0 {
		sign = -1
	}
	exp := int(v >> x.mantissa & (1<<x.exponent - 1))
	man := v & (1<<x.mantissa - 1)
	switch {
	case exp == 1<<x.exponent-1 && !x.noInfinity && man == 0:
		return math.Inf(int(sign))
	case exp == 1<<x.exponent-1 && (!x.noInfinity || man == 1<<x.mantissa-1):
		return math.NaN()
	case exp == 0:
		return sign * math.Ldexp(float64(man), 1-x.bias()-x.mantissa)
	}
	return sign * math.Ldexp(float64(man|1<<x.mantissa), exp-x.bias()-x.mantissa)
}
