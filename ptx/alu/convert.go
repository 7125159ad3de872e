package alu

import (
	"math"
	mathbits "math/bits"
	"slices"
)

// Conversions: PTX ISA 9.7.9, cvt.

var (
	integerRoundings = []string{"rni", "rzi", "rmi", "rpi"}
	floatRoundings   = []string{"rn", "rz", "rm", "rp"}
	scalarTypes      = []string{"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64"}
)

// conversion holds the modifiers of cvt.
type conversion struct {
	rounding             string // as written, "" if absent
	ftz, sat             bool
	relu, satfinite      bool
	destination, operand typ
}

func (c *conversion) m() rounding { return roundings[c.rounding] }

// buildCvt recognises cvt.
func buildCvt(f *form) *Op {
	if f.flag("pack") {
		return buildCvtPack(f)
	}
	var c conversion
	c.rounding = f.take(append(append([]string{"rna", "rs"}, integerRoundings...), floatRoundings...)...)
	if c.rounding == "rs" {
		f.unsupported("stochastic rounding needs sm_100 or newer")
	}
	// The ISA's order is .ftz .sat and .relu .satfinite; its own examples and
	// compilers also swap the last two.
	for m := f.take("ftz", "sat", "relu", "satfinite"); m != ""; m = f.take("ftz", "sat", "relu", "satfinite") {
		switch m {
		case "ftz":
			c.ftz = true
		case "sat":
			c.sat = true
		case "relu":
			c.relu = true
		case "satfinite":
			c.satfinite = true
		}
	}
	for _, m := range f.mods {
		switch m {
		case "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e2m1x4", "e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "scaled::n2::ue8m0":
			f.unsupported("." + m + " needs sm_100 or newer")
		}
	}
	if len(f.mods) > 0 {
		switch f.mods[0] {
		case "f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2":
			return f.narrowConversion(c)
		}
	}
	c.destination, c.operand = f.typ(scalarTypes...), f.typ(scalarTypes...)
	f.checkConversion(c)
	o := &Op{
		Args: []Kind{c.operand.kind}, Result: c.destination.kind,
		Signed: c.destination.family == signed,
	}
	switch toInt, fromInt := c.destination.integer(), c.operand.integer(); {
	case toInt && fromInt:
		o.Fn = resizeInt(c)
		if !c.sat {
			o.with(Bitwise)
		}
	case toInt:
		o.Fn = floatToInt(c)
	case fromInt:
		o.Fn = intToFloat(c)
	default:
		o.Fn = floatToFloat(c)
	}
	return o
}

// checkConversion enforces which rounding and modifiers the two types take.
func (f *form) checkConversion(c conversion) {
	d, s := c.destination, c.operand
	integerRounding := slices.Contains(integerRoundings, c.rounding)
	floatRounding := slices.Contains(floatRoundings, c.rounding)
	narrows := d.float() && (s.integer() || d.bits() < s.bits() || d.bits() == s.bits() && d.name != s.name)
	switch {
	case c.rounding == "rna":
		f.fail(".rna converts to .tf32 only")
	case d.integer() && s.float() && !integerRounding:
		f.fail("a conversion to integer needs .rni, .rzi, .rmi or .rpi")
	case narrows && !floatRounding:
		f.fail("a conversion that loses precision needs .rn, .rz, .rm or .rp")
	case !narrows && floatRounding:
		f.fail(".%s is only for conversions that lose precision", c.rounding)
	case integerRounding && !(s.float() && (d.integer() || d.name == s.name)):
		f.fail(".%s is only for rounding to an integer", c.rounding)
	case c.ftz && d.family != single && s.family != single:
		f.fail(".ftz needs .f32 on one side")
	case (c.relu || c.satfinite) && !(d.family == half && s.family == single):
		f.fail(".relu and .satfinite convert .f32 to 16-bit or smaller types only")
	case c.sat && d.name == "bf16":
		f.fail(".bf16 has no .sat")
	case c.sat && (c.relu || c.satfinite):
		f.fail(".sat excludes .relu and .satfinite")
	}
}

// resizeInt extends by the source's signedness and truncates, or saturates with
// .sat.
func resizeInt(c conversion) Fn {
	mask := c.destination.kind.Mask()
	read, isSigned := c.operand.reader(), c.operand.family == signed
	if !c.sat {
		if !isSigned {
			mask &= c.operand.kind.Mask()
			return func(a, _, _, _ uint64) uint64 { return a & mask }
		}
		return func(a, _, _, _ uint64) uint64 { return uint64(read(a)) & mask }
	}
	clamp := clampInt(c.destination)
	return func(a, _, _, _ uint64) uint64 {
		v := read(a)
		return clamp(uint64(v), isSigned && v < 0)
	}
}

// reader extends an integer of type t to 64 bits, by its sign if it has one.
func (t typ) reader() func(uint64) int64 {
	switch t.name {
	case "s8":
		return func(v uint64) int64 { return int64(int8(v)) }
	case "s16":
		return func(v uint64) int64 { return int64(int16(v)) }
	case "s32":
		return func(v uint64) int64 { return int64(int32(v)) }
	}
	mask := t.kind.Mask()
	return func(v uint64) int64 { return int64(v & mask) }
}

// clampInt saturates an integer, which is two's complement if neg, to type d.
func clampInt(d typ) func(v uint64, neg bool) uint64 {
	mask := d.kind.Mask()
	largest, least := mask, uint64(0)
	if d.family == signed {
		largest = mask >> 1
		least = ^largest // as a 64-bit number
	}
	return func(v uint64, neg bool) uint64 {
		if neg {
			return uint64(max(int64(v), int64(least))) & mask
		}
		return min(v, largest)
	}
}

// integral rounds to an integer.
func integral(m rounding, x float64) float64 {
	switch m {
	case towardZero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// floatToInt saturates, with or without .sat. NaN becomes 0, but only the top bit
// set if the source is .f64 or the destination has 64 bits.
func floatToInt(c conversion) Fn {
	fm, load := c.operand.format()
	m, ftz := c.m(), c.ftz
	d := c.destination
	n, mask := d.bits(), d.kind.Mask()
	var ofNaN uint64
	if c.operand.family == double || n == 64 {
		ofNaN = 1 << (n - 1)
	}
	read := func(a uint64) (x float64, nan bool) {
		if ftz {
			a = fm.flush(a)
		}
		x = integral(m, load(a))
		return x, x != x
	}
	if d.family == signed {
		limit := math.Ldexp(1, n-1)
		return func(a, _, _, _ uint64) uint64 {
			x, nan := read(a)
			switch {
			case nan:
				return ofNaN
			case x >= limit:
				return mask >> 1
			case x < -limit:
				return mask>>1 + 1
			}
			return uint64(int64(x)) & mask
		}
	}
	limit := math.Ldexp(1, n)
	return func(a, _, _, _ uint64) uint64 {
		x, nan := read(a)
		switch {
		case nan:
			return ofNaN
		case x >= limit:
			return mask
		case x <= 0:
			return 0
		}
		return uint64(x)
	}
}

// intToFloat rounds once, from the exact integer.
func intToFloat(c conversion) Fn {
	fm, _ := c.destination.format()
	read, isSigned := c.operand.reader(), c.operand.family == signed
	m, sat := c.m(), c.sat
	if m == nearestEven && !sat && c.operand.name != "u64" {
		switch fm {
		case binary32:
			return func(a, _, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(read(a)))) }
		case binary64:
			return func(a, _, _, _ uint64) uint64 { return math.Float64bits(float64(read(a))) }
		}
	}
	return func(a, _, _, _ uint64) uint64 {
		v := uint64(read(a))
		if v == 0 {
			return 0
		}
		neg := isSigned && int64(v) < 0
		if neg {
			v = -v
		}
		shift := mathbits.LeadingZeros64(v)
		r := fm.pack(neg, -shift, v<<shift, false, m)
		if sat {
			return fm.saturate(r)
		}
		return r
	}
}

// floatToFloat covers all pairs of .f16 .bf16 .f32 .f64.
func floatToFloat(c conversion) Fn {
	from, load := c.operand.format()
	to, _ := c.destination.format()
	ofNaN := convertNaN(c, from, to)
	n := numeric{m: c.m(), sat: c.sat, relu: c.relu}
	n.ftz = c.ftz && to == binary32
	flush := c.ftz && from == binary32
	round := slices.Contains(integerRoundings, c.rounding)
	sat, satfinite := c.sat, c.satfinite
	result := func(x float64) uint64 { return n.result(to, x) }
	switch {
	case to == binary32:
		result = n.result32
	case to == binary64 && !sat:
		result = math.Float64bits
	}
	return func(a, _, _, _ uint64) uint64 {
		if from.isNaN(a) {
			if sat {
				return 0
			}
			return ofNaN(a)
		}
		if flush {
			a = from.flush(a)
		}
		x := load(a)
		if round {
			x = integral(n.m, x)
		}
		v := result(x)
		if satfinite {
			return to.finite(v)
		}
		return v
	}
}

// finite is .satfinite: infinities become the largest finite value.
func (f format) finite(v uint64) uint64 {
	if v&^f.signBit() == f.inf() {
		return v - 1
	}
	return v
}

// convertNaN is the rule for NaN operands. From and to .f64 sign and the upper
// payload bits are kept and the NaN is quiet; so they are in widening without
// .ftz. Anything else gives the canonical NaN, except that a plain cvt.f32.f32 (or
// f16, bf16) changes nothing.
func convertNaN(c conversion, from, to format) func(uint64) uint64 {
	same := from == to
	switch {
	case same && from != binary64 && c.rounding == "" && !c.ftz:
		return func(a uint64) uint64 { return a }
	case c.ftz, same && from != binary64, to.fraction < from.fraction && from != binary64, to == binary16 && from == bfloat16:
		nan := to.canonicalNaN()
		return func(uint64) uint64 { return nan }
	}
	quiet := uint64(1) << (to.fraction - 1)
	return func(a uint64) uint64 {
		payload := a & (1<<from.fraction - 1)
		if to.fraction >= from.fraction {
			payload <<= to.fraction - from.fraction
		} else {
			payload >>= from.fraction - to.fraction
		}
		var sign uint64
		if a&from.signBit() != 0 {
			sign = to.signBit()
		}
		return sign | to.inf() | quiet | payload
	}
}
