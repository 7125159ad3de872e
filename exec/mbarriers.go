package exec

import (
	"math/bits"
	"unsafe"

	"gpusim/barrier"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
)

// An mbarrier object lies in shared memory, but its state is kept here: the format in memory
// is opaque (PTX ISA, "mbarrier"). The eight bytes in memory hold a word that changes with
// the phase, so that threads which spin on the object can be parked like on any other bytes.

// MAddress is where an mbarrier object lies.
type MAddress struct {
	Buffer *memory.Buffer
	Off    int64
}

// mbarrier is a live object.
type mbarrier struct {
	barrier.MBarrier
	number uint64     // in the block, for states
	open   race.Phase // what the arrivals of the current phase hand on
	closed race.Phase // of the phase before
	init   int        // the instruction that initialised it
	initBy kernel.ThreadID
	by     [barrier.MaxWarps]uint32
}

// MArrive is one execution of an arrive-on operation by lanes of a warp, on one object.
type MArrive struct {
	Counts      *[32]int64 // by lane; nil: 1 each
	Drop        bool
	NoComplete  bool
	Relaxed     bool       // hands on nothing
	Tx          *[32]int64 // expect_tx before the arrival, by lane; nil: none
	Instruction int
}

// MInit is mbarrier.init by one lane.
func (b *Block) MInit(w *Warp, lane int, at MAddress, count int64, ins int) {
	if b.mbars == nil {
		b.mbars = map[MAddress]*mbarrier{}
	}
	if old := b.mbars[at]; old != nil {
		b.mMisuse(barrier.MLive, w, lane, at, ins, old)
	}
	b.mbarCount++
	m := &mbarrier{number: b.mbarCount & 0xFFF, init: ins, initBy: b.ThreadID(w.Index, lane)}
	if wrong := m.Init(count); wrong != barrier.MFine {
		b.mMisuseOf(wrong, w, lane, at, ins, m, count)
	}
	if b.mbars[at] == nil {
		at.Buffer.Opaque = append(at.Buffer.Opaque, at.Off)
	}
	b.mbars[at] = m
	b.storeWord(at, m)
}

// MInval is mbarrier.inval by one lane.
func (b *Block) MInval(w *Warp, lane int, at MAddress, ins int) {
	if b.mbars[at] == nil {
		b.mMisuse(barrier.MNotInit, w, lane, at, ins, nil)
		return
	}
	b.forget(at)
}

func (b *Block) forget(at MAddress) {
	delete(b.mbars, at)
	o := at.Buffer.Opaque
	for i, off := range o {
		if off == at.Off {
			o[i] = o[len(o)-1]
			at.Buffer.Opaque = o[:len(o)-1]
			break
		}
	}
	if len(at.Buffer.Opaque) == 0 {
		at.Buffer.Opaque = nil
	}
}

// forgetAll ends the objects of the block that the slot has run.
func (b *Block) forgetAll() {
	for at := range b.mbars {
		at.Buffer.Opaque = nil
	}
	clear(b.mbars)
	b.mbarCount = 0
}

// MArrive performs an arrival of each lane of mask, in the order of the lanes, and returns
// the states in states.
func (b *Block) MArrive(w *Warp, mask uint32, at MAddress, op *MArrive, states *[32]uint64) {
	m := b.mbars[at]
	if m == nil {
		b.mMisuse(barrier.MNotInit, w, bits.TrailingZeros32(mask), at, op.Instruction, nil)
		return
	}
	var source uint32 // lanes whose past the phase has yet to take up
	for x := mask; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x)
		if states != nil {
			states[l] = m.State(m.number)
		}
		if op.Tx != nil {
			if wrong := m.ExpectTx(op.Tx[l]); wrong != barrier.MFine {
				b.mMisuseOf(wrong, w, l, at, op.Instruction, m, op.Tx[l])
			}
		}
		n := int64(1)
		if op.Counts != nil {
			n = op.Counts[l]
		}
		source |= 1 << l
		m.by[w.Index] |= 1 << l
		before := m.MBarrier
		done, wrong := m.Arrive(barrier.MArrival{Count: n, Drop: op.Drop, NoComplete: op.NoComplete})
		if wrong != barrier.MFine {
			b.mMisuseOf(wrong, w, l, at, op.Instruction, &mbarrier{MBarrier: before}, n-int64(before.Pending))
		}
		if done {
			b.source(w, m, source, op.Relaxed)
			source = 0
			b.nextPhase(at, m)
		}
	}
	b.source(w, m, source, op.Relaxed)
}

func (b *Block) source(w *Warp, m *mbarrier, lanes uint32, relaxed bool) {
	if b.Launch.Race != nil && lanes != 0 && !relaxed {
		w.Clock.Arrive(&m.open, lanes)
	}
}

// nextPhase follows the completion of a phase.
func (b *Block) nextPhase(at MAddress, m *mbarrier) {
	m.closed, m.open = m.open, race.Phase{}
	m.by = [barrier.MaxWarps]uint32{}
	b.storeWord(at, m)
}

// MAsyncArrive is cp.async.mbarrier.arrive: the arrive-on operation of the system when all
// earlier copies of the lanes are complete, which here is at once. It hands on these copies,
// and nothing else that the lanes have done.
func (b *Block) MAsyncArrive(w *Warp, mask uint32, at MAddress, noinc bool, ins int) {
	m := b.mbars[at]
	if m == nil {
		b.mMisuse(barrier.MNotInit, w, bits.TrailingZeros32(mask), at, ins, nil)
		return
	}
	for x := mask; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x)
		if !noinc {
			if wrong := m.Raise(); wrong != barrier.MFine {
				b.mMisuse(wrong, w, l, at, ins, m)
				continue
			}
		}
		if b.Launch.Race != nil {
			w.Clock.ArriveCopies(&m.open, 1<<l)
		}
		if noinc {
			m.by[w.Index] |= 1 << l
		}
		done, wrong := m.Arrive(barrier.MArrival{Count: 1})
		if wrong != barrier.MFine {
			b.mMisuseOf(wrong, w, l, at, ins, m, 1)
		}
		if done {
			b.nextPhase(at, m)
		}
	}
}

// MTx is mbarrier.expect_tx, or complete_tx, by one lane.
func (b *Block) MTx(w *Warp, lane int, at MAddress, n int64, complete bool, ins int) {
	m := b.mbars[at]
	if m == nil {
		b.mMisuse(barrier.MNotInit, w, lane, at, ins, nil)
		return
	}
	var wrong barrier.MMisuse
	var done bool
	if complete {
		done, wrong = m.CompleteTx(n)
	} else {
		wrong = m.ExpectTx(n)
	}
	if wrong != barrier.MFine {
		b.mMisuseOf(wrong, w, lane, at, ins, m, n)
	}
	if done {
		b.nextPhase(at, m)
	}
}

// MWait is one execution of test_wait or try_wait by lanes of a warp, on one object.
type MWait struct {
	States      *[32]uint64 // or parities
	Parity      bool
	Relaxed     bool // orders nothing
	Instruction int
}

// MTest reports for which lanes the phase that they wait for is complete.
func (b *Block) MTest(w *Warp, mask uint32, at MAddress, op *MWait) (done uint32) {
	m := b.mbars[at]
	if m == nil {
		b.mMisuse(barrier.MNotInit, w, bits.TrailingZeros32(mask), at, op.Instruction, nil)
		return mask // so that one mistake does not hang the program as well
	}
	var acquired uint32
	for x := mask; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x)
		ok, wrong := false, barrier.MFine
		switch {
		case op.Parity:
			ok = m.TestParity(uint32(op.States[l]))
		case barrier.ObjectOf(op.States[l]) != m.number:
			ok, wrong = true, barrier.MOtherObject
		default:
			ok, wrong = m.Test(barrier.PhaseOf(op.States[l]))
		}
		if wrong != barrier.MFine {
			b.mMisuse(wrong, w, l, at, op.Instruction, m)
		}
		if ok {
			done |= 1 << l
			acquired |= 1 << l
		}
	}
	if b.Launch.Race != nil && acquired != 0 && !op.Relaxed {
		w.Clock.Depart(&m.closed, acquired)
	}
	return done
}

// storeWord shows an object's phase in memory, where threads that wait are parked.
func (b *Block) storeWord(at MAddress, m *mbarrier) {
	p := (*uint64)(unsafe.Pointer(&at.Buffer.Data[at.Off]))
	if *p == m.Word() {
		return
	}
	*p = m.Word()
	if at.Buffer.Watched() {
		at.Buffer.Changed(at.Off, 8)
	}
}
