package lower

import (
	"slices"

	"gpusim/kernel"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// Compiled code keeps many names for one value: kernel parameters, special registers,
// addresses converted between spaces. A register with a single, unconditional definition
// by such a copy is an alias: its uses read the source directly and the copy is not
// executed. For a source that never changes that is right, because a register that is read
// before its definition has no defined value; another register must get its value together
// with the copy.

// aliases resolves the registers of the function that are names of another value.
func (b *builder) aliases() {
	defs := make([]int, len(b.src.Regs))
	reads := make([]int, len(b.src.Regs))
	copies := make([]int, len(b.src.Regs)) // the instruction that defines a candidate, plus 1
	at := make([]int, len(b.src.Regs))     // the instruction that writes the register last
	root := slices.Clone(b.src.Regs)       // what an alias reads, nil: a value that never changes
	for i := range b.src.Code {
		in := &b.src.Code[i]
		for _, r := range written(in) {
			defs[r.Index]++
			reads[r.Index]--
			at[r.Index] = i
		}
		if in.Guard != nil {
			reads[in.Guard.Index]++
		}
		for k := range in.Args {
			for _, r := range registers(&in.Args[k], nil) {
				reads[r.Index]++
			}
		}
		if in.Guard == nil && len(in.Args) == 2 && in.Args[0].Kind == syntax.OperandReg && in.Args[0].Reg.Vec == 0 {
			copies[in.Args[0].Reg.Index] = i + 1
		}
	}
	for _, p := range b.src.Params {
		if p.Reg != nil {
			defs[p.Reg.Index]++
		}
	}
	for _, p := range b.src.Rets {
		if p.Reg != nil { // read by ret, in any state: no name of another value
			reads[p.Reg.Index]++
			defs[p.Reg.Index]++
		}
	}
	b.single = func(r *syntax.Reg) bool { return defs[r.Index] == 1 }
	b.resolve = func(r *syntax.Reg) vm.Reg {
		i := copies[r.Index] - 1
		if i < 0 || !b.single(r) {
			return b.regs[r.Index]
		}
		copies[r.Index] = 0 // looked at: a cycle of copies has no value anyway
		in := &b.src.Code[i]
		b.cur = in
		x, ok := b.aliasOf(in, r)
		if !ok {
			return b.regs[r.Index]
		}
		var of *syntax.Reg
		if in.Args[1].Kind == syntax.OperandReg {
			of = root[in.Args[1].Reg.Index]
		}
		if of == nil || b.together(at[of.Index], i, r) {
			b.regs[r.Index], root[r.Index] = x, of
			b.dropped[i] = true
		}
		return b.regs[r.Index]
	}
	for i := range b.src.Code {
		in := &b.src.Code[i]
		if len(in.Args) == 0 || in.Args[0].Kind != syntax.OperandReg {
			continue
		}
		b.resolve(in.Args[0].Reg)
		// clang -O0 takes the address of by-value parameters that it then reads by name.
		if in.Op == "mov" && len(in.Args) == 2 && reads[in.Args[0].Reg.Index] == 0 {
			b.dropped[i] = true
		}
	}
}

// maxTogether bounds the search between a definition and its copy.
const maxTogether = 256

// together reports whether nobody can tell the copy at an instruction from its source, which
// is defined at another: both lie in one basic block, and nothing reads the copy between
// them. Otherwise the next round of a loop may change the source while the copy still holds
// the value of the round before.
func (b *builder) together(def, copied int, dst *syntax.Reg) bool {
	if copied <= def || copied-def > maxTogether {
		return false
	}
	for i := def + 1; i <= copied; i++ {
		in := &b.src.Code[i]
		if b.labelled(i) || in.Op == "bra" || in.Op == "brx" {
			return false
		}
		if i == copied {
			break
		}
		for k := range in.Args {
			if slices.Contains(registers(&in.Args[k], nil), dst) {
				return false
			}
		}
		if in.Guard == dst {
			return false
		}
	}
	return true
}

// labelled reports whether a label stands before an instruction.
func (b *builder) labelled(pc int) bool {
	if b.labels == nil {
		b.labels = map[int]bool{}
		for _, l := range b.src.Labels {
			b.labels[l.PC] = true
		}
	}
	return b.labels[pc]
}

// aliasOf is the register that holds the value which an instruction copies.
func (b *builder) aliasOf(in *syntax.Inst, dst *syntax.Reg) (vm.Reg, bool) {
	class := classOf(dst.Type)
	none := vm.Reg{}
	switch in.Op {
	case "mov", "cvta":
		src := &in.Args[1]
		switch src.Kind {
		case syntax.OperandReg:
			if src.Neg || src.Comp != 0 || src.Reg.Vec != 0 || src.Reg.Type.Bits() != dst.Type.Bits() || !b.single(src.Reg) {
				return none, false
			}
			r := b.resolve(src.Reg)
			return r, r.Class == class
		case syntax.OperandInt, syntax.OperandFloat:
			if dst.Type == syntax.Pred || typeBits(in) != dst.Type.Bits() {
				return none, false
			}
			return b.value(src, dst.Type.Bits(), false), true
		case syntax.OperandVar:
			if src.Var.Space != syntax.SpaceShared && src.Var.Space != syntax.SpaceGlobal && src.Var.Space != syntax.SpaceConst {
				return none, false
			}
			refused := len(b.refused)
			if a, ok := b.address(src); ok {
				return b.constant(class, a), true
			}
			b.refused = b.refused[:refused] // reported when the instruction is lowered
		case syntax.OperandSpecial:
			return b.specialRegister(src, dst)
		}
	case "ld":
		return b.parameterConstant(in, dst)
	}
	return none, false
}

// specialRegister is a register of the kernel's frame that always holds a special register.
func (b *builder) specialRegister(o *syntax.Operand, dst *syntax.Reg) (vm.Reg, bool) {
	if !b.src.Entry || o.Comp == 4 || dst.Type.Bits() != 32 {
		return vm.Reg{}, false
	}
	name := o.Special
	if o.Comp != 0 {
		name += "." + string("xyz"[o.Comp-1])
	}
	s, ok := vm.SpecialNames[name]
	if !ok || !vm.Fixed(s) {
		return vm.Reg{}, false
	}
	for _, f := range b.fn.Specials {
		if f.Special == s {
			return vm.Reg{Index: f.Reg, Class: vm.R32}, true
		}
	}
	r := b.newReg(vm.R32)
	b.fn.Specials = append(b.fn.Specials, vm.SpecialReg{Reg: r.Index, Special: s})
	return r, true
}

// parameterConstant is the register of a kernel parameter's value, which is known.
func (b *builder) parameterConstant(in *syntax.Inst, dst *syntax.Reg) (vm.Reg, bool) {
	m := parseMods(in)
	o := &in.Args[1]
	if !b.src.Entry || m.space != kernel.Param || m.vec != 0 || len(m.rest) > 0 || o.Kind != syntax.OperandAddr || o.Reg != nil || o.Var == nil || !isParam(b.src, o.Var) {
		return vm.Reg{}, false
	}
	size := sizeOf(m.typ)
	if size > 8 || dst.Type.Bits() != 8*size || o.Off < 0 || o.Off+int64(size) > o.Var.Size {
		return vm.Reg{}, false
	}
	at := b.params[o.Var] + int(o.Off)
	var v uint64
	for i := range size {
		v |= uint64(b.prog.Params[at+i]) << (8 * i)
	}
	return b.constant(classOf(dst.Type), v), true
}

// written lists the registers that an instruction writes.
func written(in *syntax.Inst) []*syntax.Reg {
	if len(in.Args) == 0 {
		return nil
	}
	switch in.Op {
	case "mbarrier":
		if slices.Contains([]string{"init", "inval", "expect_tx", "complete_tx"}, in.Mods[0]) {
			return nil
		}
	case "bar", "barrier":
		if !slices.Contains(in.Mods, "red") {
			return nil
		}
	case "st", "red", "bra", "brx", "fence", "membar", "cp", "prefetch", "prefetchu", "stackrestore", "nanosleep", "exit", "ret", "trap",
		"stmatrix", "discard", "applypriority", "setmaxnreg":
		return nil
	case "wmma":
		if in.Mods[0] == "store" {
			return nil
		}
	}
	return registers(&in.Args[0], nil)
}

// registers lists the registers of an operand.
func registers(o *syntax.Operand, out []*syntax.Reg) []*syntax.Reg {
	if o.Reg != nil {
		out = append(out, o.Reg)
	}
	for i := range o.Elems {
		out = registers(&o.Elems[i], out)
	}
	return out
}
