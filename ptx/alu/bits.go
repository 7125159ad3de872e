package alu

import mathbits "math/bits"

// Bit counting, searching and fields: PTX ISA 9.7.1.14 to 9.7.1.22.

// none32 is what bfind and fns return when there is no such bit.
const none32 = 0xffffffff

// 9.7.1.14 popc, 9.7.1.15 clz
func buildCount(f *form) *Op {
	t := f.typ("b32", "b64")
	o := same(t, 1, func(a, _, _, _ uint64) uint64 { return uint64(mathbits.OnesCount64(a)) })
	o.Result = B32
	if f.op == "clz" {
		spare := 64 - t.bits()
		o.Fn = func(a, _, _, _ uint64) uint64 { return uint64(mathbits.LeadingZeros64(a) - spare) }
	}
	return o
}

// 9.7.1.16 bfind
func buildBfind(f *form) *Op {
	shiftamt := f.flag("shiftamt")
	t := f.typ("u32", "u64", "s32", "s64")
	msb := uint64(t.bits() - 1)
	isSigned, mask := t.family == signed, t.kind.Mask()
	o := same(t, 1, func(a, _, _, _ uint64) uint64 {
		if isSigned && a>>msb&1 != 0 {
			a = ^a & mask
		}
		if a == 0 {
			return none32
		}
		pos := uint64(63 - mathbits.LeadingZeros64(a))
		if shiftamt {
			return msb - pos
		}
		return pos
	})
	o.Result, o.Signed = B32, false
	return o
}

// 9.7.1.17 fns. A base above 31 is undefined; here it finds nothing.
func buildFns(f *form) *Op { return same(f.typ("b32"), 3, findNthSet) }

func findNthSet(mask, base, offset, _ uint64) uint64 {
	if base > 31 {
		return none32
	}
	n := int64(int32(offset))
	step := int64(1)
	if n < 0 {
		step, n = -1, -n
	}
	if n == 0 {
		if mask>>base&1 != 0 {
			return base
		}
		return none32
	}
	for pos := int64(base); pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if n--; n == 0 {
			return uint64(pos)
		}
	}
	return none32
}

// 9.7.1.18 brev
func buildBrev(f *form) *Op {
	t := f.typ("b32", "b64")
	spare := 64 - t.bits()
	return same(t, 1, func(a, _, _, _ uint64) uint64 { return mathbits.Reverse64(a) >> spare }).with(Bitwise)
}

// 9.7.1.19 bfe
func buildBfe(f *form) *Op {
	t := f.typ("u32", "u64", "s32", "s64")
	size, isSigned := uint(t.bits()), t.family == signed
	mask := t.kind.Mask()
	o := same(t, 3, func(a, b, c, _ uint64) uint64 {
		pos, n := uint(b&0xff), uint(c&0xff)
		if n == 0 {
			return 0
		}
		if isSigned {
			a = field(a, 0, size, true) // bits beyond the msb are copies of it
			pos = min(pos, 63)
			n = min(n, 64-pos)
			return field(a, pos, n, true) & mask
		}
		if pos >= size {
			return 0
		}
		return field(a, pos, min(n, 64-pos), false)
	})
	o.Args[1], o.Args[2] = B32, B32
	return o.with(Bitwise, 1, 2)
}

// 9.7.1.20 bfi
func buildBfi(f *form) *Op {
	t := f.typ("b32", "b64")
	size := uint(t.bits())
	o := same(t, 4, func(a, b, c, d uint64) uint64 {
		pos, n := uint(c&0xff), uint(d&0xff)
		if n == 0 || pos >= size {
			return b
		}
		n = min(n, size-pos)
		hole := ^uint64(0) >> (64 - n) << pos
		return b&^hole | a<<pos&hole
	})
	o.Args[2], o.Args[3] = B32, B32
	return o.with(Bitwise, 2, 3)
}

// 9.7.1.21 szext
func buildSzext(f *form) *Op {
	clamp := f.need("clamp", "wrap") == "clamp"
	t := f.typ("u32", "s32")
	isSigned := t.family == signed
	return same(t, 2, func(a, b, _, _ uint64) uint64 {
		if clamp && b >= 32 {
			return a
		}
		n := uint(b & 31)
		if n == 0 {
			return 0
		}
		return uint64(uint32(field(a, 0, n, isSigned)))
	}).with(Bitwise, 1)
}

// 9.7.1.22 bmsk
func buildBmsk(f *form) *Op {
	clamp := f.need("clamp", "wrap") == "clamp"
	return same(f.typ("b32"), 2, func(a, b, _, _ uint64) uint64 {
		if clamp {
			if a >= 32 {
				return 0
			}
			b = min(b, 32)
		} else {
			a, b = a&31, b&31
		}
		return (1<<b - 1) << a & none32
	})
}
