package barrier

// MaxMCount is the largest arrival count, and transaction count, of an mbarrier object
// (PTX ISA, "Contents of the mbarrier object").
const MaxMCount = 1<<20 - 1

// MMisuse is what an mbarrier instruction did wrong.
type MMisuse uint8

// The misuses of an mbarrier object.
const (
	MFine          MMisuse = iota
	MNotInit               // no object was initialised at this address
	MLive                  // init on an object that is live
	MBadCount              // init with a count outside of 1 to MaxMCount
	MBadArrive             // an arrival with a count outside of 1 to MaxMCount
	MTooMany               // more arrivals than the phase still expects
	MCompletes             // arrive.noComplete would complete the phase
	MSkipped               // an arrival in a phase although nobody saw the one before complete
	MStale                 // a wait for a phase that is neither the current one nor the one before
	MTxRange               // the transaction count leaves its range
	MOrdinary              // an ordinary access to an object that is live
	MOtherObject           // a wait with the state of another object
	MPendingExceed         // cp.async.mbarrier.arrive raises the pending count above MaxMCount
)

// MBarrier is an mbarrier object that has been initialised (PTX ISA, "mbarrier"). Phases
// are numbered from 0.
type MBarrier struct {
	Phase    uint32
	Expected int32 // arrivals of the phases to come
	Pending  int32 // arrivals that the current phase lacks
	Tx       int32 // transactions that the current phase lacks; may be negative for a while
	consumed bool  // somebody has seen the phase before the current one complete
	arrived  bool  // the current phase has had an arrival
}

// Init makes an object that expects a count of arrivals. A count out of range is clamped.
func (m *MBarrier) Init(count int64) MMisuse {
	fine := MFine
	if count < 1 || count > MaxMCount {
		fine = MBadCount
	}
	n := int32(min(max(count, 1), MaxMCount))
	*m = MBarrier{Expected: n, Pending: n, consumed: true}
	return fine
}

// MArrival is an arrive-on operation.
type MArrival struct {
	Count      int64
	Drop       bool // later phases expect as many arrivals fewer
	NoComplete bool
}

// Arrive performs an arrival. What it objects to is carried out as far as it makes sense:
// surplus arrivals are ignored.
func (m *MBarrier) Arrive(a MArrival) (completed bool, wrong MMisuse) {
	n := a.Count
	switch {
	case n < 1 || n > MaxMCount:
		return false, MBadArrive
	case n > int64(m.Pending):
		wrong = MTooMany
		n = int64(m.Pending)
	case a.NoComplete && n == int64(m.Pending):
		wrong = MCompletes
	case !m.arrived && !m.consumed:
		wrong = MSkipped
	}
	m.arrived = true
	if a.Drop {
		m.Expected = max(m.Expected-int32(n), 0)
	}
	m.Pending -= int32(n)
	return m.advance(), wrong
}

// Raise is the increment of the pending count that cp.async.mbarrier.arrive without .noinc
// makes before its own arrival.
func (m *MBarrier) Raise() MMisuse {
	if m.Pending >= MaxMCount {
		return MPendingExceed
	}
	m.Pending++
	return MFine
}

// ExpectTx adds transactions to the current phase; CompleteTx takes them away.
func (m *MBarrier) ExpectTx(n int64) MMisuse { return m.addTx(n) }

// CompleteTx notes that transactions are complete. It may complete the phase.
func (m *MBarrier) CompleteTx(n int64) (completed bool, wrong MMisuse) {
	wrong = m.addTx(-n)
	return m.advance(), wrong
}

func (m *MBarrier) addTx(n int64) MMisuse {
	tx := int64(m.Tx) + n
	if tx < -MaxMCount || tx > MaxMCount {
		return MTxRange
	}
	m.Tx = int32(tx)
	return MFine
}

// advance goes to the next phase if the current one is complete. An object that no phase
// expects arrivals of any more stays where it is.
func (m *MBarrier) advance() bool {
	if m.Pending != 0 || m.Tx != 0 || !m.arrived {
		return false
	}
	m.Phase++
	m.Pending = m.Expected
	m.consumed, m.arrived = false, false
	return true
}

// Test is test_wait with the phase of a state: it reports whether that phase is complete.
func (m *MBarrier) Test(phase uint32) (done bool, wrong MMisuse) {
	switch m.Phase - phase {
	case 0:
		return false, MFine
	case 1:
		m.consumed = true
		return true, MFine
	}
	return true, MStale
}

// TestParity is test_wait.parity: 0 asks for an even phase, 1 for an odd one. The phase
// before the first counts as complete, so parity 1 passes at once on a fresh object.
func (m *MBarrier) TestParity(parity uint32) bool {
	if m.Phase&1 == parity&1 {
		return false
	}
	m.consumed = true
	return true
}

// stateBits are the bits of a state that hold the pending count and the phase; the rest
// tells objects apart.
const (
	pendingBits = 20
	phaseBits   = 32
)

// State is the opaque value that an arrival returns: what the object was before it.
func (m *MBarrier) State(object uint64) uint64 {
	return uint64(m.Pending) | uint64(m.Phase)<<pendingBits | object<<(pendingBits+phaseBits)
}

// PhaseOf is the phase of a state.
func PhaseOf(state uint64) uint32 { return uint32(state >> pendingBits) }

// ObjectOf is the number of the object that a state belongs to.
func ObjectOf(state uint64) uint64 { return state >> (pendingBits + phaseBits) }

// PendingOf is the pending count of a state (mbarrier.pending_count).
func PendingOf(state uint64) uint64 { return state & (1<<pendingBits - 1) }

// Word is what memory holds in the place of the object: it changes with the phase.
func (m *MBarrier) Word() uint64 { return uint64(m.Phase)<<pendingBits | 1 }
