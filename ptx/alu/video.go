package alu

import (
	"math"
	"slices"
	"strings"
)

// Video instructions: PTX ISA 9.7.17 (scalar) and 9.7.17.9 (SIMD). Their operands carry
// selectors: a byte or half of a register, lanes of two registers, or a mask of lanes.

// LookupVideo is Lookup for a video instruction. selectors are those of the destination
// and of the operands a and b, "" where there is none; args is the number of source
// operands.
func LookupVideo(op string, mods []string, selectors [3]string, args int) (*Op, error) {
	f := &form{op: op, mods: mods}
	name := f.name()
	var o *Op
	switch op[len(op)-1] {
	case '2':
		o = buildSIMD(f, 2, selectors)
	case '4':
		o = buildSIMD(f, 4, selectors)
	default:
		o = buildVideo(f, selectors, args)
	}
	if f.err == nil && len(f.mods) > 0 {
		f.fail("%s", f.found())
	}
	if f.err != nil {
		if u, ok := f.err.(*UnknownFormError); ok {
			u.Form = name
		}
		return nil, f.err
	}
	o.Name = name
	return o, nil
}

// IsVideo tells whether an opcode is that of a video instruction.
func IsVideo(op string) bool {
	base := strings.TrimRight(op, "24")
	if base == "vavrg" {
		return op != base
	}
	if base != op {
		return slices.Contains([]string{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset"}, base)
	}
	return slices.Contains([]string{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr", "vmad"}, base)
}

// selectPart reads the byte or half that a selector names, extended by the type's sign.
func selectPart(v uint64, sel string, signed bool) int64 {
	shift, bits := uint(0), uint(32)
	if sel != "" {
		bits = 8
		if sel[0] == 'h' {
			bits = 16
		}
		shift = uint(sel[1]-'0') * bits
	}
	x := int64(v>>shift) << (64 - bits)
	if signed {
		return x >> (64 - bits)
	}
	return int64(uint64(x) >> (64 - bits))
}

// clampTo saturates to a number of bits.
func clampTo(x int64, bits uint, signed bool) int64 {
	if signed {
		return max(-1<<(bits-1), min(x, 1<<(bits-1)-1))
	}
	return max(0, min(x, 1<<bits-1))
}

// relation recognises the relation of vset.
func (f *form) relation() func(x, y int64) bool {
	switch f.need("eq", "ne", "lt", "le", "gt", "ge") {
	case "eq":
		return func(x, y int64) bool { return x == y }
	case "ne":
		return func(x, y int64) bool { return x != y }
	case "lt":
		return func(x, y int64) bool { return x < y }
	case "le":
		return func(x, y int64) bool { return x <= y }
	case "gt":
		return func(x, y int64) bool { return x > y }
	}
	return func(x, y int64) bool { return x >= y }
}

// lanewise is the operation of a video instruction on extended values.
func lanewise(op string) func(x, y int64) int64 {
	switch op {
	case "vadd":
		return func(x, y int64) int64 { return x + y }
	case "vsub":
		return func(x, y int64) int64 { return x - y }
	case "vabsdiff":
		return func(x, y int64) int64 { return max(x-y, y-x) }
	case "vmin":
		return func(x, y int64) int64 { return min(x, y) }
	case "vmax":
		return func(x, y int64) int64 { return max(x, y) }
	}
	return func(x, y int64) int64 { // vavrg: rounded half up, away from zero for positive sums
		if x+y >= 0 {
			return (x + y + 1) >> 1
		}
		return (x + y) >> 1
	}
}

// buildVideo recognises the scalar forms.
func buildVideo(f *form, sel [3]string, args int) *Op {
	for _, s := range sel {
		if s != "" && !slices.Contains([]string{"b0", "b1", "b2", "b3", "h0", "h1"}, s) {
			f.fail("unexpected selector .%s", s)
			return nil
		}
	}
	var dt typ
	if f.op == "vset" {
		dt = types["u32"]
	} else {
		dt = f.typ("u32", "s32")
	}
	at, bt := f.typ("u32", "s32"), f.typ("u32", "s32")
	d, x, y := dt.family == signed, at.family == signed, bt.family == signed
	if f.op == "vmad" {
		return buildVmad(f, sel, x, y)
	}
	var compute func(p, q int64) int64
	sat := false
	switch f.op {
	case "vset":
		less := f.relation()
		compute = func(p, q int64) int64 {
			if less(p, q) {
				return 1
			}
			return 0
		}
	case "vshl", "vshr":
		if y {
			f.fail("the count of a shift is .u32")
		}
		sat = f.flag("sat")
		wrap := f.need("clamp", "wrap") == "wrap"
		left := f.op == "vshl"
		compute = func(p, q int64) int64 {
			if wrap {
				q &= 31
			}
			if q = min(q, 32); left {
				return p << q
			}
			return p >> q
		}
	default:
		compute = lanewise(f.op)
		sat = f.flag("sat")
	}
	second := f.take("add", "min", "max")
	want := 2
	if second != "" || sel[0] != "" {
		want = 3
	}
	if args != want || second != "" && sel[0] != "" {
		f.fail("an operand c goes with a second operation or with a selector of d")
		return nil
	}
	bits := uint(32)
	mask := uint64(math.MaxUint32)
	if sel[0] != "" {
		bits = 8
		if sel[0][0] == 'h' {
			bits = 16
		}
		mask = 1<<bits - 1
	}
	shift := uint(0)
	if sel[0] != "" {
		shift = uint(sel[0][1]-'0') * bits
	}
	return same(dt, want, func(a, b, c, _ uint64) uint64 {
		t := compute(selectPart(a, sel[1], x), selectPart(b, sel[2], y))
		if sat {
			t = clampTo(t, bits, d)
		}
		if second != "" {
			v := selectPart(uint64(t), "", d)
			switch w := selectPart(c, "", d); second {
			case "add":
				t = v + w
			case "min":
				t = min(v, w)
			case "max":
				t = max(v, w)
			}
		}
		return uint64(t)&mask<<shift | c&^(mask<<shift)&math.MaxUint32&uint64(-btoi(sel[0] != ""))
	})
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// buildVmad recognises vmad without negated operands.
func buildVmad(f *form, sel [3]string, x, y bool) *Op {
	if sel[0] != "" {
		f.fail("vmad has no selector of d")
	}
	one := f.flag("po")
	sat := f.flag("sat")
	scale := map[string]uint{"shr7": 7, "shr15": 15}[f.take("shr7", "shr15")]
	s := x || y
	return same(types["u32"], 3, func(a, b, c, _ uint64) uint64 {
		// The product of 32 by 32 bits, c and 1 fit into 64 bits.
		t := selectPart(a, sel[1], x)*selectPart(b, sel[2], y) + selectPart(c, "", s)
		if one {
			t++
		}
		if s {
			t >>= scale
			if sat {
				t = clampTo(t, 32, true)
			}
			return uint64(t) & math.MaxUint32
		}
		u := uint64(t) >> scale
		if sat {
			u = min(u, math.MaxUint32)
		}
		return u & math.MaxUint32
	})
}

// buildSIMD recognises the forms on two halves or four bytes.
func buildSIMD(f *form, n int, sel [3]string) *Op {
	letter, bits := byte('h'), uint(16)
	if n == 4 {
		letter, bits = 'b', 8
	}
	base := f.op[:len(f.op)-1]
	dt := types["u32"]
	if base != "vset" {
		dt = f.typ("u32", "s32")
	}
	at, bt := f.typ("u32", "s32"), f.typ("u32", "s32")
	d, x, y := dt.family == signed, at.family == signed, bt.family == signed
	var compute func(p, q int64) int64
	sat := false
	if base == "vset" {
		less := f.relation()
		compute = func(p, q int64) int64 { return btoi(less(p, q)) }
	} else {
		compute = lanewise(base)
		sat = f.flag("sat")
	}
	accumulate := f.flag("add")
	mask := f.lanes(sel[0], letter, n, n)
	pa, pb := f.order(sel[1], letter, n, 0), f.order(sel[2], letter, n, n)
	if f.err != nil {
		return nil
	}
	part := func(a, b uint64, i int, signed bool) int64 {
		v := (a | b<<32) >> (uint(i) * bits)
		return selectPart(v, string([]byte{letter, '0'}), signed)
	}
	return same(dt, 3, func(a, b, c, _ uint64) uint64 {
		var out uint64
		sum := int64(c)
		for i := range n {
			one := uint64(1)<<bits - 1
			t := compute(part(a, b, pa[i], x), part(a, b, pb[i], y))
			if sat {
				t = clampTo(t, bits, d)
			}
			at := uint(i) * bits
			if mask>>i&1 == 0 {
				out |= c & (one << at)
				continue
			}
			sum += t
			out |= uint64(t) & one << at
		}
		if accumulate {
			return uint64(sum) & math.MaxUint32
		}
		return out
	})
}

// lanes reads a mask of lanes, "h10" or "b320": the lane numbers in descending order.
func (f *form) lanes(sel string, letter byte, n, limit int) (mask uint32) {
	if sel == "" {
		return 1<<n - 1
	}
	last := limit
	for i := range sel {
		if i == 0 {
			if sel[0] != letter {
				f.fail("unexpected selector .%s", sel)
			}
			continue
		}
		v := int(sel[i]) - '0'
		if v < 0 || v >= last {
			f.fail("unexpected selector .%s", sel)
			return 0
		}
		mask |= 1 << v
		last = v
	}
	return mask
}

// order reads which lanes of a and b an operand consists of, "h32" or "b7610": the last
// is that of lane 0. Without a selector they are those from first on.
func (f *form) order(sel string, letter byte, n, first int) []int {
	out := make([]int, n)
	if sel == "" {
		for i := range out {
			out[i] = first + i
		}
		return out
	}
	if len(sel) != n+1 || sel[0] != letter {
		f.fail("unexpected selector .%s", sel)
		return out
	}
	for i := range out {
		v := int(sel[n-i]) - '0'
		if v < 0 || v >= 2*n {
			f.fail("unexpected selector .%s", sel)
			return out
		}
		out[i] = v
	}
	return out
}
