package lower

import (
	"slices"

	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
	"gpusim/race"
)

// Matrices of 8 by 8 elements of 16 bits (PTX ISA, "ldmatrix", "stmatrix", "movmatrix"):
// a lane's register of matrix j holds elements 2*(lane%4) and the next of row lane/4. In
// memory, row r of matrix j lies at the address that lane 8*j+r gives.

// fragmentPart is the word of a fragment's register: from rows of four words, lane first+r
// having row r.
func fragmentPart(first, lane int, transposed bool) []vm.Part {
	row, word := lane>>2, lane&3
	if !transposed {
		return []vm.Part{{In: word, Lane: first + row, Bits: 32}}
	}
	// The lane's elements stand below each other, in column row.
	var parts []vm.Part
	for h := range 2 {
		parts = append(parts, vm.Part{In: row >> 1, Lane: first + 2*word + h, At: row & 1 * 16, To: 16 * h, Bits: 16})
	}
	return parts
}

// rowPart is word w of row r: from the registers of lanes.
func rowPart(reg, r, w int, transposed bool) []vm.Part {
	if !transposed {
		return []vm.Part{{In: reg, Lane: r*4 + w, Bits: 32}}
	}
	var parts []vm.Part
	for h := range 2 {
		parts = append(parts, vm.Part{In: reg, Lane: (2*w+h)*4 + r>>1, At: r & 1 * 16, To: 16 * h, Bits: 16})
	}
	return parts
}

// matrixMemory parses the common modifiers of ldmatrix and stmatrix.
func (b *builder) matrixMemory(in *syntax.Inst) (count int, transposed, ok bool) {
	for _, w := range in.Mods {
		switch w {
		case "sync", "aligned", "m8n8", "shared", "shared::cta", "b16":
		case "x1", "x2", "x4":
			count = int(w[1] - '0')
		case "trans":
			transposed = true
		default:
			b.unsupported(".%s is not supported: it needs sm_100 or newer", w)
			return
		}
	}
	if count == 0 || len(in.Args) != 2 || !slices.Contains(in.Mods, "m8n8") || !slices.Contains(in.Mods, "b16") {
		b.unsupported("no such form: .m8n8, .x1 .x2 or .x4, and .b16 are expected")
		return
	}
	return count, transposed, true
}

// rows describes the access to the rows: four words by each lane that gives an address.
func (b *builder) rows(in *syntax.Inst, address *syntax.Operand, count int, store bool) *vm.Mem {
	mem := &vm.Mem{Size: 4, Mask: ^uint64(0), Write: store, Lanes: uint32(1<<(8*count) - 1)}
	b.addr(address, mem)
	mem.Space, _ = spaceNamed(in.Mods)
	for range 4 {
		mem.Regs = append(mem.Regs, b.newReg(vm.R32))
	}
	mem.Site = b.site(race.SiteInfo{Read: !store, Write: store, Elem: 4})
	return mem
}

func (b *builder) matrixRegs(o *syntax.Operand, count int, dst bool) []vm.Reg {
	return b.fragmentRegs(o, &fragment{regs: count, per: 2, bits: 16}, dst)
}

func (b *builder) ldmatrix(in *syntax.Inst) {
	count, transposed, ok := b.matrixMemory(in)
	if !ok {
		return
	}
	w := &vm.Wide{Out: b.matrixRegs(&in.Args[0], count, true)}
	mem := b.rows(in, &in.Args[1], count, false)
	if b.failed {
		return
	}
	w.In = mem.Regs
	w.From = func(out, lane int) []vm.Part { return fragmentPart(8*out, lane, transposed) }
	b.emit(vm.Inst{Op: vm.LoadRows, Mem: mem})
	b.wide(in, w)
}

func (b *builder) stmatrix(in *syntax.Inst) {
	count, transposed, ok := b.matrixMemory(in)
	if !ok {
		return
	}
	w := &vm.Wide{In: b.matrixRegs(&in.Args[1], count, false)}
	mem := b.rows(in, &in.Args[0], count, true)
	if b.failed {
		return
	}
	w.Out = mem.Regs
	w.From = func(out, lane int) []vm.Part {
		if lane >= 8*count {
			return nil
		}
		return rowPart(lane>>3, lane&7, out, transposed)
	}
	b.wide(in, w)
	b.emit(vm.Inst{Op: vm.StoreRows, Mem: mem})
}

// movmatrix transposes a matrix between the registers of a warp.
func (b *builder) movmatrix(in *syntax.Inst) {
	if !slices.Equal(in.Mods, []string{"sync", "aligned", "m8n8", "trans", "b16"}) || len(in.Args) != 2 {
		b.unsupported("no such form: movmatrix.sync.aligned.m8n8.trans.b16 is expected")
		return
	}
	w := &vm.Wide{Out: b.matrixRegs(&in.Args[0], 1, true), In: b.matrixRegs(&in.Args[1], 1, false)}
	w.From = func(_, lane int) []vm.Part {
		row, word := lane>>2, lane&3
		return rowPart(0, row, word, true)
	}
	b.wide(in, w)
}
