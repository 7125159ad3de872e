package lower

import (
	"gpusim/kernel"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// Parameters and results of functions in registers, and parameters whose address is taken.
// All travel through the parameter area: the callee copies them from there when it begins,
// and its results into it when it returns.

// prologue copies parameters to where the function's code expects them.
func (b *builder) prologue() {
	if b.src.Entry {
		return
	}
	for _, p := range b.src.Params {
		if p.Reg == nil {
			continue
		}
		b.emit(vm.Inst{Op: vm.LoadParam, Mem: b.slotAccess(b.params[p], p.Reg)})
	}
	for _, p := range b.src.Params {
		at, ok := b.locals[p]
		if !ok {
			continue
		}
		base := b.newReg(vm.R64)
		b.emit(vm.Inst{Op: vm.LocalAddr, DK: vm.R64, D: base.Index, Mem: &vm.Mem{Off: at}})
		for o := 0; o < alignUp(int(p.Size), 4); o += 4 {
			t := b.newReg(vm.R32)
			b.emit(vm.Inst{Op: vm.LoadParam, Mem: &vm.Mem{Space: kernel.Param, Site: -1, Size: 4, Mask: ^uint64(0), Regs: []vm.Reg{t}, Param: b.params[p] + o}})
			b.emit(vm.Inst{Op: vm.StoreLocal, Mem: &vm.Mem{Space: kernel.Local, Site: -1, Write: true, Size: 4, Mask: ^uint64(0), Regs: []vm.Reg{t}, Base: base, Off: int64(o)}})
		}
	}
}

// slotAccess is an access to the parameter area for a whole register.
func (b *builder) slotAccess(at int, r *syntax.Reg) *vm.Mem {
	mem := &vm.Mem{Space: kernel.Param, Site: -1, Param: at, Mask: ^uint64(0), Size: max(r.Type.Size(), 1)}
	if r.Type == syntax.B128 {
		p := b.pair(&syntax.Operand{Kind: syntax.OperandReg, Reg: r})
		mem.Size, mem.Regs = 8, p[:]
	} else {
		mem.Regs = []vm.Reg{b.regs[r.Index]}
	}
	return mem
}

// ret lowers ret: results in registers go to the parameter area first.
func (b *builder) ret(*syntax.Inst) {
	if !b.src.Entry {
		for _, p := range b.src.Rets {
			if p.Reg != nil {
				mem := b.slotAccess(b.params[p], p.Reg)
				mem.Write = true
				b.emit(vm.Inst{Op: vm.StoreParam, Mem: mem})
			}
		}
	}
	b.emit(vm.Inst{Op: vm.Ret})
}

// addressTaken finds the parameters of a function whose address its code takes. They are
// local variables, which begin as copies of the parameters.
func (b *builder) addressTaken() {
	if b.src.Entry {
		return
	}
	for i := range b.src.Code {
		in := &b.src.Code[i]
		if in.Op != "mov" && in.Op != "cvta" || len(in.Args) != 2 || in.Args[1].Kind != syntax.OperandVar {
			continue
		}
		v := in.Args[1].Var
		if _, ok := b.locals[v]; ok || v.Reg != nil || !isParam(b.src, v) {
			continue
		}
		b.placeLocal(v)
	}
}

// isLocal reports whether a variable lies in the function's local memory.
func (b *builder) isLocal(v *syntax.Var) bool {
	_, ok := b.locals[v]
	return ok
}

// placeLocal gives a variable its place in the function's local memory.
func (b *builder) placeLocal(v *syntax.Var) {
	align := int64(max(v.Align, 4))
	at := (b.fn.LocalSize + align - 1) &^ (align - 1)
	b.locals[v] = at
	b.fn.Local = append(b.fn.Local, vm.LocalVar{Name: localName(v.Name), Off: at, Size: v.Size})
	// A gap behind every variable: an access past its end must not hit the next.
	b.fn.LocalSize = at + v.Size + 16
}

// passed is a call's argument or result that is no .param variable: a slot of the parameter
// area of its own, with the access that fills or reads it.
func (b *builder) passed(o *syntax.Operand, formal *syntax.Var, result bool) (vm.CopyRange, *vm.Mem) {
	size := int(formal.Size)
	at := alignUp(b.fn.ParamBytes, 8)
	b.fn.ParamBytes = at + alignUp(size, 4)
	mem := &vm.Mem{Space: kernel.Param, Site: -1, Param: at, Mask: ^uint64(0), Size: max(size, 1), Write: !result}
	switch {
	case o.Kind == syntax.OperandReg && o.Reg.Type == syntax.B128:
		p := b.pair(o)
		mem.Size, mem.Regs = 8, p[:]
	case result:
		mem.Regs = []vm.Reg{b.reg(o)}
	default:
		bits := 8 * size
		if formal.Type == syntax.Pred {
			bits = 1
		}
		mem.Regs = []vm.Reg{b.value(o, bits, formal.Type.IsFloat())}
	}
	if size > 8*len(mem.Regs) {
		b.unsupported("a parameter of %d bytes is passed in a register", size)
	}
	return vm.CopyRange{Caller: at, Size: size}, mem
}
