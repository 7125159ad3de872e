package lower

import (
	"math/bits"
	"slices"
	"strings"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/ptx/alu"
	"gpusim/ptx/syntax"
	"gpusim/ptx/vm"
)

// bar lowers the named barriers of a block and bar.warp.sync.
func (b *builder) bar(in *syntax.Inst) {
	mods := slices.Clone(in.Mods)
	if len(mods) > 0 && mods[0] == "warp" {
		if len(in.Args) != 1 {
			b.unsupported("bar.warp.sync has one operand")
			return
		}
		m := b.value(&in.Args[0], 32, false)
		if !b.failed {
			b.emit(vm.Inst{Op: vm.Collective, Coll: &vm.Coll{Key: "bar.warp.sync", Kind: vm.CollSync, Mask: m}})
		}
		return
	}
	if len(mods) > 0 && mods[0] == "cluster" {
		b.clusterBarrier(in)
		return
	}
	c := &vm.Coll{Kind: vm.CollBar, Bar: exec.BarOp{Aligned: in.Op == "bar", Text: in.Text}}
	out := vm.Inst{Op: vm.Collective, Coll: c}
	args := in.Args
	var red string
	for _, m := range mods {
		switch m {
		case "cta":
		case "aligned":
			c.Bar.Aligned = true
		case "sync":
			c.Bar.Role = barrier.Sync
		case "arrive":
			c.Bar.Role = barrier.Arrive
		case "red":
			c.Bar.Role = barrier.Red
		case "popc", "and", "or":
			red = m
		case "u32", "pred":
		default:
			b.unsupported(".%s is not supported", m)
			return
		}
	}
	if c.Bar.Role == barrier.Red {
		c.Bar.Red = map[string]barrier.RedOp{"popc": barrier.Popc, "and": barrier.And, "or": barrier.Or}[red]
		if red == "" || len(args) < 3 {
			b.unsupported("this reduction is not supported")
			return
		}
		d, p := b.reg(&args[0]), &args[len(args)-1]
		out.D, out.DK = d.Index, d.Class
		c.Args[0] = b.value(p, 1, false)
		args = args[1 : len(args)-1]
	}
	if len(args) < 1 || len(args) > 2 || c.Bar.Role == barrier.Arrive && len(args) != 2 {
		b.unsupported("a barrier and a thread count are expected")
		return
	}
	c.ID = b.barOperand(&args[0], &c.Bar.ID)
	if len(args) == 2 {
		c.Count = b.barOperand(&args[1], &c.Bar.Count)
	}
	if !b.failed {
		b.emit(out)
	}
}

// barOperand is a barrier's number or count: a constant or a register.
func (b *builder) barOperand(o *syntax.Operand, constant *int) vm.Reg {
	if o.Kind == syntax.OperandInt {
		*constant = int(min(o.Int, 1<<20))
		return vm.Reg{}
	}
	return b.value(o, 32, false)
}

// collective emits a warp collective; args are its data operands.
func (b *builder) collective(in *syntax.Inst, dst *syntax.Operand, mask *syntax.Operand, c *vm.Coll) {
	out := vm.Inst{Op: vm.Collective, Coll: c}
	if dst.Kind == syntax.OperandPair {
		if d := b.reg(&dst.Elems[0]); d.Class != vm.NoReg {
			out.D, out.DK = d.Index, d.Class
		}
		out.D2 = b.reg(&dst.Elems[1])
	} else if d := b.reg(dst); d.Class != vm.NoReg {
		out.D, out.DK = d.Index, d.Class
	}
	c.Mask = b.value(mask, 32, false)
	c.Key = in.Op + "." + strings.Join(in.Mods, ".")
	if !b.failed {
		b.emit(out)
	}
}

// shfl lowers shfl.sync (PTX ISA, "shfl.sync").
func (b *builder) shfl(in *syntax.Inst) {
	if len(in.Mods) != 3 || in.Mods[0] != "sync" || len(in.Args) != 5 {
		b.unsupported("only shfl.sync.mode.b32 exists on sm_70 and later")
		return
	}
	mode := in.Mods[1]
	c := &vm.Coll{Moves: true}
	for i := range 3 {
		c.Args[i] = b.value(&in.Args[i+1], 32, false)
	}
	c.Fn = func(x *vm.CollIn, lane int) (uint64, bool, int) {
		bval, cval := int(x.B[lane]&0x1F), int(x.C[lane]&0x1F)
		seg := int(x.C[lane] >> 8 & 0x1F)
		maxLane := lane&seg | cval&^seg
		minLane := lane & seg
		j, ok := lane, false
		switch mode {
		case "up":
			j = lane - bval
			ok = j >= maxLane
		case "down":
			j = lane + bval
			ok = j <= maxLane
		case "bfly":
			j = lane ^ bval
			ok = j <= maxLane
		case "idx":
			j = minLane | bval&^seg
			ok = j <= maxLane
		}
		if !ok {
			j = lane
		}
		if x.Lanes>>uint(j)&1 == 0 {
			// A lane that does not take part (it has exited, or the mask does not name it):
			// the value is undefined, so it is the lane's own, and the same in every run.
			return x.A[lane], ok, vm.Undefined
		}
		return x.A[j], ok, j
	}
	b.collective(in, &in.Args[0], &in.Args[4], c)
}

// vote lowers vote.sync (PTX ISA, "vote.sync").
func (b *builder) vote(in *syntax.Inst) {
	if len(in.Mods) != 3 || in.Mods[0] != "sync" || len(in.Args) != 3 {
		b.unsupported("only vote.sync exists on sm_70 and later")
		return
	}
	c := &vm.Coll{}
	c.Args[0] = b.value(&in.Args[1], 1, false)
	mode := in.Mods[1]
	c.Fn = func(x *vm.CollIn, _ int) (uint64, bool, int) {
		var set uint32
		for m := x.Lanes; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if x.A[l]&1 != 0 {
				set |= 1 << l
			}
		}
		switch mode {
		case "any":
			return 0, set != 0, -1
		case "all":
			return 0, set == x.Lanes, -1
		case "uni":
			return 0, set == x.Lanes || set == 0, -1
		}
		return uint64(set), false, -1
	}
	b.collective(in, &in.Args[0], &in.Args[2], c)
}

// match lowers match.sync (PTX ISA, "match.sync").
func (b *builder) match(in *syntax.Inst) {
	if len(in.Mods) != 3 || len(in.Args) != 3 {
		b.unsupported("this form is not supported")
		return
	}
	c := &vm.Coll{}
	c.Args[0] = b.value(&in.Args[1], typeBits(in), false)
	all := slices.Contains(in.Mods, "all")
	c.Fn = func(x *vm.CollIn, lane int) (uint64, bool, int) {
		var same uint32
		for m := x.Lanes; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if x.A[l] == x.A[lane] {
				same |= 1 << l
			}
		}
		if !all {
			return uint64(same), false, -1
		}
		if same == x.Lanes {
			return uint64(same), true, -1
		}
		return 0, false, -1
	}
	b.collective(in, &in.Args[0], &in.Args[2], c)
}

// redux lowers redux.sync (PTX ISA, "redux.sync").
func (b *builder) redux(in *syntax.Inst) {
	if len(in.Mods) != 3 || in.Mods[0] != "sync" || len(in.Args) != 3 {
		b.unsupported("this form is not supported")
		return
	}
	op, err := alu.Lookup(in.Mods[1], in.Mods[2:])
	if err != nil || strings.HasPrefix(in.Mods[2], "f") {
		b.unsupported("redux.sync.%s.%s is not supported", in.Mods[1], in.Mods[2])
		return
	}
	c := &vm.Coll{}
	c.Args[0] = b.value(&in.Args[1], 32, false)
	c.Fn = func(x *vm.CollIn, _ int) (uint64, bool, int) {
		first := bits.TrailingZeros32(x.Lanes)
		v := x.A[first]
		for m := x.Lanes & (x.Lanes - 1); m != 0; m &= m - 1 {
			v = op.Fn(v, x.A[bits.TrailingZeros32(m)], 0, 0)
		}
		return v, false, -1
	}
	b.collective(in, &in.Args[0], &in.Args[2], c)
}

// elect lowers elect.sync: the lowest lane is the leader.
func (b *builder) elect(in *syntax.Inst) {
	if len(in.Args) != 2 {
		b.unsupported("this form is not supported")
		return
	}
	c := &vm.Coll{Fn: func(x *vm.CollIn, lane int) (uint64, bool, int) {
		leader := bits.TrailingZeros32(x.Lanes)
		return uint64(leader), lane == leader, -1
	}}
	b.collective(in, &in.Args[0], &in.Args[1], c)
}

func (b *builder) activemask(in *syntax.Inst) {
	if d := b.reg(&in.Args[0]); !b.failed {
		b.emit(vm.Inst{Op: vm.ActiveMask, DK: d.Class, D: d.Index})
	}
}
