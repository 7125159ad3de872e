package vm

import (
	"fmt"
	"math/bits"
	"slices"

	"gpusim/kernel"
)

// savedBytes is the local memory that an activation takes for its registers: a GPU keeps
// those of the callers there. Counting all of them, up to the 255 that a thread may have,
// bounds the memory of the simulation as well.
func (fn *Func) savedBytes() int64 { return min(4*int64(fn.N32)+8*int64(fn.N64), 4*255) }

// maxDepth bounds recursion; local memory usually ends it earlier.
const maxDepth = 1 << 14

// control executes the control instruction at the current pc.
func (t *Thread) control() {
	pc := t.cur.pc
	in := &t.prog.Insts[pc]
	f := t.cur.fr
	t.count(1, t.cur.mask)
	take := t.cur.mask
	if in.Guard != NoGuard {
		g := f.pred[in.Guard]
		if in.GuardNeg {
			g = ^g
		}
		take &= g
		if f.marked != 0 {
			t.useGuard(f, in, t.cur.mask)
		}
	}
	if in.Op == Bra {
		t.branch(in, take)
		return
	}
	// Lanes whose guard is false go on behind the instruction.
	if rest := t.cur.mask &^ take; rest != 0 {
		if take == 0 {
			t.cur.pc++
			return
		}
		t.ready = append(t.ready, group{pc + 1, rest, f})
		t.cur.mask = take
	}
	if f.marked != 0 {
		t.trackMarks(f, in, take)
	}
	switch in.Op {
	case BrxIdx:
		t.brx(in)
	case CallOp:
		t.call(in)
	case Ret:
		t.ret()
	case Exit:
		t.exit(take)
	case Trap:
		t.report(kernel.Trap, in, firstLane(take), func(f *kernel.Finding) {
			f.Message = "the kernel executed a trap instruction"
			f.Fix = "a trap is what __trap() and failed checks compile to: look at the condition that guards it"
		})
		t.launch.Stop("a thread executed trap", true)
	case Brkpt:
		t.cur.pc++
	case Collective:
		t.collective(in)
	}
}

func firstLane(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// branch executes bra: the lanes of take jump.
func (t *Thread) branch(in *Inst, take uint32) {
	switch {
	case take == 0:
		t.cur.pc++
		return
	case take != t.cur.mask:
		t.ready = append(t.ready, group{t.cur.pc + 1, t.cur.mask &^ take, t.cur.fr})
		t.cur.mask = take
	}
	t.cur.pc = in.Target
	if in.Back >= 0 {
		t.backEdge(in)
	}
}

// brx executes an indexed branch; an index beyond the table is undefined (PTX ISA,
// "brx.idx") and reported.
func (t *Thread) brx(in *Inst) {
	f, m := t.cur.fr, t.cur.mask
	first := true
	for m != 0 {
		i := f.lane(in.Src[0], firstLane(m))
		same := t.sameValue(f, in.Src[0], m, i)
		m &^= same
		if i >= uint64(len(in.Table)) {
			t.report(kernel.OutOfBounds, in, firstLane(same), func(fd *kernel.Finding) {
				fd.Message = fmt.Sprintf("brx.idx with index %d in a table of %d targets", i, len(in.Table))
			})
			t.exitLanes(same, f)
			continue
		}
		g := group{in.Table[i], same, f}
		if first {
			t.cur, first = g, false
		} else {
			t.ready = append(t.ready, g)
		}
	}
	if first {
		t.cur.mask = 0
	}
}

// sameValue is the mask of the lanes that hold v.
func (t *Thread) sameValue(f *frame, r Reg, m uint32, v uint64) (same uint32) {
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		if f.lane(r, l) == v {
			same |= 1 << l
		}
	}
	return same
}

// call enters a function; an indirect call enters each target with the lanes that hold
// its address.
func (t *Thread) call(in *Inst) {
	c := in.Call
	if c.Builtin != NoBuiltin {
		t.builtin(in)
		return
	}
	if c.Fn != nil {
		t.enter(in, c.Fn, t.cur.mask)
		return
	}
	f, m, pc := t.cur.fr, t.cur.mask, t.cur.pc
	a := f.lane(c.Target, firstLane(m))
	same := t.sameValue(f, c.Target, m, a)
	if rest := m &^ same; rest != 0 {
		t.ready = append(t.ready, group{pc, rest, f})
		t.cur.mask = same
	}
	fn := t.prog.Funcs[a]
	if fn == nil {
		t.report(kernel.OutOfBounds, in, firstLane(same), func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("an indirect call to %#x, which is not the address of a function", a)
			fd.Fix = "the function pointer (or the object whose virtual function is called) was never set, or is a host address"
		})
		t.exit(same)
		return
	}
	t.enter(in, fn, same)
}

func (t *Thread) enter(in *Inst, fn *Func, lanes uint32) {
	caller := t.cur.fr
	base := (caller.highest(lanes) + 15) &^ 15
	if used := base + caller.saved; caller.depth >= maxDepth || used+fn.LocalSize+fn.savedBytes() > MaxLocal {
		t.report(kernel.OutOfBounds, in, firstLane(lanes), func(fd *kernel.Finding) {
			fd.Space = kernel.Local
			fd.Message = fmt.Sprintf("stack overflow: %s is called at depth %d with %d bytes of local memory in use, saved registers included (the limit is %d bytes)", fn.Name, caller.depth, used, MaxLocal)
			fd.Fix = "end the recursion earlier, or turn it into a loop with an explicit stack"
		})
		t.exit(lanes)
		return
	}
	f := t.activation(in, fn, caller, base)
	f.lanes |= lanes
	t.ws.local.push(base, fn.LocalSize, lanes)
	args := in.Call.Args
	if in.Call.Fn == nil { // indirect: the callee's own layout
		args = pair(in.Call.Args, fn.Params)
	}
	copyParams(f, caller, args, lanes, true)
	t.cur = group{fn.Entry, lanes, f}
}

// activation is the frame of a call: lanes that enter a function from one place share it,
// whenever they come and whichever thread runs them, because each has its own column of
// the registers.
func (t *Thread) activation(in *Inst, fn *Func, caller *frame, base int64) *frame {
	for _, c := range caller.callees {
		if c.call == in.Call && c.fn == fn && c.localBase == base {
			return c
		}
	}
	f := t.frames.get(fn)
	f.parent, f.ret, f.call, f.lanes, f.depth = caller, t.cur.pc+1, in.Call, 0, caller.depth+1
	f.localBase, f.tops = base, nil
	f.saved = caller.saved + fn.savedBytes()
	caller.callees = append(caller.callees, f)
	return f
}

// pair joins the caller's side of an indirect call with the callee's.
func pair(caller, callee []CopyRange) []CopyRange {
	n := min(len(caller), len(callee))
	out := make([]CopyRange, n)
	for i := range n {
		out[i] = CopyRange{caller[i].Caller, callee[i].Callee, min(caller[i].Size, callee[i].Size)}
	}
	return out
}

// ret returns from a function; in a kernel it ends the lanes.
func (t *Thread) ret() {
	f, lanes := t.cur.fr, t.cur.mask
	if f.parent == nil {
		t.exit(lanes)
		return
	}
	rets := f.call.Rets
	if f.call.Fn == nil {
		rets = pair(f.call.Rets, f.fn.Rets)
	}
	copyParams(f.parent, f, rets, lanes, false)
	t.cur = group{f.ret, lanes, f.parent}
	t.leave(f, lanes)
}

// leave takes lanes out of a frame and recycles it behind the last of them.
func (t *Thread) leave(f *frame, lanes uint32) {
	if f.lanes &^= lanes; f.lanes != 0 {
		f.clearLanesOfAll(lanes)
		return
	}
	i := slices.Index(f.parent.callees, f)
	f.parent.callees = slices.Delete(f.parent.callees, i, i+1)
	t.frames.put(f)
}

// exit ends lanes of the current group.
func (t *Thread) exit(lanes uint32) {
	f := t.cur.fr
	t.cur.mask &^= lanes
	t.exitLanes(lanes, f)
}

func (t *Thread) exitLanes(lanes uint32, f *frame) {
	for ; f.parent != nil; f = f.parent {
		t.leave(f, lanes)
	}
	t.block.Exited(t.ws.warp, lanes)
	t.recheckMeetings()
}
