package alu

import "math"

// Half precision: PTX ISA 9.7.4. Lanes are computed as doubles, exactly or rounded
// to odd, and rounded once.

// format is the layout of a floating-point type (of one half of a packed one) and
// how to read it as a double.
func (t typ) format() (format, func(uint64) float64) {
	switch t.name {
	case "f64":
		return binary64, f64
	case "f16", "f16x2":
		return binary16, half64
	case "bf16", "bf16x2":
		return bfloat16, bfloat64
	}
	return binary32, func(v uint64) float64 { return float64(f32(v)) }
}

// half64 reads an .f16. A NaN keeps its payload in the upper fraction bits.
func half64(v uint64) float64 {
	const rebias = 1023 - 15
	sign, exp, fraction := v>>15&1<<63, v>>10&0x1f, v&0x3ff
	switch exp {
	case 0:
		return math.Copysign(float64(fraction)*0x1p-24, f64(sign))
	case 0x1f:
		return f64(sign | 0x7ff<<52 | fraction<<42)
	}
	return f64(sign | (exp+rebias)<<52 | fraction<<42)
}

// bfloat64 reads a .bf16, the upper half of a single.
func bfloat64(v uint64) float64 { return float64(math.Float32frombits(uint32(v) << 16)) }

// packedFn applies a lane function to both halves of a packed type.
func packedFn(t typ, lane Fn) Fn {
	if t.family == halves2 {
		return eachHalf(lane)
	}
	return lane
}

// halfLane makes the function of a 16-bit type from an operation on doubles.
func halfLane(n numeric, t typ, op func(a, b, c float64) float64) Fn {
	fm, load := t.format()
	if n.ftz {
		plain := load
		load = func(v uint64) float64 { return plain(fm.flush(v)) }
	}
	return packedFn(t, func(a, b, c, _ uint64) uint64 {
		return n.result(fm, op(load(a), load(b), load(c)))
	})
}

// result rounds a double to a register value of the format.
func (n numeric) result(fm format, x float64) uint64 {
	var v uint64
	if n.ftz {
		v = fm.roundFTZ(x, n.m)
	} else {
		v = fm.round(x, n.m)
	}
	switch {
	case n.sat:
		return fm.saturate(v)
	case n.relu:
		return fm.rectify(v)
	}
	return v
}

// rectify is .relu: negative values become +0, NaN the canonical NaN.
func (f format) rectify(v uint64) uint64 {
	switch {
	case f.isNaN(v):
		return f.canonicalNaN()
	case v&f.signBit() != 0:
		return 0
	}
	return v
}
