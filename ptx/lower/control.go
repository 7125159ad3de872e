package lower

import (
	"slices"
	"strings"

	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

func (b *builder) bra(in *syntax.Inst) {
	if len(in.Args) != 1 || in.Args[0].Kind != syntax.OperandLabel {
		b.unsupported("a label is expected")
		return
	}
	b.emit(vm.Inst{Op: vm.Bra}, in.Args[0].Label.PC)
}

func (b *builder) brx(in *syntax.Inst) {
	if len(in.Args) != 2 || in.Args[1].Kind != syntax.OperandTable {
		b.unsupported("an index and a list of targets are expected")
		return
	}
	r := b.value(&in.Args[0], 32, false)
	if b.failed {
		return
	}
	var labels []int
	for _, l := range in.Args[1].Table.Labels {
		labels = append(labels, l.PC)
	}
	b.emit(vm.Inst{Op: vm.BrxIdx, Src: [4]vm.Reg{r}, NArgs: 1}, labels...)
}

func (b *builder) ret(*syntax.Inst)  { b.emit(vm.Inst{Op: vm.Ret}) }
func (b *builder) exit(*syntax.Inst) { b.emit(vm.Inst{Op: vm.Exit}) }
func (b *builder) trap(*syntax.Inst) { b.emit(vm.Inst{Op: vm.Trap}) }

func (b *builder) nanosleep(in *syntax.Inst) { b.emit(vm.Inst{Op: vm.Nanosleep}) }

// builtins are the functions that the simulator supplies.
var builtins = map[string]vm.Builtin{"vprintf": vm.VPrintf, "__assertfail": vm.AssertFail}

// builtinArgs are the sizes of their arguments (CUDA Programming Guide, "Formatted Output";
// libc's __assert_fail with the size of a character).
var builtinArgs = map[vm.Builtin][]int{vm.VPrintf: {8, 8}, vm.AssertFail: {8, 8, 4, 8, 8}}

// call lowers calls: arguments and results lie in the parameter area.
func (b *builder) call(in *syntax.Inst) {
	if len(in.Args) < 3 {
		b.unsupported("this call is not supported")
		return
	}
	c := &vm.Call{}
	args, rets := b.callArea(&in.Args[2]), b.callArea(&in.Args[0])
	if b.failed {
		return
	}
	target := &in.Args[1]
	if target.Kind != syntax.OperandFunc {
		c.Target = b.value(target, 64, false)
		c.Args, c.Rets = args, rets
		b.reachIndirect()
		b.emit(vm.Inst{Op: vm.CallOp, Call: c})
		return
	}
	f := b.link.Func(target.Func)
	if f.Decl {
		built, ok := builtins[f.Name]
		if !ok {
			b.unsupported("function %s is declared but defined in none of the files", b.link.Demangle(f.Name))
			return
		}
		c.Builtin, c.Args, c.Rets = built, args, rets
		fits := slices.EqualFunc(args, builtinArgs[built], func(a vm.CopyRange, size int) bool { return a.Size == size })
		if !fits || len(rets) > 1 {
			b.unsupported("%s takes arguments of %v bytes and has at most one result", f.Name, builtinArgs[built])
			return
		}
		b.emit(vm.Inst{Op: vm.CallOp, Call: c})
		return
	}
	if len(args) != len(f.Params) || len(rets) != len(f.Rets) {
		b.unsupported("%d arguments and %d results where %s has %d and %d", len(args), len(rets), f.Name, len(f.Params), len(f.Rets))
		return
	}
	c.Fn = b.reach(f)
	c.Args, c.Rets = calleeOffsets(args, f.Params, 0), nil
	after := 0
	for _, p := range f.Params {
		after = alignUp(after, max(p.Align, 4)) + alignUp(int(p.Size), 4)
	}
	c.Rets = calleeOffsets(rets, f.Rets, after)
	b.emit(vm.Inst{Op: vm.CallOp, Call: c})
}

// calleeOffsets adds the callee's side; its frame lays out parameters, then results.
func calleeOffsets(ranges []vm.CopyRange, vars []*syntax.Var, from int) []vm.CopyRange {
	for i, p := range vars {
		from = alignUp(from, max(p.Align, 4))
		ranges[i].Callee = from
		ranges[i].Size = min(ranges[i].Size, int(p.Size))
		from += alignUp(int(p.Size), 4)
	}
	return ranges
}

// callArea resolves a call's list of parameter variables.
func (b *builder) callArea(list *syntax.Operand) []vm.CopyRange {
	var out []vm.CopyRange
	for i := range list.Elems {
		v := list.Elems[i].Var
		at, ok := b.params[v]
		if v == nil || !ok || v.Space != syntax.SpaceParam {
			b.unsupported("call arguments must be .param variables")
			return nil
		}
		out = append(out, vm.CopyRange{Caller: at, Size: int(v.Size)})
	}
	return out
}

func (b *builder) alloca(in *syntax.Inst) {
	if len(in.Args) < 2 {
		b.unsupported("a destination and a size are expected")
		return
	}
	align := 8
	if len(in.Args) > 2 {
		if in.Args[2].Kind != syntax.OperandInt || in.Args[2].Int > 1<<16 || in.Args[2].Int&(in.Args[2].Int-1) != 0 {
			b.unsupported("the alignment must be a constant power of two")
			return
		}
		align = max(int(in.Args[2].Int), 1)
	}
	d := b.reg(&in.Args[0])
	bits := typeBits(in)
	if strings.HasSuffix(in.Mods[len(in.Mods)-1], "32") {
		bits = 32
	}
	s := b.value(&in.Args[1], bits, false)
	if !b.failed {
		b.emit(vm.Inst{Op: vm.Alloca, DK: d.Class, D: d.Index, Src: [4]vm.Reg{s}, NArgs: 1, Mem: &vm.Mem{Size: align}})
	}
}

func (b *builder) stacksave(in *syntax.Inst) {
	if d := b.reg(&in.Args[0]); !b.failed {
		b.emit(vm.Inst{Op: vm.StackSave, DK: d.Class, D: d.Index})
	}
}

func (b *builder) stackrestore(in *syntax.Inst) {
	if s := b.value(&in.Args[0], typeBits(in), false); !b.failed {
		b.emit(vm.Inst{Op: vm.StackRestore, Src: [4]vm.Reg{s}, NArgs: 1})
	}
}
