package exec

import (
	"fmt"
	"math/bits"

	"gpusim/barrier"
	"gpusim/kernel"
)

// mMisuse reports an mbarrier instruction that does something wrong.
func (b *Block) mMisuse(wrong barrier.MMisuse, w *Warp, lane int, at MAddress, ins int, m *mbarrier) {
	b.mMisuseOf(wrong, w, lane, at, ins, m, 0)
}

func (b *Block) mMisuseOf(wrong barrier.MMisuse, w *Warp, lane int, at MAddress, ins int, m *mbarrier, n int64) {
	key := Key{Kind: kernel.BarrierMisuse, Severity: kernel.Error, Launch: b.Launch.Index, Site: [2]int{ins, -1},
		Object: at.Buffer.ID, Detail: fmt.Sprintf("mbarrier %d", wrong)}
	b.Launch.Findings.Report(key, func() kernel.Finding {
		f := kernel.Finding{Kernel: b.Launch.Kernel, Space: kernel.Shared, Object: at.Buffer.Name, Offset: at.Off, Size: 8}
		f.Message, f.Fix = b.mMisuseText(wrong, w, lane, at, m, n)
		f.Accesses = []kernel.Access{{Thread: b.ThreadID(w.Index, lane), Source: b.Launch.source(ins)}}
		if wrong == barrier.MLive || wrong == barrier.MOrdinary {
			f.Accesses = append(f.Accesses, kernel.Access{Thread: m.initBy, Source: b.Launch.source(m.init)})
		}
		return f
	})
}

func (b *Block) mMisuseText(wrong barrier.MMisuse, w *Warp, lane int, at MAddress, m *mbarrier, n int64) (message, fix string) {
	who := threadText(b.ThreadID(w.Index, lane))
	what := at.text()
	switch wrong {
	case barrier.MNotInit:
		return fmt.Sprintf("%s uses %s, which is not initialised", who, what),
			"let one thread execute mbarrier.init (init), and all others wait at a block barrier behind it"
	case barrier.MLive:
		return fmt.Sprintf("%s initialises %s, which is live already", who, what),
			"initialise the object once, or end it with mbarrier.inval first"
	case barrier.MBadCount:
		return fmt.Sprintf("%s initialises %s with a count of %d arrivals; it must be from 1 to %d", who, what, n, barrier.MaxMCount),
			"count the arrivals of one phase"
	case barrier.MBadArrive:
		return fmt.Sprintf("%s arrives at %s with a count that is not from 1 to %d", who, what, barrier.MaxMCount), "count at least one arrival"
	case barrier.MTooMany:
		return fmt.Sprintf("%s arrives at %s although phase %d lacks %s", who, what, m.Phase, plural(int(m.Pending), "arrival")) + m.surplus(n),
			"initialise the object with the number of all arrivals of a phase, or wait for the phase before the next arrival"
	case barrier.MCompletes:
		return fmt.Sprintf("%s completes a phase of %s with an arrive.noComplete, which must not complete it", who, what),
			"leave at least one arrival of the phase to an arrive without .noComplete"
	case barrier.MSkipped:
		return fmt.Sprintf("%s arrives at %s in phase %d before any thread has seen phase %d complete", who, what, m.Phase, m.Phase-1),
			"wait (test_wait or try_wait) for each phase before arriving for the next: a phase that nobody sees is lost to those who wait for it"
	case barrier.MStale:
		return fmt.Sprintf("%s waits for an old phase of %s: it is in phase %d, and only this phase and the one before it can be waited for", who, what, m.Phase),
			"wait with the state of the last arrival"
	case barrier.MTxRange:
		return fmt.Sprintf("%s takes the transaction count of %s out of its range of -%d to %d", who, what, barrier.MaxMCount, barrier.MaxMCount),
			"expect as many bytes as the phase's copies complete"
	case barrier.MOrdinary:
		return fmt.Sprintf("%s accesses %s with an ordinary instruction while the object is live", who, what),
			"use mbarrier instructions only, or end the object with mbarrier.inval before its memory is used for something else"
	case barrier.MOtherObject:
		return fmt.Sprintf("%s waits at %s with the state of another object", who, what), "wait with the state that an arrival at the same object has returned"
	case barrier.MPendingExceed:
		return fmt.Sprintf("%s raises the pending count of %s above %d", who, what, barrier.MaxMCount), "use .noinc, and count the arrivals in mbarrier.init"
	}
	return fmt.Sprintf("%s misuses %s", who, what), ""
}

// surplus says what an arrival with a count is too many of.
func (m *mbarrier) surplus(n int64) string {
	if n <= 1 {
		return ""
	}
	return fmt.Sprintf(" (its count is %d too large)", n)
}

func (at MAddress) text() string {
	if at.Off == 0 && at.Buffer.Size() == 8 {
		return "mbarrier " + at.Buffer.Name
	}
	return fmt.Sprintf("mbarrier %s at offset %d", at.Buffer.Name, at.Off)
}

// Ordinary reports an ordinary access to bytes of a live object.
func (b *Block) Ordinary(w *Warp, lane int, at MAddress, ins int) {
	if m := b.mbars[at]; m != nil {
		b.mMisuse(barrier.MOrdinary, w, lane, at, ins, m)
	}
}

// MWaiting describes for a deadlock report what waits at an object lack.
func (b *Block) MWaiting(at MAddress) (what, needs string) {
	m := b.mbars[at]
	if m == nil {
		return at.text(), ""
	}
	what = fmt.Sprintf("%s (phase %d)", at.text(), m.Phase)
	switch {
	case m.Pending == 0:
		needs = fmt.Sprintf("%d bytes of transactions", m.Tx)
	default:
		needs = fmt.Sprintf("%s of %d", plural(int(m.Pending), "more arrival"), max(m.Expected, m.Pending))
	}
	var came, could uint32
	for i := range b.Warps {
		if m.by[i] != 0 {
			came |= 1 << i
		}
		if b.Warps[i].Live&^m.by[i] != 0 {
			could |= 1 << i
		}
	}
	if came != 0 {
		needs += fmt.Sprintf(" (threads of %s have arrived)", warpList(came))
	}
	if bits.OnesCount32(could) == 0 {
		needs += ", but no live thread is left that has not arrived"
	}
	return what, needs
}

// threadText names a thread in messages.
func threadText(t kernel.ThreadID) string {
	return fmt.Sprintf("thread %v of block %v", t.Thread, t.Block)
}
