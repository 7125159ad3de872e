package lower

import (
	"slices"
	"strings"

	"gpusim/kernel"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// vectorAtomic lowers atom and red with .v2, .v4 or .v8: an atomic operation of its own for
// every element (PTX ISA, "atom": "atomicity is guaranteed separately for each of the
// individual elements").
func (b *builder) vectorAtomic(in *syntax.Inst, m memMods, mem *vm.Mem, args []syntax.Operand) {
	red := in.Op == "red"
	elem := map[string]int{"f32": 4, "f16x2": 2, "bf16x2": 2, "f16": 2, "bf16": 2}[m.typ]
	if elem == 0 || m.vec*mem.Size > 16 || m.space != kernel.Global || !slices.Contains([]string{"add", "min", "max"}, m.rest[0]) {
		b.unsupported("no such form: a vector has at most 128 bits of .f32, .f16 or .bf16 in .global memory")
		return
	}
	if mem.Atom = b.atomFn(m.rest[0], m); mem.Atom == nil {
		return
	}
	var dst, src []vm.Reg
	if !red {
		dst = b.vectorElements(&args[0], m, true)
		args = args[1:]
	}
	if len(args) != 2 {
		b.unsupported("%d operands where the instruction has 2", len(args))
		return
	}
	b.addr(&args[0], mem)
	src = b.vectorElements(&args[1], m, false)
	if b.failed {
		return
	}
	// A result must not change what a later element reads.
	for i, r := range src {
		if slices.Contains(dst, r) {
			src[i] = b.copyOf(r)
		}
	}
	if slices.Contains(dst, mem.Base) {
		mem.Base = b.copyOf(mem.Base)
	}
	mem.Site = b.site(race.SiteInfo{Read: !red, Write: true, Atomic: true, Sem: m.sem, Scope: m.scope, Elem: elem})
	for i := range m.vec {
		one := *mem
		one.Off += int64(i * mem.Size)
		if i == 0 {
			one.Align = m.vec * mem.Size
		} else {
			info := b.prog.Sites[mem.Site]
			one.Site = b.site(info)
		}
		if !red {
			one.Regs = dst[i : i+1]
			one.HasDst = dst[i].Class != vm.NoReg
		}
		b.emit(vm.Inst{Op: vm.Atomic, Mem: &one, Src: [4]vm.Reg{src[i]}, NArgs: 1})
	}
}

func (b *builder) vectorElements(o *syntax.Operand, m memMods, dst bool) []vm.Reg {
	if o.Kind != syntax.OperandVector || len(o.Elems) != m.vec {
		b.unsupported("a vector of %d elements is expected", m.vec)
		return nil
	}
	var out []vm.Reg
	for i := range o.Elems {
		if dst {
			out = append(out, b.reg(&o.Elems[i]))
		} else {
			out = append(out, b.value(&o.Elems[i], 8*sizeOf(m.typ), strings.HasPrefix(m.typ, "f")))
		}
	}
	return out
}

// copyOf is a fresh register with the value of another.
func (b *builder) copyOf(r vm.Reg) vm.Reg {
	t := b.newReg(r.Class)
	b.move(t, r)
	return t
}
