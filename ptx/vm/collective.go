package vm

import (
	"fmt"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
)

// barrierKey is the meeting in which the lanes of a warp gather at a block barrier: every
// form of barrier first waits for all lanes of its warp that have not exited.
const barrierKey = "barrier"

// collective executes a barrier or warp collective with the current group.
func (t *Thread) collective(in *Inst) {
	if in.Coll.Kind == CollBar {
		t.barrier(in)
		return
	}
	c := in.Coll
	f, m := t.cur.fr, t.cur.mask
	warp := t.ws.warp
	member := warp.Live
	if c.Mask.Class != NoReg {
		member = uint32(f.lane(c.Mask, firstLane(m)))
		if same := t.sameValue(f, c.Mask, m, uint64(member)); same != m {
			// Lanes with another mask take part in another collective.
			t.ready = append(t.ready, group{t.cur.pc, m &^ same, f})
			t.cur.mask, m = same, same
		}
	}
	if outside := m &^ member; outside != 0 {
		t.report(kernel.BarrierMisuse, in, firstLane(outside), func(fd *kernel.Finding) {
			fd.Message = fmt.Sprintf("lane %d executes %s with mask %#x, which does not name the lane itself: undefined behaviour", firstLane(outside), c.Key, member)
			fd.Fix = "pass a mask that names exactly the lanes that reach this instruction, computed before the branch (for example with __ballot_sync)"
		})
		member |= outside
	}
	meet := warp.Meet.Open(c.Key, member)
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		meet.A[l], meet.B[l], meet.C[l] = f.lane(c.Args[0], l), f.lane(c.Args[1], l), f.lane(c.Args[2], l)
		meet.Site[l] = in.Number
	}
	t.meetMarks(f, in, meet, m)
	if c.Wide != nil {
		t.bringWide(f, in, m)
	}
	meet.Arrived |= m
	if !meet.Complete(warp.Live) {
		t.launch.Counters.BarrierWaits[exec.WaitWarp]++
		t.changes++
		t.wait(exec.OnCollective, in, nil)
		return
	}
	if meet.Arrived != m {
		t.changes++ // other lanes go on because of this one: see backEdge
	}
	t.finish(in, meet, m)
	t.resume(in, &t.cur)
}

// finish completes a meeting: it computes every lane's result and wakes the lanes that
// wait in other groups or threads.
func (t *Thread) finish(in *Inst, meet *barrier.Meeting, present uint32) {
	warp := t.ws.warp
	lanes := meet.Arrived
	warp.Meet.Close(meet)
	if in.Coll.Kind == CollSync {
		t.block.Observe(exec.Synced, warp, lanes, int(in.Number), 0)
		if t.race != nil {
			warp.Clock.Sync(lanes, warp.Live)
		}
	} else if in.Coll.Wide != nil {
		t.finishWide(in, lanes)
	} else {
		ci := CollIn{Lanes: lanes, A: &meet.A, B: &meet.B, C: &meet.C}
		marks := t.ws.marks[meet]
		for x := lanes; x != 0; x &= x - 1 {
			l := firstLane(x)
			v, p, from := in.Coll.Fn(&ci, l)
			warp.Result[l] = v
			b := uint32(1) << l
			t.ws.resultPred &^= b
			if p {
				t.ws.resultPred |= b
			}
			t.ws.resultMark[l] = 0
			t.ws.undefined &^= b
			if from == Undefined {
				t.ws.resultMark[l] = sizeMask(4)
				t.ws.undefined |= b
			}
			if marks != nil && from >= 0 {
				t.ws.resultMark[l] = marks[from]
			}
		}
	}
	delete(t.ws.marks, meet)
	if others := lanes &^ present; others != 0 {
		t.block.WakeLanes(warp, others)
	}
}

// meetMarks keeps the uninitialised bits of what lanes bring to an exchange. A value that
// is combined instead of moved is used.
func (t *Thread) meetMarks(f *frame, in *Inst, meet *barrier.Meeting, m uint32) {
	delete(t.ws.marks, meet)
	if f.marked == 0 {
		return
	}
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		inv := f.mark(in.Coll.Args[0], l)
		if inv == 0 {
			continue
		}
		if !in.Coll.Moves {
			t.useOf(f, in, in.Coll.Args[0], l)
			continue
		}
		if t.ws.marks == nil {
			t.ws.marks = map[*barrier.Meeting]*D{}
		}
		if t.ws.marks[meet] == nil {
			t.ws.marks[meet] = new(D)
		}
		t.ws.marks[meet][l] = inv
	}
}

// resume completes the instruction at which a group waited and moves it on.
func (t *Thread) resume(in *Inst, g *group) {
	g.pc++
	if in.Coll.Wide != nil {
		t.takeWide(g.fr, in, g.mask)
		return
	}
	if in.DK == NoReg && in.D2.Class == NoReg {
		return
	}
	f, res, pred := g.fr, &t.ws.warp.Result, t.ws.resultPred
	for x := g.mask; x != 0; x &= x - 1 {
		l := firstLane(x)
		d := Reg{in.D, in.DK}
		switch {
		case in.Coll.Kind == CollBar:
			f.setLane(d, l, res[l])
		case in.DK == RP:
			f.setLane(d, l, uint64(pred>>l&1))
		case in.DK != NoReg:
			f.setLane(d, l, res[l])
			from := f.origin(in.Coll.Args[0], l)
			if t.ws.undefined>>l&1 != 0 {
				from = markOrigin{in: in}
			}
			f.setMark(d, l, t.ws.resultMark[l], from)
		}
		f.setLane(in.D2, l, uint64(pred>>l&1))
	}
}

// barrier executes bar and barrier.cta: the lanes gather, then the warp arrives.
func (t *Thread) barrier(in *Inst) {
	warp, m, f := t.ws.warp, t.cur.mask, t.cur.fr
	t.changes++ // to arrive is progress for others: a loop with a barrier does not spin
	if m == warp.Live {
		if t.arrive(in, f, m) {
			t.resume(in, &t.cur)
		} else {
			t.wait(exec.OnBarrier, in, nil)
		}
		return
	}
	meet := warp.Meet.Open(barrierKey, Full)
	for x := m; x != 0; x &= x - 1 {
		l := firstLane(x)
		meet.A[l], meet.B[l] = t.barrierOperands(in, f, l)
		meet.C[l] = bit(in.Coll.Args[0].Class == RP && f.pred[in.Coll.Args[0].Index]>>l&1 != 0)
		meet.Site[l] = in.Number
	}
	meet.Arrived |= m
	t.wait(exec.OnBarrier, in, nil)
	if meet.Complete(warp.Live) {
		t.gathered(meet)
	}
}

func (t *Thread) barrierOperands(in *Inst, f *frame, l int) (id, count uint64) {
	id, count = uint64(in.Coll.Bar.ID), uint64(in.Coll.Bar.Count)
	if in.Coll.ID.Class != NoReg {
		id = f.lane(in.Coll.ID, l)
	}
	if in.Coll.Count.Class != NoReg {
		count = f.lane(in.Coll.Count, l)
	}
	return id, count
}

// arrive performs the barrier for the warp; all its live lanes stand at in.
func (t *Thread) arrive(in *Inst, f *frame, m uint32) bool {
	t.flush() // the time of the arrival counts
	c := in.Coll
	if c.Args[0].Class == NoReg && c.ID.Class == NoReg && c.Count.Class == NoReg {
		return t.block.Bar(t.ws.warp, &c.Bar)
	}
	id, count := t.barrierOperands(in, f, firstLane(m))
	for x := m & (m - 1); x != 0; x &= x - 1 {
		if i, n := t.barrierOperands(in, f, firstLane(x)); i != id || n != count {
			t.divergent(in, in, firstLane(m), firstLane(x))
			break
		}
	}
	op := c.Bar
	op.ID, op.Count = int(min(id, 1<<20)), int(min(count, 1<<20))
	if p := c.Args[0]; p.Class == RP {
		op.Pred = f.pred[p.Index] & m
	}
	return t.block.Bar(t.ws.warp, &op)
}

// gathered runs when the last live lane of a diverged warp has come to a barrier.
func (t *Thread) gathered(meet *barrier.Meeting) {
	warp := t.ws.warp
	lanes := meet.Arrived & warp.Live
	warp.Meet.Close(meet)
	if lanes == 0 {
		return
	}
	l0 := firstLane(lanes)
	in := &t.prog.Insts[meet.Site[l0]]
	op := in.Coll.Bar
	op.ID, op.Count = int(min(meet.A[l0], 1<<20)), int(min(meet.B[l0], 1<<20))
	for x := lanes; x != 0; x &= x - 1 {
		l := firstLane(x)
		if meet.C[l] != 0 {
			op.Pred |= 1 << l
		}
		other := &t.prog.Insts[meet.Site[l]]
		if other == in && meet.A[l] == meet.A[l0] && meet.B[l] == meet.B[l0] {
			continue
		}
		if !op.Aligned && !other.Coll.Bar.Aligned && meet.A[l] == meet.A[l0] && meet.B[l] == meet.B[l0] {
			continue
		}
		t.divergent(in, other, l0, l)
	}
	t.flush()
	if t.block.Bar(warp, &op) {
		t.block.WakeLanes(warp, lanes)
	}
}

// divergent reports lanes of one warp at two barrier instructions.
func (t *Thread) divergent(a, b *Inst, la, lb int) {
	key := keyOf(t, kernel.BarrierDivergence, kernel.Error, int(a.Number))
	key.Site[1] = int(b.Number)
	t.launch.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: t.launch.Kernel, Accesses: []kernel.Access{t.accessOf(a, la), t.accessOf(b, lb)}}
		f.Accesses[0].Op, f.Accesses[1].Op = "", ""
		f.Message = "lanes of one warp wait at two different barrier instructions; an aligned barrier must be executed by all lanes of a warp together"
		if a == b {
			f.Message = "lanes of one warp wait at one barrier instruction with different barrier numbers or counts"
		}
		f.Fix = "move __syncthreads() out of the branch, so that every thread of the block executes the same one"
		return f
	})
}

// recheckMeetings completes meetings that only lanes which have now exited held up.
func (t *Thread) recheckMeetings() {
	warp := t.ws.warp
	if warp.Live == 0 {
		return
	}
again:
	for _, m := range warp.Meet.Pending() {
		if m.Arrived&warp.Live == 0 || !m.Complete(warp.Live) {
			continue
		}
		if m.Key == barrierKey {
			t.gathered(m)
		} else {
			t.finish(&t.prog.Insts[m.Site[firstLane(m.Arrived)]], m, 0)
		}
		goto again
	}
}

// Waits describes the groups that cannot go on.
func (t *Thread) Waits() []exec.Wait {
	var out []exec.Wait
	warp := t.ws.warp
	for _, w := range t.waits {
		x := exec.Wait{Warp: warp.Index, Lanes: w.mask, On: w.kind, Source: t.prog.Source(int(w.in.Number)), What: w.in.text(t.prog)}
		switch w.kind {
		case exec.OnBarrier:
			id, _ := t.barrierOperands(w.in, w.fr, firstLane(w.mask))
			x.Barrier = int(min(id, 1<<20))
			x.What = fmt.Sprintf("barrier %d", x.Barrier)
			if m := t.meetingOf(w.mask); m != nil {
				x.Missing = warp.Live &^ m.Arrived
			}
		case exec.OnCollective:
			if m := t.meetingOf(w.mask); m != nil {
				x.Missing = m.Member & warp.Live &^ m.Arrived
				x.What = fmt.Sprintf("%s with mask %#x", m.Key, m.Member)
			}
		case exec.OnMemory:
			x.Source = t.prog.Source(int(w.spin.load))
			x.What = w.spin.describe()
			t.phaseWait(&x, w.spin)
		}
		out = append(out, x)
	}
	return out
}

func (t *Thread) meetingOf(lanes uint32) *barrier.Meeting {
	for _, m := range t.ws.warp.Meet.Pending() {
		if m.Arrived&lanes != 0 {
			return m
		}
	}
	return nil
}
