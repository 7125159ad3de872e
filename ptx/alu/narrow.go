package alu

import "math"

// Conversions to and from packed, tf32 and fp8 types, and cvt.pack: PTX ISA 9.7.9.

// fp8 values are encoded through formats with one exponent bit more than they
// have, because e4m3 uses its top exponent for numbers.
var (
	e4m3 = fp8{format{3, 5, 7}, 0x7e}
	e5m2 = fp8{format{2, 6, 15}, 0x7b}
)

// fp8 is a format of 8 bits whose sign is bit 7 and whose NaN is 0x7f.
type fp8 struct {
	magnitude format
	largest   uint64 // code of the largest finite value
}

const nan8 = 0x7f

// encode rounds to nearest even and saturates to finite values.
func (e fp8) encode(x float64, relu bool) uint64 {
	switch {
	case x != x:
		return nan8
	case relu && math.Signbit(x):
		return 0
	}
	v := min(e.magnitude.round(math.Abs(x), nearestEven), e.largest)
	if math.Signbit(x) {
		v |= 0x80
	}
	return v
}

// e4m3Half and e5m2Half convert to .f16, which holds every value exactly.
func e4m3Half(v uint64) uint64 {
	sign, code := v>>7&1<<15, v&0x7f
	if code == nan8 {
		return binary16.canonicalNaN()
	}
	x := math.Ldexp(float64(code&7|8), int(code>>3)-10)
	if code < 8 {
		x = math.Ldexp(float64(code), -9)
	}
	return sign | binary16.round(x, nearestEven)
}

func e5m2Half(v uint64) uint64 {
	if h := v << 8; !binary16.isNaN(h) {
		return h
	}
	return binary16.canonicalNaN()
}

// narrowConversion recognises the forms whose destination is .f16x2 .bf16x2 .tf32
// .e4m3x2 or .e5m2x2. Packed results hold operand a in the upper part.
func (f *form) narrowConversion(c conversion) *Op {
	c.destination = f.typ("f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2")
	if c.ftz || c.sat {
		f.fail("a conversion to .%s has neither .ftz nor .sat", c.destination.name)
	}
	switch c.destination.name {
	case "tf32":
		return f.toTF32(c)
	case "e4m3x2":
		return f.toFP8(c, e4m3)
	case "e5m2x2":
		return f.toFP8(c, e5m2)
	}
	if m := f.take("e4m3x2", "e5m2x2"); m != "" {
		return f.fromFP8(c, m)
	}
	f.typ("f32")
	if c.rounding != "rn" && c.rounding != "rz" {
		f.fail("a conversion to .%s needs .rn or .rz", c.destination.name)
	}
	lane := c
	lane.operand = types["f32"]
	lane.destination = types[c.destination.name[:len(c.destination.name)-2]]
	convert := floatToFloat(lane)
	o := same(types["f32"], 2, func(a, b, _, _ uint64) uint64 {
		return convert(a, 0, 0, 0)<<16 | convert(b, 0, 0, 0)
	})
	return o.with(Pack)
}

// toTF32 rounds to 10 fraction bits; the lower 13 of the register are 0. With .rna
// a NaN is rounded like a number, saturating at the largest code.
func (f *form) toTF32(c conversion) *Op {
	const unit = 1 << 13
	const canonical = nan32 &^ (unit - 1)
	t := f.typ("f32")
	switch c.rounding {
	case "rn", "rz":
	case "rna":
		if c.relu {
			f.fail(".rna excludes .relu")
		}
	default:
		f.fail("a conversion to .tf32 needs .rna, .rn or .rz")
	}
	m, relu, satfinite := c.m(), c.relu, c.satfinite
	return same(t, 1, func(a, _, _, _ uint64) uint64 {
		sign, v := a&0x80000000, a&0x7fffffff
		if v > binary32.inf() && m != nearestAway {
			return canonical
		}
		low := v & (unit - 1)
		v -= low
		if m.increments(sign != 0, v&unit != 0, low >= unit/2, low&(unit/2-1) != 0) {
			v = min(v+unit, canonical)
		}
		if satfinite && v >= binary32.inf() {
			v -= unit
		}
		if relu && sign != 0 {
			return 0
		}
		return sign | v
	})
}

// toFP8 recognises cvt.rn.satfinite{.relu}.f8x2type from two .f32 or an .f16x2.
func (f *form) toFP8(c conversion, e fp8) *Op {
	if c.rounding != "rn" || !c.satfinite {
		f.fail("a conversion to .%s needs .rn.satfinite", c.destination.name)
	}
	t := f.typ("f32", "f16x2")
	relu := c.relu
	if t.family == halves2 {
		o := same(t, 1, func(a, _, _, _ uint64) uint64 {
			return e.encode(half64(a>>16&0xffff), relu)<<8 | e.encode(half64(a&0xffff), relu)
		})
		o.Result = B16
		return o.with(Whole)
	}
	o := same(t, 2, func(a, b, _, _ uint64) uint64 {
		return e.encode(float64(f32(a)), relu)<<8 | e.encode(float64(f32(b)), relu)
	})
	o.Result = B16
	return o.with(Pack)
}

// fromFP8 recognises cvt.rn{.relu}.f16x2.f8x2type.
func (f *form) fromFP8(c conversion, source string) *Op {
	if c.rounding != "rn" || c.satfinite || c.destination.name != "f16x2" {
		f.fail("a conversion from .%s is cvt.rn{.relu}.f16x2", source)
	}
	decode := e4m3Half
	if source == "e5m2x2" {
		decode = e5m2Half
	}
	if c.relu {
		plain := decode
		decode = func(v uint64) uint64 { return binary16.rectify(plain(v)) }
	}
	o := same(types[source], 1, func(a, _, _, _ uint64) uint64 {
		return decode(a>>8&0xff)<<16 | decode(a&0xff)
	})
	o.Result = B32
	return o
}

// buildCvtPack recognises cvt.pack.sat.convertType.s32{.b32}: both operands
// saturated and put next to each other, a above b, below what is left of c.
func buildCvtPack(f *form) *Op {
	f.need("sat")
	d := f.need("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2")
	f.typ("s32")
	n := map[string]uint{"16": 16, "8": 8, "4": 4, "2": 2}[d[1:]]
	least, largest := int32(0), int32(1<<n-1)
	if d[0] == 's' {
		least, largest = -1<<(n-1), 1<<(n-1)-1
	}
	mask := uint64(1)<<n - 1
	pack := func(a, b uint64) uint64 {
		x, y := max(least, min(int32(a), largest)), max(least, min(int32(b), largest))
		return uint64(x)&mask<<n | uint64(y)&mask
	}
	if n == 16 {
		return same(types["b32"], 2, func(a, b, _, _ uint64) uint64 { return pack(a, b) }).with(Pack)
	}
	f.typ("b32")
	return same(types["b32"], 3, func(a, b, c, _ uint64) uint64 {
		return pack(a, b) | c<<(2*n)&0xffffffff
	})
}
