package alu

// Logic, shifts and byte permutation: PTX ISA 9.7.8 and prmt of 9.7.9.

// buildLogic recognises and, or, xor and not.
func buildLogic(f *form) *Op {
	t := f.typ("pred", "b16", "b32", "b64")
	switch f.op {
	case "and":
		return same(t, 2, and).with(Bitwise)
	case "or":
		return same(t, 2, or).with(Bitwise)
	case "xor":
		return same(t, 2, xor).with(Bitwise)
	}
	switch t.kind {
	case Pred:
		return same(t, 1, notPred).with(Bitwise)
	case B16:
		return same(t, 1, not[uint16]).with(Bitwise)
	case B64:
		return same(t, 1, not[uint64]).with(Bitwise)
	}
	return same(t, 1, not[uint32]).with(Bitwise)
}

func and(a, b, _, _ uint64) uint64                { return a & b }
func or(a, b, _, _ uint64) uint64                 { return a | b }
func xor(a, b, _, _ uint64) uint64                { return a ^ b }
func not[T unsignedInt](a, _, _, _ uint64) uint64 { return uint64(^T(a)) }
func notPred(a, _, _, _ uint64) uint64            { return a ^ 1 }

func buildCnot(f *form) *Op {
	return same(f.typ("b16", "b32", "b64"), 1, func(a, _, _, _ uint64) uint64 { return truth(a == 0) })
}

// truth is a predicate as a bit.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// buildLop3 recognises lop3.b32 and lop3.{and,or}.b32, which adds a predicate
// source and a predicate result: p = (d != 0) op q.
func buildLop3(f *form) *Op {
	boolOp := f.take("and", "or")
	t := f.typ("b32")
	if len(f.imm) != 1 || f.imm[0] > 0xff {
		f.fail("the look-up table has to be an immediate from 0 to 255")
		return same(t, 3, nil)
	}
	table := lop3Fn(uint8(f.imm[0]))
	o := same(t, 3, table).with(Bitwise)
	if boolOp == "" {
		return o
	}
	o.Args = append(o.Args, Pred)
	o.Pred2 = true
	o.with(Whole)
	if boolOp == "and" {
		o.Fn = func(a, b, c, q uint64) uint64 {
			d := table(a, b, c, 0)
			return d | (truth(d != 0)&q)<<32
		}
	} else {
		o.Fn = func(a, b, c, q uint64) uint64 {
			d := table(a, b, c, 0)
			return d | (truth(d != 0)|q)<<32
		}
	}
	return o
}

// lop3Fn is the function whose truth table is lut: the bit at index 4a+2b+c. The
// tables that compilers emit most have code of their own.
func lop3Fn(lut uint8) Fn {
	switch lut {
	case 0x80:
		return func(a, b, c, _ uint64) uint64 { return a & b & c }
	case 0xfe:
		return func(a, b, c, _ uint64) uint64 { return a | b | c }
	case 0x96:
		return func(a, b, c, _ uint64) uint64 { return a ^ b ^ c }
	}
	var minterm [8]uint64 // all ones where the table has a one
	for i := range minterm {
		minterm[i] = -(uint64(lut) >> i & 1)
	}
	return func(a, b, c, _ uint64) uint64 {
		low := ^a&(^b&(^c&minterm[0]|c&minterm[1])|b&(^c&minterm[2]|c&minterm[3])) |
			a&(^b&(^c&minterm[4]|c&minterm[5])|b&(^c&minterm[6]|c&minterm[7]))
		return low & 0xffffffff
	}
}

// buildShift recognises shl and shr. Amounts of the width and more shift
// everything out ("shift amounts greater than the register width N are clamped to
// N").
func buildShift(f *form) *Op {
	var o *Op
	if f.op == "shl" {
		t := f.typ("b16", "b32", "b64")
		o = same(t, 2, perWidth(t, shl[uint16], shl[uint32], shl[uint64]))
	} else {
		t := f.typ(append([]string{"b16", "b32", "b64"}, integerTypes...)...)
		o = same(t, 2, perType(t, shr[uint16, uint16], shr[uint32, uint32], shr[uint64, uint64],
			shr[int16, uint16], shr[int32, uint32], shr[int64, uint64]))
	}
	o.Args[1] = B32
	return o.with(Bitwise, 1)
}

func shl[T unsignedInt](a, b, _, _ uint64) uint64 { return uint64(T(a) << uint32(b)) }
func shr[T signedInt | unsignedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(U(T(a) >> uint32(b)))
}

// buildFunnel recognises shf: operand 1 holds bits 63:32.
func buildFunnel(f *form) *Op {
	left := f.need("l", "r") == "l"
	clamp := f.need("clamp", "wrap") == "clamp"
	t := f.typ("b32")
	amount := func(c uint64) uint64 { return c & 31 }
	if clamp {
		amount = func(c uint64) uint64 { return min(c, 32) }
	}
	fn := func(a, b, c, _ uint64) uint64 { return uint64(uint32((b<<32 | a) >> amount(c))) }
	if left {
		fn = func(a, b, c, _ uint64) uint64 { return (b<<32 | a) << amount(c) >> 32 }
	}
	return same(t, 3, fn).with(Bitwise, 2)
}

// prmtModes lists the byte selectors of the special modes, least significant
// nibble for the least significant byte, by the two low bits of operand c.
var prmtModes = map[string][4]uint64{
	"f4e":  {0x3210, 0x4321, 0x5432, 0x6543},
	"b4e":  {0x5670, 0x6701, 0x7012, 0x0123},
	"rc8":  {0x0000, 0x1111, 0x2222, 0x3333},
	"ecl":  {0x3210, 0x3211, 0x3222, 0x3333},
	"ecr":  {0x0000, 0x1110, 0x2210, 0x3210},
	"rc16": {0x1010, 0x3232, 0x1010, 0x3232},
}

func buildPrmt(f *form) *Op {
	t := f.typ("b32")
	mode := f.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	fn := permute
	if mode != "" {
		selectors := prmtModes[mode]
		fn = func(a, b, c, _ uint64) uint64 { return permute(a, b, selectors[c&3], 0) }
	}
	return same(t, 3, fn).with(Bitwise, 2)
}

// permute is the generic form of prmt: bit 3 of a selector replicates the sign of
// the byte that bits 2:0 pick.
func permute(a, b, c, _ uint64) uint64 {
	source := b<<32 | a
	var d uint64
	for i := range 4 {
		sel := c >> (4 * i)
		by := source >> (8 * (sel & 7)) & 0xff
		if sel&8 != 0 {
			by = (by >> 7) * 0xff
		}
		d |= by << (8 * i)
	}
	return d
}

// buildSelp recognises selp (9.7.6): d = c ? a : b.
func buildSelp(f *form) *Op {
	t := f.typ(append([]string{"b16", "b32", "b64", "f32", "f64"}, integerTypes...)...)
	o := same(t, 3, func(a, b, c, _ uint64) uint64 {
		if c != 0 {
			return a
		}
		return b
	})
	o.Args[2] = Pred
	return o.with(Bitwise, 2)
}

// buildSlct recognises slct: d = c >= 0 ? a : b. A NaN c selects b; -0 counts as
// 0, and so does, with .ftz, every subnormal.
func buildSlct(f *form) *Op {
	ftz := f.flag("ftz")
	t := f.typ(append([]string{"b16", "b32", "b64", "f32", "f64"}, integerTypes...)...)
	c := f.typ("s32", "f32")
	if ftz && c.family != single {
		f.fail(".ftz needs an .f32 selector")
	}
	pick := func(c uint64) bool { return int32(c) >= 0 }
	if c.family == single {
		pick = func(c uint64) bool {
			x := f32(c)
			if ftz {
				x = flush32(x)
			}
			return x >= 0
		}
	}
	o := same(t, 3, func(a, b, c, _ uint64) uint64 {
		if pick(c) {
			return a
		}
		return b
	})
	o.Args[2] = B32
	return o.with(Bitwise, 2)
}
