package lower

import (
	"slices"
	"strings"

	"gpusim/ptx/libdevice"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
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

func (b *builder) exit(*syntax.Inst) { b.emit(vm.Inst{Op: vm.Exit}) }
func (b *builder) trap(*syntax.Inst) { b.emit(vm.Inst{Op: vm.Trap}) }

func (b *builder) nanosleep(in *syntax.Inst) { b.emit(vm.Inst{Op: vm.Nanosleep}) }

// builtins are the functions that the simulator supplies, with the sizes of their arguments
// (CUDA Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation"; libc's
// __assert_fail with the size of a character; new and delete of the C++ ABI).
var builtins = map[string]struct {
	id   vm.Builtin
	args []int
}{
	"vprintf": {vm.VPrintf, []int{8, 8}}, "__assertfail": {vm.AssertFail, []int{8, 8, 4, 8, 8}},
	"malloc": {vm.Malloc, []int{8}}, "_Znwm": {vm.Malloc, []int{8}}, "_Znam": {vm.Malloc, []int{8}},
	"free": {vm.Free, []int{8}}, "_ZdlPv": {vm.Free, []int{8}}, "_ZdaPv": {vm.Free, []int{8}},
	"_ZdlPvm": {vm.Free, []int{8, 8}}, "_ZdaPvm": {vm.Free, []int{8, 8}},
}

// call lowers calls: arguments and results lie in the parameter area.
func (b *builder) call(in *syntax.Inst) {
	if len(in.Args) < 3 {
		b.unsupported("this call is not supported")
		return
	}
	target := &in.Args[1]
	var formals, results []*syntax.Var
	if target.Kind == syntax.OperandFunc {
		f := b.link.Func(target.Func)
		formals, results = f.Params, f.Rets
	} else if len(in.Args) > 3 && in.Args[3].Kind == syntax.OperandProto {
		formals, results = in.Args[3].Proto.Params, in.Args[3].Proto.Rets
	}
	args, before := b.callArea(&in.Args[2], formals, false)
	rets, after := b.callArea(&in.Args[0], results, true)
	if b.failed {
		return
	}
	for _, mem := range before {
		b.emit(vm.Inst{Op: vm.StoreParam, Mem: mem})
	}
	b.callTarget(in, target, args, rets)
	for _, mem := range after {
		b.emit(vm.Inst{Op: vm.LoadParam, Mem: mem})
	}
}

// callTarget emits the call itself.
func (b *builder) callTarget(in *syntax.Inst, target *syntax.Operand, args, rets []vm.CopyRange) {
	c := &vm.Call{}
	if target.Kind != syntax.OperandFunc {
		c.Target = b.value(target, 64, false)
		c.Args, c.Rets = args, rets
		b.reachIndirect()
		b.emit(vm.Inst{Op: vm.CallOp, Call: c})
		return
	}
	f := b.link.Func(target.Func)
	if f.Decl {
		if lib, ok := libdevice.Lookup(f.Name); ok {
			b.library(f.Name, lib, args, rets)
			return
		}
		built, ok := builtins[f.Name]
		if !ok {
			b.unsupported("function %s is declared but defined in none of the files", b.link.Demangle(f.Name))
			return
		}
		c.Builtin, c.Args, c.Rets = built.id, args, rets
		if c.Builtin == vm.Free {
			c.Site = b.site(race.SiteInfo{Write: true, Elem: 4})
		}
		fits := slices.EqualFunc(args, built.args, func(a vm.CopyRange, size int) bool { return a.Size == size })
		if !fits || len(rets) > 1 {
			b.unsupported("%s takes arguments of %v bytes and has at most one result", f.Name, built.args)
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

// callArea resolves a call's arguments or results: .param variables, or values with the
// accesses that put them into the parameter area, or get them from there.
func (b *builder) callArea(list *syntax.Operand, formals []*syntax.Var, result bool) ([]vm.CopyRange, []*vm.Mem) {
	var out []vm.CopyRange
	var accesses []*vm.Mem
	for i := range list.Elems {
		o := &list.Elems[i]
		if o.Kind == syntax.OperandVar && o.Var.Space == syntax.SpaceParam && o.Off == 0 {
			if at, ok := b.params[o.Var]; ok {
				out = append(out, vm.CopyRange{Caller: at, Size: int(o.Var.Size)})
				continue
			}
		}
		if i >= len(formals) || o.Kind == syntax.OperandVar && o.Var.Space == syntax.SpaceParam {
			b.unsupported("a call takes .param variables of the function, or values for the parameters of a known prototype")
			return nil, nil
		}
		r, mem := b.passed(o, formals[i], result)
		out, accesses = append(out, r), append(accesses, mem)
	}
	return out, accesses
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
