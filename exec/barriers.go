package exec

import (
	"math/bits"

	"gpusim/barrier"
	"gpusim/race"
)

// BarOp is one execution of barrier.sync, .arrive or .red by a warp: all its live lanes
// stand there.
type BarOp struct {
	ID, Count   int // Count 0: all threads of the block
	Role        barrier.Role
	Red         barrier.RedOp
	Pred        uint32 // Role Red: the lanes' predicates
	Aligned     bool
	Instruction int    // the front end's number, for Program.Source
	Text        string // the instruction as reports show it
}

// Indices of Counters.BarrierWaits and BarrierWaitTime.
const (
	WaitBlock = iota // barriers of all threads of a block
	WaitNamed        // barriers with a thread count
	WaitRed          // barrier reductions
	WaitWarp         // warp collectives; counted by the front end
)

// WaitKinds names the indices for metrics.
var WaitKinds = [4]string{"block", "named", "reduction", "warp"}

// barriers is the barrier state of the block that a slot runs.
type barriers struct {
	live  uint32 // warps with threads that have not exited
	open  uint32 // barriers with a phase under way
	named [barrier.MaxNamed]namedBarrier
}

type namedBarrier struct {
	barrier.Named
	phase race.Phase
	since uint64                        // sum of the arrival times of the warps that wait
	site  [barrier.MaxWarps]arrivalSite // of this phase's arrivals
}

type arrivalSite struct {
	ins int32
	red barrier.RedOp
}

func (s *barriers) reset(warps int) {
	for m := s.open; m != 0; m &= m - 1 {
		s.named[bits.TrailingZeros32(m)].Reset()
	}
	s.live, s.open = uint32(1<<uint(warps)-1), 0
}

// Bar performs a barrier instruction of a warp. It reports whether the warp goes on: at
// once after an arrive, and when the barrier is complete. Then the other waiting warps
// have been woken, and the result of a reduction is in Result of each of them.
func (b *Block) Bar(w *Warp, op *BarOp) (released bool) {
	if uint(op.ID) >= barrier.MaxNamed {
		b.misuse(barrier.BadID, w, *op)
		return true
	}
	b.Observe(Arrived, w, w.Live, op.Instruction, op.ID)
	n := &b.bars.named[op.ID]
	if !n.Open() {
		n.phase, n.since = race.Phase{}, 0
		b.bars.open |= 1 << op.ID
	}
	if op.Count != 0 || op.Role != barrier.Sync || !n.Join(w.Index) {
		b.arrive(n, w, op)
	}
	n.site[w.Index] = arrivalSite{ins: int32(op.Instruction), red: op.Red}
	if op.Role != barrier.Arrive {
		n.since += b.Launch.Now
	}
	if n.Complete(b.bars.live) {
		b.complete(op.ID, w)
		return true
	}
	return op.Role == barrier.Arrive
}

// arrive performs the arrivals that may be wrong or do not wait.
func (b *Block) arrive(n *namedBarrier, w *Warp, op *BarOp) {
	a := barrier.Arrival{Warp: w.Index, Warps: len(b.Warps), Role: op.Role, Count: op.Count, Lanes: w.Live, Pred: op.Pred}
	if m := n.Check(a); m != barrier.Fine {
		b.misuse(m, w, *op)
	}
	n.Arrive(a)
	if op.Role == barrier.Arrive && b.Launch.Race != nil {
		// The warp runs on, so what it has done so far is noted now; waiting warps
		// add theirs when the barrier completes.
		w.Clock.Arrive(&n.phase, w.Live)
	}
}

// complete ends a barrier's phase: clocks, results, counters, wakes. The warp that runs
// at present is not woken.
func (b *Block) complete(id int, running *Warp) {
	n := &b.bars.named[id]
	l, waiting := b.Launch, n.Waiting
	b.Observe(Completed, &b.Warps[bits.TrailingZeros32(n.Arrived)], 0, -1, id)
	if l.Race != nil {
		b.order(n)
	}
	kind := WaitBlock
	switch {
	case n.Reduces():
		kind = WaitRed
		b.reduced(n)
	case n.Count() != 0:
		kind = WaitNamed
	}
	k := uint64(bits.OnesCount32(waiting))
	l.Counters.BarrierWaits[kind] += k
	l.Counters.BarrierWaitTime[kind] += k*l.Now - n.since
	n.Close()
	b.bars.open &^= 1 << id
	for m := waiting; m != 0; m &= m - 1 {
		if w := &b.Warps[bits.TrailingZeros32(m)]; w != running {
			b.WakeLanes(w, w.Live)
		}
	}
}

// reduced gives the waiting lanes the result of a reduction.
func (b *Block) reduced(n *namedBarrier) {
	for m := n.Waiting; m != 0; m &= m - 1 {
		w := &b.Warps[bits.TrailingZeros32(m)]
		r := n.Result(n.site[w.Index].red)
		for k := w.Live; k != 0; k &= k - 1 {
			w.Result[bits.TrailingZeros32(k)] = r
		}
	}
}

// order lets everything before the arrivals happen before everything after the waits.
func (b *Block) order(n *namedBarrier) {
	if n.Arrived == n.Waiting && b.bars.live&^n.Waiting == 0 {
		b.Clock.BarrierAll()
		return
	}
	for m := n.Waiting; m != 0; m &= m - 1 {
		w := &b.Warps[bits.TrailingZeros32(m)]
		w.Clock.Arrive(&n.phase, w.Live)
	}
	for m := n.Waiting; m != 0; m &= m - 1 {
		w := &b.Warps[bits.TrailingZeros32(m)]
		w.Clock.Depart(&n.phase, w.Live)
	}
}

// Exited notes that lanes of a warp have ended. Exited threads are never waited for, so
// this may complete barriers.
func (b *Block) Exited(w *Warp, lanes uint32) {
	lanes &= w.Live
	w.Live &^= lanes
	b.Live -= bits.OnesCount32(lanes)
	b.Observe(Exited, w, lanes, -1, 0)
	if b.Launch.Race != nil {
		w.Clock.Exit(lanes)
	}
	if w.Live != 0 {
		return
	}
	b.bars.live &^= 1 << w.Index
	for m := b.bars.open; m != 0; m &= m - 1 {
		id := bits.TrailingZeros32(m)
		if b.bars.named[id].Complete(b.bars.live) {
			b.complete(id, w)
		} else {
			b.releaseWithout(id, w, b.bars.live)
		}
	}
}

// Relieve releases the barriers with a thread count that only exited threads could
// still complete. The engine calls it when none of the block's threads can go on.
func (b *Block) Relieve() (released bool) {
	for m := b.bars.open; m != 0; m &= m - 1 {
		if b.releaseWithout(bits.TrailingZeros32(m), nil, 0) {
			released = true
		}
	}
	return released
}

// releaseWithout completes a barrier whose count only exited warps could fill up, with
// a warning; could are the live warps that may yet arrive.
func (b *Block) releaseWithout(id int, running *Warp, could uint32) bool {
	n := &b.bars.named[id]
	exited := uint32(1<<uint(len(b.Warps))-1) &^ b.bars.live
	if n.Waiting&b.bars.live == 0 || !n.NeedsExited(could, exited) {
		return false
	}
	b.warnExits(id)
	b.complete(id, running)
	return true
}

// End closes the block that the slot runs: all its threads have exited.
func (b *Block) End() {
	for m := b.bars.open; m != 0; m &= m - 1 {
		b.unmatched(bits.TrailingZeros32(m))
	}
	b.forgetAll()
	if b.Launch.Race != nil {
		b.Launch.Race.EndBlock(&b.Clock)
	}
}
