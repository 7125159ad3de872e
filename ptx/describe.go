package ptx

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gpusim/ptx/syntax"
)

// Description is what a kernel's text says about it, with every function that it can reach.
type Description struct {
	Static    int64 // bytes of shared memory
	Dynamic   bool  // uses dynamic shared memory
	Functions int   // device functions that it can reach
	Registers []Registers
	Opcodes   []Opcode // by name
	Variables []string // module variables of global and const memory that it mentions, by C++ names
	GridDims  int      // how many dimensions of the grid and of the block it asks for,
	BlockDims int      // by the special registers that it reads
}

// Registers is the number of virtual registers of one type in the kernel's own frame; the
// functions that it calls have theirs.
type Registers struct {
	Type  string
	Count int
}

// Opcode is how often an opcode stands in the text, as a whole and by its modifiers.
type Opcode struct {
	Name  string
	Count int
	Forms []Form
}

// Form is an opcode with its modifiers: ld.global.u32.
type Form struct {
	Name  string
	Count int
}

// Describe reads a kernel's text. It works for kernels that cannot run too.
func (k *Kernel) Describe() Description {
	l := (*linker)(k.module)
	d := Description{GridDims: 1, BlockDims: 1}
	shared, variables := map[*syntax.Var]bool{}, map[string]bool{}
	forms := map[string]map[string]int{}
	funcs := l.reachable(k.fn)
	d.Functions = len(funcs) - 1
	for _, f := range funcs {
		for i := range f.Code {
			in := &f.Code[i]
			if forms[in.Op] == nil {
				forms[in.Op] = map[string]int{}
			}
			forms[in.Op][strings.Join(append([]string{in.Op}, in.Mods...), ".")]++
			eachOperand(in.Args, func(o *syntax.Operand) {
				switch v := o.Var; {
				case v == nil:
				case v.Space == syntax.SpaceShared:
					shared[l.Var(v)] = true
				case v.Space == syntax.SpaceGlobal || v.Space == syntax.SpaceConst:
					variables[l.Demangle(v.Name)] = true
				}
				d.dimensions(o)
			})
		}
	}
	for v := range shared {
		d.Static += v.Size
		d.Dynamic = d.Dynamic || v.Size == 0
	}
	d.Variables = slices.Sorted(maps.Keys(variables))
	d.Registers = registers(k.fn)
	for _, op := range slices.Sorted(maps.Keys(forms)) {
		o := Opcode{Name: op}
		for _, form := range slices.Sorted(maps.Keys(forms[op])) {
			n := forms[op][form]
			o.Count += n
			o.Forms = append(o.Forms, Form{form, n})
		}
		d.Opcodes = append(d.Opcodes, o)
	}
	return d
}

// dimensions notices reads of a thread's or block's place in a further dimension.
func (d *Description) dimensions(o *syntax.Operand) {
	switch n := int(o.Comp); o.Special {
	case "%tid", "%ntid":
		d.BlockDims = max(d.BlockDims, min(n, 3))
	case "%ctaid", "%nctaid":
		d.GridDims = max(d.GridDims, min(n, 3))
	}
}

// registers counts a function's registers by type.
func registers(f *syntax.Func) []Registers {
	count := map[syntax.Type]int{}
	for _, r := range f.Regs {
		count[r.Type] += max(r.Vec, 1)
	}
	var out []Registers
	for _, t := range slices.SortedFunc(maps.Keys(count), func(a, b syntax.Type) int { return cmp.Compare(a.String(), b.String()) }) {
		out = append(out, Registers{t.String(), count[t]})
	}
	return out
}

// reachable lists a kernel and the functions that it can call, itself first. An indirect
// call may reach every function whose address is taken.
func (l *linker) reachable(entry *syntax.Func) []*syntax.Func {
	list, seen := []*syntax.Func{entry}, map[*syntax.Func]bool{entry: true}
	add := func(f *syntax.Func) {
		if f = l.Func(f); f != nil && !f.Decl && !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	for i := 0; i < len(list); i++ {
		code := list[i].Code
		for j := range code {
			eachOperand(code[j].Args, func(o *syntax.Operand) {
				if o.Func != nil {
					add(o.Func)
				}
			})
			if in := &code[j]; in.Op == "call" && len(in.Args) > 1 && in.Args[1].Kind == syntax.OperandReg {
				for _, f := range l.AddressTaken() {
					add(f)
				}
			}
		}
	}
	return list
}

// eachOperand visits operands and what is inside of them.
func eachOperand(list []syntax.Operand, f func(*syntax.Operand)) {
	for i := range list {
		f(&list[i])
		eachOperand(list[i].Elems, f)
	}
}
