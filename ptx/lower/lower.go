// Package lower turns a checked PTX syntax tree into code for the warp executor of
// package vm: one kernel with every function that it can reach, its registers numbered,
// immediates in registers of their own, blocks laid out so that the lowest program
// counter is always the group of lanes that is furthest behind.
//
// What the simulator does not support is refused here, all of it at once, by name and
// place.
package lower

import (
	"errors"
	"fmt"
	"sort"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// Linker resolves what lies outside of one function.
type Linker interface {
	// Func returns the definition behind a mention of a function, or the declaration.
	Func(f *syntax.Func) *syntax.Func
	// FuncAddress is the address that stands for a function in pointers.
	FuncAddress(f *syntax.Func) uint64
	// AddressTaken lists the functions whose address the program takes anywhere.
	AddressTaken() []*syntax.Func
	// Var returns the definition behind a mention of a variable, or the declaration.
	Var(v *syntax.Var) *syntax.Var
	// VarAddress is the address of a variable of global or const memory.
	VarAddress(v *syntax.Var) (uint64, bool)
	// Demangle is the name of a symbol as the user wrote it.
	Demangle(name string) string
	// FuncName is the name of a function without its parameters.
	FuncName(name string) string
	// EnvReg is the value of one of the registers %envreg0 to 31, which the driver sets.
	EnvReg(name string) uint32
}

// Unsupported is an instruction or feature that the simulator refuses.
type Unsupported struct {
	Pos    syntax.Pos
	Text   string // the instruction
	Reason string
}

func (u *Unsupported) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", u.Pos.File, u.Pos.Line, u.Pos.Col, u.Text, u.Reason)
}

// Kernel lowers an entry function with the packed parameters of one launch. The error
// joins an *Unsupported for everything that the kernel can reach and the simulator refuses.
func Kernel(entry *syntax.Func, link Linker, params []byte) (*vm.Program, error) {
	k := &lowering{link: link, funcs: map[*syntax.Func]*vm.Func{}, shared: map[*syntax.Var]uint64{},
		prog: &vm.Program{Kernel: link.Demangle(entry.Name), Params: params, Funcs: map[uint64]*vm.Func{}}}
	k.prog.Entry = k.reach(entry)
	for len(k.todo) > 0 {
		f := k.todo[0]
		k.todo = k.todo[1:]
		k.function(f)
	}
	if c := entry.Attrs.ReqNCTAPerCluster; max(c[0], 1)*max(c[1], 1)*max(c[2], 1) > 1 {
		k.refuse(entry.Pos, ".entry "+entry.Name, "clusters of more than one block are not supported yet (.reqnctapercluster)")
	}
	if len(k.refused) > 0 {
		sort.SliceStable(k.refused, func(i, j int) bool { return less(k.refused[i].Pos, k.refused[j].Pos) })
		errs := make([]error, len(k.refused))
		for i, u := range k.refused {
			errs[i] = u
		}
		return nil, errors.Join(errs...)
	}
	k.prog.Finish()
	return k.prog, nil
}

func less(a, b syntax.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Col < b.Col
}

// lowering is the state of one kernel's lowering.
type lowering struct {
	link     Linker
	prog     *vm.Program
	funcs    map[*syntax.Func]*vm.Func
	todo     []*syntax.Func
	indirect bool
	shared   map[*syntax.Var]uint64
	dynamic  uint64 // address of dynamic shared memory, 0: not used
	refused  []*Unsupported
}

func (k *lowering) refuse(pos syntax.Pos, text, format string, args ...any) {
	k.refused = append(k.refused, &Unsupported{pos, text, fmt.Sprintf(format, args...)})
}

// reach returns the code object of a function and queues it for lowering.
func (k *lowering) reach(f *syntax.Func) *vm.Func {
	if fn := k.funcs[f]; fn != nil {
		return fn
	}
	fn := &vm.Func{Name: k.link.FuncName(f.Name), Address: k.link.FuncAddress(f)}
	k.funcs[f] = fn
	k.todo = append(k.todo, f)
	return fn
}

// reachIndirect makes every function whose address is taken callable.
func (k *lowering) reachIndirect() {
	if k.indirect {
		return
	}
	k.indirect = true
	for _, f := range k.link.AddressTaken() {
		if f = k.link.Func(f); !f.Decl {
			k.prog.Funcs[k.link.FuncAddress(f)] = k.reach(f)
		}
	}
}

// sharedAddress gives a shared variable its place among the block's collective
// allocations. All names of dynamic shared memory are one variable.
func (k *lowering) sharedAddress(v *syntax.Var) uint64 {
	v = k.link.Var(v)
	if v.Size == 0 {
		if k.dynamic == 0 {
			k.dynamic = k.addShared(exec.SharedVar{Name: k.link.Demangle(v.Name), Dynamic: true, Source: kernel.Source{File: v.File, Line: v.Line, Column: v.Col}})
		}
		return k.dynamic
	}
	if a, ok := k.shared[v]; ok {
		return a
	}
	a := k.addShared(exec.SharedVar{Name: variableName(k.link.Demangle(v.Name)), Size: v.Size, Source: kernel.Source{File: v.File, Line: v.Line, Column: v.Col}})
	k.shared[v] = a
	return a
}

func (k *lowering) addShared(v exec.SharedVar) uint64 {
	a := sharedSlot(len(k.prog.Shared))
	k.prog.Shared = append(k.prog.Shared, v)
	return a
}

// function lowers one function and appends it to the program.
func (k *lowering) function(f *syntax.Func) {
	fn := k.funcs[f]
	b := newBuilder(k, f, fn)
	b.frame()
	b.cur = &syntax.Inst{Pos: f.Pos, Op: ".func", Text: ".func " + f.Name}
	b.prologue()
	b.aliases()
	starts := make([]int, len(f.Code)+1)
	for i := range f.Code {
		starts[i] = len(b.code)
		b.cur = &f.Code[i]
		if !b.dropped[i] {
			b.instruction()
		}
	}
	starts[len(f.Code)] = len(b.code)
	b.cur = &syntax.Inst{Pos: f.End, Op: "ret", Text: "ret"}
	if n := len(f.Code); n > 0 {
		b.cur.Loc = f.Code[n-1].Loc
	}
	b.ret(b.cur) // control must not run off the end
	for i := range b.code {
		b.code[i].retarget(starts)
	}
	b.checkRegisters()
	b.finish()
}
