package barrier

import "math/bits"

// MaxNamed is the number of named barriers of a block (PTX ISA, "barrier{.cta}": "Each
// CTA instance has sixteen barriers numbered 0..15").
const MaxNamed = 16

// MaxWarps is the number of warps of the largest block.
const MaxWarps = 32

// Role is what a warp does at a named barrier.
type Role uint8

// The roles: barrier.sync, barrier.arrive and barrier.red.
const (
	Sync Role = iota
	Arrive
	Red
)

func (r Role) String() string { return [...]string{"sync", "arrive", "red"}[r] }

// RedOp is the reduction of a barrier.red.
type RedOp uint8

// The reductions.
const (
	NoRed RedOp = iota
	Popc
	And
	Or
)

// Arrival is one warp's arrival. It counts the whole warp, however many lanes of it are
// still there.
type Arrival struct {
	Warp  int
	Warps int // of the block
	Role  Role
	Count int    // threads that take part; 0: all threads of the block
	Lanes uint32 // lanes that have not exited
	Pred  uint32 // Red: the lanes' predicates
}

// Misuse is what a barrier instruction did wrong.
type Misuse uint8

// The misuses of a named barrier.
const (
	Fine            Misuse = iota
	BadID                  // not 0 to 15
	BadCount               // not a positive multiple of the warp size
	ArriveWithout          // barrier.arrive without a thread count
	CountTooLarge          // more threads than the block has
	CountDiffers           // two thread counts in one phase
	RedMixed               // barrier.red meets sync or arrive in one phase
	ArrivedTwice           // a second arrival of a warp in one phase
	UnmatchedArrive        // the block ends while arrivals wait for their phase
)

// Named is one named barrier of a block. A phase opens with its first arrival and closes
// with Complete; the barrier can then be used at once.
type Named struct {
	Arrived uint32 // warps that have arrived in this phase
	Waiting uint32 // those of them that wait for it
	count   int32  // warps that the phase takes; 0: all of the block
	role    Role   // of the phase: Red, or Sync for sync and arrive
	popc    int32
	lanes   int32 // lanes that took part in the reduction
}

// Reset forgets the phase under way, for the slot's next block.
func (n *Named) Reset() { *n = Named{} }

// Open reports whether a phase is under way.
func (n *Named) Open() bool { return n.Arrived != 0 }

// Check tells what an arrival would do wrong, without performing it.
func (n *Named) Check(a Arrival) Misuse {
	switch {
	case a.Count < 0 || a.Count%32 != 0:
		return BadCount
	case a.Count == 0 && a.Role == Arrive:
		return ArriveWithout
	case a.Count > 32*a.Warps:
		return CountTooLarge
	}
	if !n.Open() {
		return Fine
	}
	switch {
	case n.Arrived>>a.Warp&1 != 0:
		return ArrivedTwice
	case (a.Role == Red) != (n.role == Red):
		return RedMixed
	case !n.sameCount(a):
		return CountDiffers
	}
	return Fine
}

// sameCount compares the counts of an arrival and of the phase; one that is the whole
// block is the same as none.
func (n *Named) sameCount(a Arrival) bool {
	whole := int32(a.Warps)
	x, y := int32(a.Count/32), n.count
	return x == y || (x == 0 || x == whole) && (y == 0 || y == whole)
}

// Join performs the usual arrival, of a warp that waits with all of the block, when
// nothing can be wrong with it: the fast way through Check and Arrive.
func (n *Named) Join(warp int) bool {
	bit := uint32(1) << warp
	if !n.Open() {
		n.count, n.role, n.popc, n.lanes = 0, Sync, 0, 0
	} else if n.count != 0 || n.role != Sync || n.Arrived&bit != 0 {
		return false
	}
	n.Arrived |= bit
	n.Waiting |= bit
	return true
}

// Arrive performs an arrival. One that Check objects to is carried out as far as it
// makes sense: the first count and kind of a phase stay, a second arrival counts once,
// a count is rounded up to whole warps. One that is larger than the block is never met.
func (n *Named) Arrive(a Arrival) {
	a.Count = (max(a.Count, 0) + 31) &^ 31
	if !n.Open() {
		n.count, n.role, n.popc, n.lanes = int32(a.Count/32), Sync, 0, 0
		if a.Role == Red {
			n.role = Red
		}
	} else if a.Count == 0 && n.sameCount(a) {
		n.count = 0
	}
	bit := uint32(1) << a.Warp
	if a.Role == Red && n.Arrived&bit == 0 {
		n.popc += int32(bits.OnesCount32(a.Pred & a.Lanes))
		n.lanes += int32(bits.OnesCount32(a.Lanes))
	}
	n.Arrived |= bit
	if a.Role != Arrive {
		n.Waiting |= bit
	}
}

// Complete reports whether the phase has all the arrivals that it needs, given the warps
// that still have live threads: exited threads are never waited for.
func (n *Named) Complete(live uint32) bool {
	if !n.Open() {
		return false
	}
	if n.count == 0 {
		return live&^n.Arrived == 0
	}
	return int32(bits.OnesCount32(n.Arrived)) >= n.count
}

// RoleOf is the role in which a warp arrived in this phase.
func (n *Named) RoleOf(warp int) Role {
	switch {
	case n.role == Red:
		return Red
	case n.Waiting>>warp&1 != 0:
		return Sync
	}
	return Arrive
}

// Reduces reports whether the phase is one of barrier.red.
func (n *Named) Reduces() bool { return n.role == Red }

// Count is the number of threads that the phase takes; 0: all threads of the block.
func (n *Named) Count() int { return int(n.count) * 32 }

// NeedsExited reports whether the phase has an explicit count that only exited warps
// could still fill up: could are the warps that may yet arrive, exited those that are
// gone without having arrived.
func (n *Named) NeedsExited(could, exited uint32) bool {
	if !n.Open() || n.count == 0 {
		return false
	}
	lack := int(n.count) - bits.OnesCount32(n.Arrived)
	return lack > bits.OnesCount32(could&^n.Arrived) && lack <= bits.OnesCount32((could|exited)&^n.Arrived)
}

// Result is the phase's reduction.
func (n *Named) Result(op RedOp) uint64 {
	switch op {
	case Popc:
		return uint64(n.popc)
	case And:
		return flag(n.popc == n.lanes)
	case Or:
		return flag(n.popc != 0)
	}
	return 0
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Close ends the phase and reinitialises the barrier.
func (n *Named) Close() { n.Arrived, n.Waiting = 0, 0 }
