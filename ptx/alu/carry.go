package alu

import mathbits "math/bits"

// Extended-precision arithmetic: PTX ISA 9.7.2. The condition code register holds
// one carry flag; for subtractions it is the borrow.

// buildCarry recognises addc{.cc} and subc{.cc}.
func buildCarry(f *form) *Op { return carryOp(f, f.flag("cc"), true) }

// carryOp builds add.cc, addc{.cc}, sub.cc and subc{.cc}: out says that the carry
// is written, in that it is read.
func carryOp(f *form, out, in bool) *Op {
	t := f.typ("u32", "s32", "u64", "s64")
	subtract := f.op[0] == 's'
	o := same(t, 2, nil).with(Ascending)
	wide := t.kind == B64
	var carry Fn
	switch {
	case subtract && wide:
		o.Fn = func(a, b, c, _ uint64) uint64 { return a - b - c }
		carry = func(a, b, c, _ uint64) uint64 {
			_, borrow := mathbits.Sub64(a, b, c)
			return borrow
		}
	case subtract:
		o.Fn = func(a, b, c, _ uint64) uint64 { return uint64(uint32(a - b - c)) }
		carry = func(a, b, c, _ uint64) uint64 { return (a - b - c) >> 63 }
	case wide:
		o.Fn = func(a, b, c, _ uint64) uint64 { return a + b + c }
		carry = func(a, b, c, _ uint64) uint64 {
			_, carry := mathbits.Add64(a, b, c)
			return carry
		}
	default:
		o.Fn = func(a, b, c, _ uint64) uint64 { return uint64(uint32(a + b + c)) }
		carry = func(a, b, c, _ uint64) uint64 { return (a + b + c) >> 32 }
	}
	return o.carries(carry, out, in)
}

// carries completes an operation that writes or reads the flag. Without a
// carry-in the operand after the last is 0, as for every unused operand.
func (o *Op) carries(carry Fn, out, in bool) *Op {
	if out {
		o.Carry = carry
	}
	o.ReadsCC = in
	return o
}

// buildMadCarry recognises madc{.hi,.lo}{.cc}.
func buildMadCarry(f *form) *Op {
	mode := f.need("lo", "hi")
	return madCarryOp(f, mode, f.flag("cc"), true)
}

// madCarryOp builds mad.cc and madc{.cc}: the carry is that of the addition.
func madCarryOp(f *form, mode string, out, in bool) *Op {
	t := f.typ("u32", "s32", "u64", "s64")
	product := mulFn(mode, t)
	o := same(t, 3, nil)
	if mode == "lo" {
		o.with(Ascending)
	}
	if t.kind == B64 {
		o.Fn = func(a, b, c, d uint64) uint64 { return product(a, b, 0, 0) + c + d }
		return o.carries(func(a, b, c, d uint64) uint64 {
			_, carry := mathbits.Add64(product(a, b, 0, 0), c, d)
			return carry
		}, out, in)
	}
	o.Fn = func(a, b, c, d uint64) uint64 { return uint64(uint32(product(a, b, 0, 0) + c + d)) }
	return o.carries(func(a, b, c, d uint64) uint64 { return (product(a, b, 0, 0) + c + d) >> 32 }, out, in)
}
