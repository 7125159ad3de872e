package lower

import (
	"math"
	"strings"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// builder lowers one function.
type builder struct {
	*lowering
	src      *syntax.Func
	fn       *vm.Func
	cur      *syntax.Inst
	code     []item
	regs     []vm.Reg
	pairs    map[int][2]vm.Reg // registers of 128 bits
	consts   map[constKey]vm.Reg
	params   map[*syntax.Var]int // offset in the parameter area, or the kernel's parameter block
	locals   map[*syntax.Var]int64
	next     [4]int                   // next register by class
	single   func(*syntax.Reg) bool   // the register has one definition
	resolve  func(*syntax.Reg) vm.Reg // follows copies
	dropped  []bool                   // instructions that only give a value another name
	labels   map[int]bool             // instructions that have a label; see labelled
	cc       int                      // predicate register of the carry flag, 0: none yet
	fastSwap bool                     // the vector form takes the operands exchanged
	failed   bool                     // the current instruction was refused
}

// item is an instruction whose branch targets are still labels.
type item struct {
	vm.Inst
	source kernel.Source
	labels []int // of Target or Table, as indices of syntax.Func.Code
}

func (it *item) retarget(starts []int) {
	for i, l := range it.labels {
		it.labels[i] = starts[l]
	}
}

type constKey struct {
	class vm.Class
	value uint64
}

func newBuilder(k *lowering, f *syntax.Func, fn *vm.Func) *builder {
	b := &builder{lowering: k, src: f, fn: fn, consts: map[constKey]vm.Reg{}, params: map[*syntax.Var]int{}, locals: map[*syntax.Var]int64{}}
	b.next = [4]int{0, 1, 1, 1} // register 0 of each class is scratch
	b.dropped = make([]bool, len(f.Code))
	b.regs = make([]vm.Reg, len(f.Regs))
	for i, r := range f.Regs {
		switch r.Type.Bits() {
		case 1, 8, 16, 32, 64:
			b.regs[i] = b.newReg(classOf(r.Type))
		}
	}
	return b
}

func classOf(t syntax.Type) vm.Class {
	switch {
	case t == syntax.Pred:
		return vm.RP
	case t.Bits() <= 32:
		return vm.R32
	}
	return vm.R64
}

// maxRegisters is what instructions can number: predicates by the guard, others by vm.Reg.
var maxRegisters = [4]int{vm.RP: math.MaxInt16, vm.R32: math.MaxUint16, vm.R64: math.MaxUint16}

// checkRegisters refuses a function with more registers and constants than that.
func (b *builder) checkRegisters() {
	for class, n := range b.next {
		if n > maxRegisters[class] && n > 1 {
			b.refuse(b.src.Pos, "function "+b.fn.Name, "it has more than %d registers and constants of one kind", maxRegisters[class]-1)
		}
	}
}

func (b *builder) newReg(c vm.Class) vm.Reg {
	r := vm.Reg{Index: uint16(b.next[c]), Class: c}
	b.next[c]++
	return r
}

// frame lays out the function's parameters and variables.
func (b *builder) frame() {
	f := b.src
	if f.Entry {
		off := 0
		for _, p := range f.Params {
			off = alignUp(off, p.Align)
			b.params[p] = off
			off += int(p.Size)
		}
	}
	area := 0
	place := func(v *syntax.Var) int {
		area = alignUp(area, max(v.Align, 4))
		at := area
		b.params[v] = at
		area += alignUp(int(v.Size), 4)
		return at
	}
	if !f.Entry {
		for _, p := range f.Params {
			b.fn.Params = append(b.fn.Params, vm.CopyRange{Callee: place(p), Size: int(p.Size)})
		}
		for _, p := range f.Rets {
			b.fn.Rets = append(b.fn.Rets, vm.CopyRange{Callee: place(p), Size: int(p.Size)})
		}
	}
	for _, v := range f.Vars {
		switch v.Space {
		case syntax.SpaceParam:
			place(v)
		case syntax.SpaceLocal:
			if v.Size > vm.MaxLocal {
				b.refuse(v.Pos, ".local "+v.Name, "%d bytes: a thread has %d bytes of local memory", v.Size, vm.MaxLocal)
				continue
			}
			b.placeLocal(v)
		}
	}
	if b.fn.LocalSize > vm.MaxLocal {
		b.refuse(f.Pos, ".func "+f.Name, "its local variables take %d bytes: a thread has %d bytes of local memory", b.fn.LocalSize, vm.MaxLocal)
	}
	b.fn.ParamBytes = area
	b.addressTaken()
}

func alignUp(n, a int) int {
	if a <= 1 {
		return n
	}
	return (n + a - 1) / a * a
}

// localName turns a compiler's name of a function's stack frame into words.
func localName(name string) string {
	if strings.HasPrefix(name, "__local_depot") {
		return "local variables"
	}
	return name
}

// variableName shortens "kernel(int)::tile" to "tile": the finding names the kernel.
func variableName(demangled string) string {
	depth := 0
	for i := len(demangled) - 1; i > 1; i-- {
		switch demangled[i] {
		case '>', ')':
			depth++
		case '<', '(':
			depth--
		case ':':
			if depth == 0 && demangled[i-1] == ':' {
				return demangled[i+1:]
			}
		}
	}
	return demangled
}

func sharedSlot(k int) uint64 { return memory.SharedBase + uint64(k)<<memory.SharedShift }

// emit appends an instruction with the guard and place of the current one.
func (b *builder) emit(in vm.Inst, labels ...int) {
	in.Guard, in.Back = vm.NoGuard, -1
	if g := b.cur.Guard; g != nil {
		in.Guard, in.GuardNeg = int16(b.regs[g.Index].Index), b.cur.GuardNeg
	}
	b.code = append(b.code, item{in, b.source(), labels})
}

// source is the user's place of the current instruction.
func (b *builder) source() kernel.Source {
	in := b.cur
	s := kernel.Source{PTX: in.Text, PTXLine: in.Pos.Line, Function: b.fn.Name}
	if in.Loc.Line == 0 {
		s.File, s.Line, s.Column, s.NoLineInfo = in.Pos.File, in.Pos.Line, in.Pos.Col, true
		return s
	}
	s.File, s.Line, s.Column = in.Loc.File, in.Loc.Line, in.Loc.Col
	if in.Loc.Function != "" {
		s.Function = b.link.FuncName(in.Loc.Function)
	}
	for _, at := range in.Loc.InlinedAt {
		x := kernel.Source{File: at.File, Line: at.Line, Column: at.Col, Function: b.fn.Name}
		if at.Function != "" {
			x.Function = b.link.FuncName(at.Function)
		}
		s.InlinedAt = append(s.InlinedAt, x)
	}
	return s
}

// unsupported refuses the current instruction, at its place in the PTX and in the source.
func (b *builder) unsupported(format string, args ...any) {
	b.failed = true
	if at := b.cur.Loc; at.Line > 0 {
		format, args = format+" (from %s:%d)", append(args[:len(args):len(args)], at.File, at.Line)
	}
	b.refuse(b.cur.Pos, b.cur.Text, format, args...)
}

// constant is a register that holds a value in every lane.
func (b *builder) constant(class vm.Class, v uint64) vm.Reg {
	if class == vm.R32 {
		v &= 0xFFFFFFFF
	}
	key := constKey{class, v}
	if r, ok := b.consts[key]; ok {
		return r
	}
	r := b.newReg(class)
	b.consts[key] = r
	c := vm.Const{Reg: r.Index, Value: v}
	switch class {
	case vm.R32:
		b.fn.Const32 = append(b.fn.Const32, c)
	case vm.R64:
		b.fn.Const64 = append(b.fn.Const64, c)
	case vm.RP:
		b.fn.ConstP = append(b.fn.ConstP, c)
	}
	return r
}
