package vm

import (
	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// MBarKind is what an mbarrier instruction does.
type MBarKind uint8

// The mbarrier instructions (PTX ISA, "mbarrier").
const (
	MInit MBarKind = iota
	MInval
	MArrive // arrive and arrive_drop, also with expect_tx
	MTest   // test_wait and try_wait
	MExpectTx
	MCompleteTx
	MAsyncArrive // cp.async.mbarrier.arrive
)

// MBar describes an mbarrier instruction. The destination is a state (MArrive) or a
// predicate (MTest).
type MBar struct {
	Kind       MBarKind
	Arg        Reg // count, transactions (MExpectTx, MCompleteTx), state or parity; NoReg: a count of 1
	Tx         Reg // arrive.expect_tx: transactions
	Drop       bool
	NoComplete bool
	Relaxed    bool
	Parity     bool
	NoInc      bool
}

// mbarrier executes an mbarrier instruction: lanes at one object act together.
func (t *Thread) mbarrier(f *frame, in *Inst, m uint32) {
	t.observe(in, m)
	mem := in.Mem
	a := t.addresses(f, mem.Base)
	if mem.MBar.Kind != MTest {
		t.changes++ // progress for others: see backEdge
	}
	dst := Reg{in.D, in.DK}
	for m != 0 {
		first := firstLane(m)
		ad := a[first] + uint64(mem.Off)
		same := uint32(0)
		for x := m; x != 0; x &= x - 1 {
			if l := firstLane(x); a[l] == a[first] {
				same |= 1 << l
			}
		}
		m &^= same
		b := t.find(ad, kernel.Shared)
		if b == nil || ad-b.Base+8 > uint64(len(b.Data)) || ad&7 != 0 {
			t.badAddress(f, in, first, ad, 8)
			t.setLanes(f, dst, same, func(int) uint64 { return 1 }) // a wait that failed for ever would be a second finding
			continue
		}
		t.atObject(f, in, dst, exec.MAddress{Buffer: b, Off: int64(ad - b.Base)}, same)
	}
}

// atObject executes the instruction for lanes that name one object.
func (t *Thread) atObject(f *frame, in *Inst, dst Reg, at exec.MAddress, m uint32) {
	mem, mb, w, ins := in.Mem, in.Mem.MBar, t.ws.warp, int(in.Number)
	t.objectRace(f, in, at, m)
	switch mb.Kind {
	case MInit, MInval, MExpectTx, MCompleteTx:
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			n := int64(uint32(f.lane(mb.Arg, l)))
			switch mb.Kind {
			case MInit:
				t.block.MInit(w, l, at, n, ins)
				at.Buffer.SetValid(at.Off, 8, true)
			case MInval:
				t.block.MInval(w, l, at, ins)
				at.Buffer.SetValid(at.Off, 8, false)
			default:
				t.block.MTx(w, l, at, n, mb.Kind == MCompleteTx, ins)
			}
		}
	case MArrive:
		op := exec.MArrive{Drop: mb.Drop, NoComplete: mb.NoComplete, Relaxed: mb.Relaxed, Instruction: ins}
		if mb.Arg.Class != NoReg {
			op.Counts = t.signed(f, mb.Arg, m)
		}
		if mb.Tx.Class != NoReg {
			op.Tx = t.signed(f, mb.Tx, m)
		}
		var states [32]uint64
		t.block.MArrive(w, m, at, &op, &states)
		t.setLanes(f, dst, m, func(l int) uint64 { return states[l] })
	case MAsyncArrive:
		t.block.MAsyncArrive(w, m, at, mb.NoInc, ins)
	case MTest:
		op := exec.MWait{States: new([32]uint64), Parity: mb.Parity, Relaxed: mb.Relaxed, Instruction: ins}
		for x := m; x != 0; x &= x - 1 {
			l := firstLane(x)
			op.States[l] = f.lane(mb.Arg, l)
		}
		if t.rec != nil {
			t.rec.read(at.Buffer, at.Off, int64(mem.Size), in.Number)
		}
		done := t.block.MTest(w, m, at, &op)
		t.setLanes(f, dst, m, func(l int) uint64 { return uint64(done >> l & 1) })
	}
}

func (t *Thread) signed(f *frame, r Reg, m uint32) *[32]int64 {
	v := new([32]int64)
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		v[l] = int64(uint32(f.lane(r, l)))
	}
	return v
}

// objectRace tells the detector about the object's bytes: to initialise and to end an
// object are plain writes, which all other uses have to be ordered with; those are atomics.
func (t *Thread) objectRace(f *frame, in *Inst, at exec.MAddress, m uint32) {
	sd, ok := at.Buffer.Shadow.(*race.Shadow)
	if t.race == nil || !ok {
		return
	}
	w, site, kind := t.ws.warp.Clock, t.sites[in.Mem.Site], in.Mem.MBar.Kind
	t.values.set(f, in.Mem, at.Buffer)
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		if kind == MInit || kind == MInval {
			t.race.Access(w, sd, t.launch.Shapes.Single(l, 8), at.Off, site)
		} else {
			t.race.Strong(w, l, sd, at.Off, 8, site, kind != MTest)
		}
	}
}

// touches reports lanes whose ordinary access of width bytes, at the offsets that off gives,
// meets a live mbarrier object.
func (t *Thread) touches(in *Inst, b *memory.Buffer, m uint32, width int, off func(lane int) int64) {
	for ; m != 0; m &= m - 1 {
		l := firstLane(m)
		o := off(l)
		for _, at := range b.Opaque {
			if o < at+8 && at < o+int64(width) {
				t.block.Ordinary(t.ws.warp, l, exec.MAddress{Buffer: b, Off: at}, int(in.Number))
			}
		}
	}
}

// phaseWait makes the wait of a loop that is parked on an mbarrier object one for its phase.
func (t *Thread) phaseWait(x *exec.Wait, p *parked) {
	if t.prog.Insts[p.load].Op != MBarrier || len(p.buffers) == 0 {
		return
	}
	k := len(p.buffers) - 1
	x.On = exec.OnMBarrier
	x.What, x.Needs = t.block.MWaiting(exec.MAddress{Buffer: p.buffers[k], Off: p.watches[k].Off})
}

// PendingCount is mbarrier.pending_count.
func PendingCount(state, _, _, _ uint64) uint64 { return barrier.PendingOf(state) }
