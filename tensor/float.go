package tensor

import "math"

// float16 and bfloat16 are converted by arithmetic, types of a byte by a table one way and by
// the parameters of their format the other way.

func fromBF16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

func toBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7FFFFFFF > 0x7F800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7FFF + b>>16&1) >> 16)
}

// fromF16 scales the exponent by a multiplication, which also normalises subnormal numbers.
func fromF16(h uint16) float32 {
	m := uint32(h&0x7FFF) << 13
	sign := uint32(h&0x8000) << 16
	if m >= 0x0F800000 { // infinite or NaN
		return math.Float32frombits(sign | m | 0x7F800000)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(m)*0x1p112))
}

func toF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7FFFFFFF
	switch {
	case b >= 0x47800000: // from 65536 on, infinite, NaN
		if b > 0x7F800000 {
			return sign | 0x7E00
		}
		return sign | 0x7C00
	case b < 0x38800000: // the addition rounds to the unit of a subnormal number
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3F000000)
	}
	return sign | uint16((b-0x38000000+0xFFF+b>>13&1)>>13)
}

// format describes a floating-point type of at most eight bits.
type format struct {
	mantissa, bias int
	max            uint8 // the code of the greatest finite number
	over, inf, nan uint8 // the codes of what is beyond, of infinity, of NaN
	sign           uint8 // the bit of the sign
	zero           uint8 // the code of negative zero
	decode         [256]float32
}

var formats = [dtypeCount]*format{
	F8E4M3FN:      {mantissa: 3, bias: 7, max: 0x7E, over: 0x7F, inf: 0x7F, nan: 0x7F, sign: 0x80, zero: 0x80},
	F8E5M2:        {mantissa: 2, bias: 15, max: 0x7B, over: 0x7C, inf: 0x7C, nan: 0x7E, sign: 0x80, zero: 0x80},
	F8E8M0FNU:     {mantissa: 0, bias: 127, max: 0xFE, over: 0xFF, inf: 0xFF, nan: 0xFF},
	F4E2M1FN:      {mantissa: 1, bias: 1, max: 0x7, over: 0x7, inf: 0x7, nan: 0x8, sign: 0x8, zero: 0x8},
	F8E4M3:        {mantissa: 3, bias: 7, max: 0x77, over: 0x78, inf: 0x78, nan: 0x7C, sign: 0x80, zero: 0x80},
	F8E3M4:        {mantissa: 4, bias: 3, max: 0x6F, over: 0x70, inf: 0x70, nan: 0x78, sign: 0x80, zero: 0x80},
	F8E4M3B11FNUZ: {mantissa: 3, bias: 11, max: 0x7F, over: 0x80, inf: 0x80, nan: 0x80, sign: 0x80, zero: 0},
	F8E4M3FNUZ:    {mantissa: 3, bias: 8, max: 0x7F, over: 0x80, inf: 0x80, nan: 0x80, sign: 0x80, zero: 0},
	F8E5M2FNUZ:    {mantissa: 2, bias: 16, max: 0x7F, over: 0x80, inf: 0x80, nan: 0x80, sign: 0x80, zero: 0},
}

func init() {
	for d, f := range formats {
		if f == nil {
			continue
		}
		for i := range f.decode {
			f.decode[i] = f.value(DType(d), uint8(i))
		}
	}
}

// value is the number that a code stands for.
func (f *format) value(d DType, c uint8) float32 {
	nan := float32(math.NaN())
	if d == F8E8M0FNU {
		if c == f.nan {
			return nan
		}
		return float32(math.Ldexp(1, int(c)-f.bias))
	}
	if d == F4E2M1FN {
		c &= 0xF
	}
	if f.zero == 0 && c == f.nan {
		return nan
	}
	sign := 1.0
	if c&f.sign != 0 {
		sign = -1
	}
	c &= f.sign - 1
	switch {
	case c > f.max && c == f.inf && f.inf != f.nan:
		return float32(math.Inf(int(sign)))
	case c > f.max:
		return nan
	}
	m, e := int(c)&(1<<f.mantissa-1), int(c)>>f.mantissa
	if e == 0 {
		return float32(sign * math.Ldexp(float64(m), 1-f.bias-f.mantissa))
	}
	return float32(sign * math.Ldexp(float64(m+1<<f.mantissa), e-f.bias-f.mantissa))
}

// encode rounds to the nearest number of the format, ties to even.
func (f *format) encode(x float32) uint8 {
	b := math.Float32bits(x)
	sign := uint8(b>>31) * f.sign
	a := b & 0x7FFFFFFF
	switch {
	case a > 0x7F800000:
		return f.nan
	case f.sign == 0 && (a != b || a == 0): // e8m0: neither negative numbers nor zero
		return f.nan
	case a == 0x7F800000:
		return f.signed(sign, f.inf)
	}
	if f.sign == 0 {
		return power(a)
	}
	e, m := int(a>>23), uint64(a&0x7FFFFF)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 23
	}
	e -= 127
	least := 1 - f.bias
	shift := 23 - f.mantissa
	if e < least {
		shift += least - e
		e = least
	}
	if shift > 40 {
		return sign & f.zero
	}
	m = (m + 1<<(shift-1) - 1 + m>>shift&1) >> shift
	c := uint64(e-least)<<f.mantissa + m
	if c == 0 {
		return sign & f.zero
	}
	if c > uint64(f.max) {
		return f.signed(sign, f.over)
	}
	return sign | uint8(c)
}

// signed gives a code beyond the finite numbers its sign, if it has one.
func (f *format) signed(sign, c uint8) uint8 {
	if f.zero == 0 {
		return c
	}
	return sign | c
}

// power rounds the bits of a positive float32 to a power of two, halves up, which has the
// code that the exponent has in a float32. Only the half of the least is rounded down.
func power(b uint32) uint8 {
	if b == 1<<22 {
		return 0
	}
	return uint8((b + 1<<22) >> 23)
}

// decodeFloats converts elements of a narrow type.
func decodeFloats(d DType, dst []float32, src []byte) {
	switch d {
	case BF16:
		s := view[uint16](src)[:len(dst)]
		for i, b := range s {
			dst[i] = fromBF16(b)
		}
	case F16:
		s := view[uint16](src)[:len(dst)]
		for i, b := range s {
			dst[i] = fromF16(b)
		}
	default:
		t := &formats[d].decode
		for i, b := range src[:len(dst)] {
			dst[i] = t[b]
		}
	}
}

// encodeFloats rounds to elements of a narrow type.
func encodeFloats(d DType, dst []byte, src []float32) {
	switch d {
	case BF16:
		t := view[uint16](dst)[:len(src)]
		for i, x := range src {
			t[i] = toBF16(x)
		}
	case F16:
		t := view[uint16](dst)[:len(src)]
		for i, x := range src {
			t[i] = toF16(x)
		}
	default:
		f := formats[d]
		dst = dst[:len(src)]
		for i, x := range src {
			dst[i] = f.encode(x)
		}
	}
}
