package alu

// The forms of floating-point arithmetic: PTX ISA 9.7.3 and, for .f16 and .bf16,
// 9.7.4.

// buildFloatAdd recognises add and sub.
func buildFloatAdd(f *form) *Op {
	subtract := f.op == "sub"
	return f.float(2, true, func(n numeric, t typ) Fn {
		switch t.family {
		case single:
			return addFn32(n, subtract)
		case double:
			return addFn64(n.m, subtract)
		}
		if subtract {
			return halfLane(n, t, func(a, b, _ float64) float64 { return a - b })
		}
		return halfLane(n, t, func(a, b, _ float64) float64 { return a + b })
	})
}

// buildFloatMul recognises mul.
func buildFloatMul(f *form) *Op {
	return f.float(2, true, func(n numeric, t typ) Fn {
		switch t.family {
		case single:
			return mulFn32(n)
		case double:
			return mulFn64(n.m)
		}
		return halfLane(n, t, func(a, b, _ float64) float64 { return a * b })
	})
}

// buildFMA recognises fma and the mad of floating-point types, which sm_20 and
// later fuse as well. Both name their rounding.
func buildFMA(f *form) *Op {
	if f.op == "mad" && f.last().family >= half {
		f.fail("mad has no 16-bit floating-point types")
	}
	return f.float(3, false, func(n numeric, t typ) Fn {
		switch t.family {
		case single:
			return fmaFn32(n)
		case double:
			return fmaFn64(n.m)
		}
		return halfLane(n, t, func(a, b, c float64) float64 { return sumOdd(a*b, c) })
	})
}

// buildFloatDiv recognises div.
func buildFloatDiv(f *form) *Op {
	if mode := f.take("approx", "full"); mode != "" {
		n := numeric{ftz: f.flag("ftz")}
		return same(f.typ("f32"), 2, divApprox(n, mode == "approx"))
	}
	return f.float(2, false, func(n numeric, t typ) Fn {
		if n.sat || t.family >= half {
			f.fail("div takes .ftz at most, and .f32 or .f64")
		}
		if t.family == single {
			return divFn32(n)
		}
		return divFn64(n.m)
	})
}

// float recognises {.rnd}{.ftz}{.sat}.type, with .relu besides for fma, and checks
// which modifiers the type has.
func (f *form) float(operands int, defaultRounding bool, build func(numeric, typ) Fn) *Op {
	var m rounding
	if defaultRounding {
		m = f.rnd()
	} else {
		m = f.needRnd()
	}
	if f.op == "fma" && f.flag("oob") {
		f.unsupported(".oob works on the out-of-bounds NaN of tensor copies")
	}
	n := f.modifiers(m)
	if f.op == "fma" && !n.sat {
		n.relu = f.flag("relu")
	}
	t := f.typ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
	if t.family == single && f.take("f16", "bf16") != "" {
		f.unsupported("mixed-precision arithmetic needs sm_100 or newer")
	}
	is16 := t.family >= half
	switch {
	case n.relu && !is16:
		f.fail(".relu needs a 16-bit floating-point type")
	case is16 && m != nearestEven:
		f.fail("16-bit types round to nearest even only")
	case t.family == double && (n.ftz || n.sat):
		f.fail(".f64 has neither .ftz nor .sat")
	case is16 && t.name[0] == 'b' && (n.ftz || n.sat):
		f.fail(".bf16 has neither .ftz nor .sat")
	}
	return same(t, operands, build(n, t))
}

// buildFloatSign recognises abs and neg. abs.f64 passes a NaN through unchanged; of
// the others the ISA leaves it unspecified, and only the sign bit changes here, as
// IEEE 754 asks for.
func buildFloatSign(f *form) *Op {
	ftz := f.flag("ftz")
	t := f.typ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
	if ftz && (t.family == double || t.name[0] == 'b') {
		f.fail(".%s has no .ftz", t.name)
	}
	fm, _ := t.format()
	sign := fm.signBit()
	fn := func(a, _, _, _ uint64) uint64 { return a ^ sign }
	if f.op == "abs" {
		fn = func(a, _, _, _ uint64) uint64 { return a &^ sign }
	}
	plain := fn
	if ftz {
		fn = func(a, _, _, _ uint64) uint64 { return plain(fm.flush(a), 0, 0, 0) }
	}
	o := same(t, 1, packedFn(t, fn))
	switch {
	case f.op == "abs" && t.family == double:
		o.Fn = func(a, _, _, _ uint64) uint64 {
			if fm.isNaN(a) {
				return a
			}
			return a &^ sign
		}
	case !ftz:
		o.with(Bitwise)
	}
	return o
}

// buildCopysign recognises copysign: the sign of a, the magnitude of b (9.7.3.2).
func buildCopysign(f *form) *Op {
	t := f.typ("f32", "f64")
	fm, _ := t.format()
	sign := fm.signBit()
	return same(t, 2, func(a, b, _, _ uint64) uint64 { return a&sign | b&^sign }).with(Bitwise)
}

// buildFloatMinMax recognises min and max.
func buildFloatMinMax(f *form) *Op {
	ftz := f.flag("ftz")
	nan := f.flag("NaN")
	xorsign := f.flag("xorsign")
	if xorsign {
		f.need("abs")
	}
	t := f.typ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
	switch {
	case t.family == double && (ftz || nan || xorsign):
		f.fail(".f64 has no modifiers")
	case ftz && t.name[0] == 'b':
		f.fail(".bf16 has no .ftz")
	}
	fm, _ := t.format()
	lane := fm.minMax(f.op == "max", ftz, nan)
	if t.family == single && !ftz {
		lane = minMax32(f.op == "max", lane)
	}
	if xorsign {
		lane = fm.xorSignAbs(lane)
	}
	return same(t, 2, packedFn(t, lane))
}

// minMax orders values by their bits, so that -0 is less than +0. A single NaN
// gives the other operand, or the canonical NaN with .NaN.
func (f format) minMax(largest, ftz, nan bool) Fn {
	sign := f.signBit()
	mask := sign | (sign - 1)
	var flip uint64
	if largest {
		flip = mask
	}
	// order maps values to integers in the wanted order.
	order := func(v uint64) uint64 {
		if v&sign != 0 {
			return ^v&mask ^ flip
		}
		return v | sign ^ flip
	}
	return func(a, b, _, _ uint64) uint64 {
		if ftz {
			a, b = f.flush(a), f.flush(b)
		}
		aNaN, bNaN := f.isNaN(a), f.isNaN(b)
		switch {
		case aNaN && bNaN || nan && (aNaN || bNaN):
			if f == binary64 {
				return nan64(a, b, 0)
			}
			return f.canonicalNaN()
		case aNaN:
			return b
		case bNaN:
			return a
		case order(a) <= order(b):
			return a
		}
		return b
	}
}

// minMax32 decides for two different numbers without a look at their bits.
func minMax32(largest bool, otherwise Fn) Fn {
	return func(a, b, _, _ uint64) uint64 {
		x, y := f32(a), f32(b)
		switch {
		case x < y:
			if largest {
				return b
			}
			return a
		case x > y:
			if largest {
				return a
			}
			return b
		}
		return otherwise(a, b, 0, 0)
	}
}

// xorSignAbs is .xorsign.abs: compare magnitudes, then give the result the exclusive
// or of the signs unless it is NaN.
func (f format) xorSignAbs(lane Fn) Fn {
	sign := f.signBit()
	return func(a, b, _, _ uint64) uint64 {
		d := lane(a&^sign, b&^sign, 0, 0)
		if f.isNaN(d) {
			return d
		}
		return d | (a^b)&sign
	}
}

func buildRcp(f *form) *Op {
	if f.flag("approx") {
		n := numeric{ftz: f.flag("ftz")}
		t := f.typ("f32", "f64")
		if t.family == double {
			if !n.ftz {
				f.fail("rcp.approx.f64 needs .ftz")
			}
			return same(t, 1, rcpApproxFTZ64)
		}
		return same(t, 1, rcpFn32(n))
	}
	return f.root(rcpFn32, rcpFn64)
}

func buildSqrt(f *form) *Op {
	if f.flag("approx") {
		n := numeric{ftz: f.flag("ftz")}
		return same(f.typ("f32"), 1, sqrtFn32(n))
	}
	return f.root(sqrtFn32, sqrtFn64)
}

// root recognises the IEEE forms .rnd{.ftz}.f32 and .rnd.f64.
func (f *form) root(of32 func(numeric) Fn, of64 func(rounding) Fn) *Op {
	n := numeric{m: f.needRnd(), ftz: f.flag("ftz")}
	n.canonical = n.m == nearestEven && !n.ftz
	t := f.typ("f32", "f64")
	if t.family == single {
		return same(t, 1, of32(n))
	}
	if n.ftz {
		f.fail(".f64 has no .ftz")
	}
	return same(t, 1, of64(n.m))
}
