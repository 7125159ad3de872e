package alu

import "slices"

// Comparison: PTX ISA 9.7.6 and, for .f16 and .bf16, 9.7.7.

// A comparison function returns setp's two results: 1 (p) if it holds, else 2 (q).
func verdict(holds bool) uint64 {
	if holds {
		return 1
	}
	return 2
}

var (
	orderings  = []string{"eq", "ne", "lt", "le", "gt", "ge"}
	unsignedly = []string{"lo", "ls", "hi", "hs"} // the same order, for .u types
	unordered  = []string{"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}
)

// compareMods consumes .CmpOp{.BoolOp}{.ftz}.
func (f *form) compareMods() (cmp, boolOp string, ftz bool) {
	all := slices.Concat(orderings, unsignedly, unordered)
	cmp = f.need(all...)
	boolOp = f.take("and", "or", "xor")
	return cmp, boolOp, f.flag("ftz")
}

// comparison is the function of a comparison of type t, after checking that the
// type has it.
func (f *form) comparison(cmp string, t typ, ftz bool) Fn {
	inUnordered, inUnsigned := slices.Contains(unordered, cmp), slices.Contains(unsignedly, cmp)
	switch {
	case inUnordered && !t.float():
		f.fail(".%s needs a floating-point type", cmp)
	case inUnsigned && t.family != unsigned:
		f.fail(".%s needs an unsigned type", cmp)
	case t.family == untyped && cmp != "eq" && cmp != "ne":
		f.fail("untyped operands have .eq and .ne only")
	case ftz && (!t.float() || t.family == double || t.name[0] == 'b'):
		f.fail(".%s has no .ftz", t.name)
	}
	switch t.family {
	case single:
		if !ftz {
			return compare32(cmp)
		}
		holds := compare64(cmp)
		return func(a, b, _, _ uint64) uint64 {
			return verdict(holds(float64(flush32(f32(a))), float64(flush32(f32(b)))))
		}
	case double:
		holds := compare64(cmp)
		return func(a, b, _, _ uint64) uint64 { return verdict(holds(f64(a), f64(b))) }
	case half, halves2:
		fm, load := t.format()
		holds := compare64(cmp)
		return func(a, b, _, _ uint64) uint64 {
			if ftz {
				a, b = fm.flush(a), fm.flush(b)
			}
			return verdict(holds(load(a), load(b)))
		}
	}
	return perType(t, compareInt[uint16](cmp), compareInt[uint32](cmp), compareInt[uint64](cmp),
		compareInt[int16](cmp), compareInt[int32](cmp), compareInt[int64](cmp))
}

func compareInt[T signedInt | unsignedInt](cmp string) Fn {
	switch cmp {
	case "eq":
		return func(a, b, _, _ uint64) uint64 { return verdict(T(a) == T(b)) }
	case "ne":
		return func(a, b, _, _ uint64) uint64 { return verdict(T(a) != T(b)) }
	case "lt", "lo":
		return func(a, b, _, _ uint64) uint64 { return verdict(T(a) < T(b)) }
	case "le", "ls":
		return func(a, b, _, _ uint64) uint64 { return verdict(T(a) <= T(b)) }
	case "gt", "hi":
		return func(a, b, _, _ uint64) uint64 { return verdict(T(a) > T(b)) }
	}
	return func(a, b, _, _ uint64) uint64 { return verdict(T(a) >= T(b)) }
}

// compare32 has the comparisons of singles without a further call, because loops
// are full of them. A comparison ending in u holds if an operand is NaN.
func compare32(cmp string) Fn {
	switch cmp {
	case "eq":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) == f32(b)) }
	case "lt":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) < f32(b)) }
	case "le":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) <= f32(b)) }
	case "gt":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) > f32(b)) }
	case "ge":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) >= f32(b)) }
	case "neu":
		return func(a, b, _, _ uint64) uint64 { return verdict(f32(a) != f32(b)) }
	case "ltu":
		return func(a, b, _, _ uint64) uint64 { return verdict(!(f32(a) >= f32(b))) }
	case "leu":
		return func(a, b, _, _ uint64) uint64 { return verdict(!(f32(a) > f32(b))) }
	case "gtu":
		return func(a, b, _, _ uint64) uint64 { return verdict(!(f32(a) <= f32(b))) }
	case "geu":
		return func(a, b, _, _ uint64) uint64 { return verdict(!(f32(a) < f32(b))) }
	}
	holds := compare64(cmp)
	return func(a, b, _, _ uint64) uint64 { return verdict(holds(float64(f32(a)), float64(f32(b)))) }
}

func compare64(cmp string) func(x, y float64) bool {
	switch cmp {
	case "eq":
		return func(x, y float64) bool { return x == y }
	case "ne":
		return func(x, y float64) bool { return x < y || x > y }
	case "lt":
		return func(x, y float64) bool { return x < y }
	case "le":
		return func(x, y float64) bool { return x <= y }
	case "gt":
		return func(x, y float64) bool { return x > y }
	case "ge":
		return func(x, y float64) bool { return x >= y }
	case "equ":
		return func(x, y float64) bool { return !(x < y || x > y) }
	case "neu":
		return func(x, y float64) bool { return x != y }
	case "ltu":
		return func(x, y float64) bool { return !(x >= y) }
	case "leu":
		return func(x, y float64) bool { return !(x > y) }
	case "gtu":
		return func(x, y float64) bool { return !(x <= y) }
	case "geu":
		return func(x, y float64) bool { return !(x < y) }
	case "num":
		return func(x, y float64) bool { return x == x && y == y }
	}
	return func(x, y float64) bool { return x != x || y != y }
}

// combine applies a BoolOp with predicate c to both bits of a verdict.
func combine(boolOp string) func(v, c uint64) uint64 {
	switch boolOp {
	case "and":
		return func(v, c uint64) uint64 { return v & (c * 3) }
	case "or":
		return func(v, c uint64) uint64 { return v | c*3 }
	case "xor":
		return func(v, c uint64) uint64 { return v ^ c*3 }
	}
	return nil
}

// buildSetp recognises setp.CmpOp{.BoolOp}{.ftz}.type. For packed types p is the
// comparison of the lower and q that of the upper halves.
func buildSetp(f *form) *Op {
	cmp, boolOp, ftz := f.compareMods()
	t := f.typ(append([]string{"b16", "b32", "b64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"}, integerTypes...)...)
	test := f.comparison(cmp, t, ftz)
	if t.family == halves2 {
		lane := test
		test = func(a, b, _, _ uint64) uint64 {
			return lane(a&0xffff, b&0xffff, 0, 0)&1 | lane(a>>16&0xffff, b>>16&0xffff, 0, 0)&1<<1
		}
	}
	o := same(t, 2, test).with(Whole)
	o.Result, o.Signed, o.Pred2 = Pred, false, true
	if join := combine(boolOp); join != nil {
		o.Args = append(o.Args, Pred)
		o.Fn = func(a, b, c, _ uint64) uint64 { return join(test(a, b, 0, 0), c&1) }
	}
	return o
}

// buildSet recognises set.CmpOp{.BoolOp}{.ftz}.dtype.stype: all ones or 1.0 where
// the comparison holds, in each half for packed sources.
func buildSet(f *form) *Op {
	cmp, boolOp, ftz := f.compareMods()
	d := f.typ("u32", "s32", "f32", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2")
	t := f.typ(append([]string{"b16", "b32", "b64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"}, integerTypes...)...)
	f.checkSet(d, t)
	test := f.comparison(cmp, t, ftz)
	lanes := 1
	one := d.kind.Mask()
	if t.family == halves2 {
		lanes, one = 2, 0xffff
	}
	if d.float() {
		fm, _ := d.format()
		one = fm.one()
	}
	join := combine(boolOp)
	if join == nil {
		join = func(v, _ uint64) uint64 { return v }
	}
	o := same(t, 2, func(a, b, c, _ uint64) uint64 {
		return join(test(a, b, 0, 0), c&1) & 1 * one
	}).with(Whole)
	if lanes == 2 {
		o.Fn = func(a, b, c, _ uint64) uint64 {
			low := join(test(a&0xffff, b&0xffff, 0, 0), c&1) & 1 * one
			high := join(test(a>>16&0xffff, b>>16&0xffff, 0, 0), c&1) & 1 * one
			return low | high<<16
		}
	}
	o.Result, o.Signed = d.kind, d.family == signed
	if boolOp != "" {
		o.Args = append(o.Args, Pred)
	} else if lanes == 2 {
		o.with(Halves)
	}
	return o
}

// checkSet refuses destination types that do not go with the source type.
func (f *form) checkSet(d, t typ) {
	halfSource := t.family == half || t.family == halves2
	ok := true
	switch d.name {
	case "u16", "s16":
		ok = t.family == half
	case "f16x2", "bf16x2":
		ok = t.name == d.name
	case "f32":
		ok = !halfSource
	case "f16", "bf16":
		ok = t.family != halves2
	}
	if !ok {
		f.fail("set has no .%s from .%s", d.name, t.name)
	}
}

// buildTestp recognises testp (9.7.3.1). Zero counts as normal.
func buildTestp(f *form) *Op {
	prop := f.need("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	t := f.typ("f32", "f64")
	fm, _ := t.format()
	has := map[string]func(magnitude uint64) bool{
		"finite":     func(v uint64) bool { return v < fm.inf() },
		"infinite":   func(v uint64) bool { return v == fm.inf() },
		"number":     func(v uint64) bool { return v <= fm.inf() },
		"notanumber": func(v uint64) bool { return v > fm.inf() },
		"normal":     func(v uint64) bool { return v == 0 || v >= fm.minNormal() && v < fm.inf() },
		"subnormal":  func(v uint64) bool { return v != 0 && v < fm.minNormal() },
	}[prop]
	magnitude := fm.signBit() - 1
	o := same(t, 1, func(a, _, _, _ uint64) uint64 { return truth(has(a & magnitude)) })
	o.Result = Pred
	return o
}
