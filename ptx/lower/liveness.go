package lower

import "gpusim/ptx/vm"

// liveSet is a bit set over the registers of a function, all classes in a row.
type liveSet []uint64

func (s liveSet) has(i int) bool { return s[i>>6]>>uint(i&63)&1 != 0 }
func (s liveSet) add(i int)      { s[i>>6] |= 1 << uint(i&63) }
func (s liveSet) del(i int)      { s[i>>6] &^= 1 << uint(i&63) }

// slot numbers a register over all classes.
func (b *builder) slot(r vm.Reg) int {
	switch r.Class {
	case vm.R32:
		return int(r.Index)
	case vm.R64:
		return b.next[vm.R32] + int(r.Index)
	}
	return b.next[vm.R32] + b.next[vm.R64] + int(r.Index)
}

// liveness computes which registers are live at the start of each block: what a spinning
// loop must have unchanged to be seen as spinning.
func (b *builder) liveness(blocks []block, order []int) {
	n := (b.next[vm.R32]+b.next[vm.R64]+b.next[vm.RP])>>6 + 1
	for _, k := range order {
		blocks[k].live = make(liveSet, n)
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			bl := &blocks[order[i]]
			out := make(liveSet, n)
			for _, s := range bl.succ {
				for w, x := range blocks[s].live {
					out[w] |= x
				}
			}
			for k := bl.end - 1; k >= bl.first; k-- {
				b.transfer(out, &b.code[k].Inst)
			}
			for w, x := range out {
				if x&^bl.live[w] != 0 {
					bl.live[w] |= x
					changed = true
				}
			}
		}
	}
}

// transfer moves a set of live registers from behind an instruction to before it.
func (b *builder) transfer(s liveSet, in *vm.Inst) {
	if in.Guard == vm.NoGuard {
		for _, r := range defs(in) {
			if r.Class != vm.NoReg {
				s.del(b.slot(r))
			}
		}
	} else {
		s.add(b.slot(vm.Reg{Index: uint16(in.Guard), Class: vm.RP}))
	}
	for _, r := range uses(in) {
		if r.Class != vm.NoReg {
			s.add(b.slot(r))
		}
	}
}

func defs(in *vm.Inst) []vm.Reg {
	out := []vm.Reg{{Index: in.D, Class: in.DK}, in.D2}
	switch in.Op {
	case vm.Load, vm.LoadRows, vm.LoadLocal, vm.LoadParam, vm.Atomic, vm.Unpack:
		out = append(out, in.Mem.Regs...)
	}
	if in.Coll != nil && in.Coll.Wide != nil {
		out = append(out, in.Coll.Wide.Out...)
	}
	if in.Alu != nil && in.Alu.Carry != nil {
		out = append(out, vm.Reg{Index: in.CC, Class: vm.RP})
	}
	return out
}

func uses(in *vm.Inst) []vm.Reg {
	out := append([]vm.Reg(nil), in.Src[:in.NArgs]...)
	if in.Alu != nil && in.Alu.ReadsCC {
		out = append(out, vm.Reg{Index: in.CC, Class: vm.RP})
	}
	if m := in.Mem; m != nil {
		out = append(out, m.Base)
		switch in.Op {
		case vm.Store, vm.StoreRows, vm.StoreLocal, vm.StoreParam, vm.Pack:
			out = append(out, m.Regs...)
		}
		if m.Async != nil {
			out = append(out, m.Async.Src, m.Async.SrcSize, m.Async.Ignore)
		}
	}
	if c := in.Coll; c != nil {
		out = append(out, c.Mask, c.ID, c.Count)
		out = append(out, c.Args[:]...)
		if c.Wide != nil {
			out = append(out, c.Wide.In...)
		}
	}
	if in.Call != nil {
		out = append(out, in.Call.Target)
	}
	return out
}

// liveRegs lists the registers of a set that can change: constants cannot.
func (b *builder) liveRegs(s liveSet) []vm.Reg {
	constant := map[vm.Reg]bool{}
	for _, r := range b.consts {
		constant[r] = true
	}
	for _, r := range b.fn.Specials {
		constant[vm.Reg{Index: r.Reg, Class: vm.R32}] = true
	}
	var out []vm.Reg
	for _, c := range []vm.Class{vm.R32, vm.R64, vm.RP} {
		for i := range b.next[c] {
			if r := (vm.Reg{Index: uint16(i), Class: c}); s.has(b.slot(r)) && !constant[r] {
				out = append(out, r)
			}
		}
	}
	return out
}
