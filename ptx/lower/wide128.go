package lower

import (
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// A .b128 register is two registers of 64 bits, the lower half first (PTX ISA, "128-bit
// Data Types": only mov, ld, st and atom take it).

// pair is the two halves of an operand of 128 bits.
func (b *builder) pair(o *syntax.Operand) [2]vm.Reg {
	if o.Kind == syntax.OperandSink {
		return [2]vm.Reg{}
	}
	if o.Kind != syntax.OperandReg || o.Reg.Type != syntax.B128 || o.Reg.Vec != 0 {
		b.unsupported("operand %q must be a register of 128 bits", o.Sym)
		return [2]vm.Reg{}
	}
	p, ok := b.pairs[o.Reg.Index]
	if !ok {
		p = [2]vm.Reg{b.newReg(vm.R64), b.newReg(vm.R64)}
		if b.pairs == nil {
			b.pairs = map[int][2]vm.Reg{}
		}
		b.pairs[o.Reg.Index] = p
	}
	return p
}

// mov128 lowers mov.b128: a copy, or packing and unpacking of 64-bit halves.
func (b *builder) mov128(dst, src *syntax.Operand) {
	var d, s [2]vm.Reg
	half := func(o *syntax.Operand, k int, read bool) vm.Reg {
		if len(o.Elems) != 2 {
			b.unsupported("mov.b128 takes two halves of 64 bits")
			return vm.Reg{}
		}
		r := vm.Reg{}
		if read {
			r = b.value(&o.Elems[k], 64, false)
		} else {
			r = b.reg(&o.Elems[k])
		}
		if !b.failed && r.Class != vm.R64 && (read || r.Class != vm.NoReg) {
			b.unsupported("mov.b128 takes two halves of 64 bits")
		}
		return r
	}
	if src.Kind == syntax.OperandVector {
		s = [2]vm.Reg{half(src, 0, true), half(src, 1, true)}
	} else {
		s = b.pair(src)
	}
	if dst.Kind == syntax.OperandVector {
		d = [2]vm.Reg{half(dst, 0, false), half(dst, 1, false)}
	} else {
		d = b.pair(dst)
	}
	if b.failed {
		return
	}
	if d[0] == s[1] { // the first move must not change what the second one reads
		t := b.newReg(vm.R64)
		b.move(t, s[1])
		s[1] = t
	}
	for k := range d {
		if d[k].Class != vm.NoReg {
			b.move(d[k], s[k])
		}
	}
}
