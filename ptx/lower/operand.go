package lower

import (
	"math"
	"strings"

	"gpusim/memory"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// reg is the register of an operand, NoReg for the sink `_`.
func (b *builder) reg(o *syntax.Operand) vm.Reg {
	switch o.Kind {
	case syntax.OperandSink:
		return vm.Reg{}
	case syntax.OperandReg:
		if o.Comp == 0 && o.Select == "" && o.Reg.Vec == 0 {
			if r := b.regs[o.Reg.Index]; r.Class != vm.NoReg {
				return r
			}
			b.unsupported("registers of type .%s are not supported", o.Reg.Type)
			return vm.Reg{}
		}
		b.unsupported("vector registers and operand selectors are not supported")
		return vm.Reg{}
	}
	b.unsupported("operand %q must be a register", o.Sym)
	return vm.Reg{}
}

// value is a source operand of the given width in bits (1 for a predicate): a register,
// or a constant's register, narrowed when the register is wider than the instruction
// reads. float tells how a literal is to be read.
func (b *builder) value(o *syntax.Operand, bits int, float bool) vm.Reg {
	class := vm.R32
	switch {
	case bits == 1:
		class = vm.RP
	case bits > 32:
		class = vm.R64
	}
	switch o.Kind {
	case syntax.OperandReg:
		r := b.reg(o)
		if o.Neg && r.Class == vm.RP {
			n := b.newReg(vm.RP)
			b.emit(vm.Inst{Op: vm.NotP, DK: vm.RP, D: n.Index, A: r.Index, Src: [4]vm.Reg{r}, NArgs: 1, Fn: notPred})
			return n
		}
		return r
	case syntax.OperandInt:
		v := o.Int
		if bits == 1 {
			if v != 0 {
				v = 1
			}
		} else if bits < 64 {
			v &= 1<<uint(bits) - 1
		}
		return b.constant(class, v)
	case syntax.OperandFloat:
		return b.constant(class, floatBits(o, bits))
	case syntax.OperandVar, syntax.OperandFunc:
		a, ok := b.address(o)
		if !ok {
			return vm.Reg{}
		}
		return b.constant(class, a)
	case syntax.OperandSpecial:
		r := b.newReg(class)
		b.special(r, o)
		return r
	}
	b.unsupported("an operand of this kind is not supported here")
	return vm.Reg{}
}

// floatBits converts a literal to the width that the instruction reads.
func floatBits(o *syntax.Operand, bits int) uint64 {
	switch {
	case o.FloatWidth == 64 && bits == 32:
		return uint64(math.Float32bits(float32(math.Float64frombits(o.FloatBits))))
	case o.FloatWidth == 32 && bits == 64:
		return math.Float64bits(float64(math.Float32frombits(uint32(o.FloatBits))))
	}
	return o.FloatBits
}

// address is the generic address of a variable or function.
func (b *builder) address(o *syntax.Operand) (uint64, bool) {
	if o.Kind == syntax.OperandFunc {
		f := b.link.Func(o.Func)
		return b.link.FuncAddress(f), true
	}
	v := o.Var
	switch v.Space {
	case syntax.SpaceShared:
		return b.sharedAddress(v) + uint64(o.Off), true
	case syntax.SpaceLocal:
		b.unsupported("the address of a local variable is not a constant here")
		return 0, false
	case syntax.SpaceParam:
		if b.src.Entry && isParam(b.src, v) {
			return memory.ParamBase + uint64(b.params[v]) + uint64(o.Off), true
		}
		b.unsupported("the address of a function parameter is not supported")
		return 0, false
	case syntax.SpaceGlobal, syntax.SpaceConst:
		if a, ok := b.link.VarAddress(v); ok {
			return a + uint64(o.Off), true
		}
		b.unsupported("variable %s is declared but defined nowhere", b.link.Demangle(v.Name))
		return 0, false
	}
	b.unsupported("variables of this state space are not supported")
	return 0, false
}

func isParam(f *syntax.Func, v *syntax.Var) bool {
	for _, p := range f.Params {
		if p == v {
			return true
		}
	}
	return false
}

// special reads a special register into r.
func (b *builder) special(r vm.Reg, o *syntax.Operand) {
	name := o.Special
	if o.Comp != 0 {
		if o.Comp == 4 { // .w reads as zero
			b.move(r, b.constant(r.Class, 0))
			return
		}
		name += "." + string("xyz"[o.Comp-1])
	}
	if name == "WARP_SZ" {
		b.move(r, b.constant(r.Class, 32))
		return
	}
	if strings.HasPrefix(name, "%envreg") {
		b.move(r, b.constant(r.Class, uint64(b.link.EnvReg(name))))
		return
	}
	s, ok := vm.SpecialNames[name]
	if !ok {
		b.unsupported("special register %s is not supported", name)
		return
	}
	b.emit(vm.Inst{Op: vm.ReadSpecial, DK: r.Class, D: r.Index, Special: s})
}

// move copies a register to one of the same class.
func (b *builder) move(d, s vm.Reg) {
	op := vm.Mov32
	switch d.Class {
	case vm.R64:
		op = vm.Mov64
	case vm.RP:
		op = vm.MovP
	}
	b.emit(vm.Inst{Op: op, DK: d.Class, D: d.Index, A: s.Index, Src: [4]vm.Reg{s}, NArgs: 1, Fn: identity})
}

func identity(a, _, _, _ uint64) uint64 { return a }

func notPred(a, _, _, _ uint64) uint64 { return a ^ 1 }

// local puts the address of a local variable into a fresh register: it depends on the
// activation, so it is computed from the frame at run time.
func (b *builder) localAddress(v *syntax.Var, off int64, class vm.Class) vm.Reg {
	r := b.newReg(class)
	b.emit(vm.Inst{Op: vm.LocalAddr, DK: class, D: r.Index, Mem: &vm.Mem{Off: b.locals[v] + off}})
	return r
}
