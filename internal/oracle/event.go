package oracle

// Op says what an Event does.
type Op uint8

// The operations an event list is made of.
const (
	Read        Op = iota // ld, ld.global.nc (NC)
	Write                 // st
	RMW                   // atom, red (Red); a lane in Failed is a cas that did not write
	Fence                 // fence, membar
	WarpSync              // bar.warp.sync has completed for exactly these lanes
	BarArrive             // these lanes of one warp arrive at a named barrier
	BarComplete           // the phase of a named barrier completes; its waiting lanes resume
	CpAsync               // cp.async is issued (non-bulk): reads Src in global, writes Addr in shared memory
	CpCommit              // cp.async.commit_group
	CpWait                // cp.async.wait_group Pending has returned
	Exit                  // these lanes have ended
	LaunchEnd             // the launch has ended; what follows belongs to the next launch of the stream
)

// Space is the state space of an access.
type Space uint8

// The two spaces that threads share.
const (
	Global Space = iota
	Shared
)

// Sem is the memory-order qualifier of an access.
type Sem uint8

// Weak is plain ld and st. Everything else is strong.
const (
	Weak Sem = iota
	Relaxed
	Acquire
	Release
	AcqRel
)

// Scope is the scope of a strong operation.
type Scope uint8

// The four scopes. A warp is none.
const (
	CTA Scope = iota
	Cluster
	GPU
	Sys
)

// FenceKind is the qualifier of a fence. membar is FenceSC.
type FenceKind uint8

// The fences of the generic proxy.
const (
	FenceAcqRel FenceKind = iota
	FenceSC
	FenceAcquire
	FenceRelease
)

// Role says how a warp takes part in a named barrier.
type Role uint8

// Sync and Red wait and are ordered after all arrivals; Arrive goes on at once and is ordered after none.
const (
	RoleSync Role = iota
	RoleRed
	RoleArrive
)

// Event is one warp instruction at the moment it takes effect. A list of events is one execution: memory is sequentially
// consistent along the list, so a read returns the last write before it.
type Event struct {
	Op    Op
	Block int   // index in the grid of the current launch
	Warp  int   // index in the block
	Lanes []int // the lanes that execute it, in the order in which they take effect

	// Accesses. Addr, and Src of CpAsync, are parallel to Lanes.
	Space Space
	Addr  []int64
	Size  int // bytes of one element; of CpAsync the bytes written
	Elems int // elements of a vector access, 0 for 1: one operation each
	Sem   Sem // RMW: never Weak
	Scope Scope
	// Volatile stands for relaxed order at system scope, whatever Sem and Scope say.
	Volatile bool
	NC       bool     // Read: ld.global.nc
	Red      bool     // RMW: red, which returns nothing
	Failed   uint32   // RMW: lanes (one bit each) whose cas failed
	Value    []uint64 // value left in memory, per lane and element (lane-major): a plain write of unknown value never gets the same-value warning; a failed cas leaves none

	Src     []int64 // CpAsync: global source
	SrcSize int     // CpAsync: bytes read, less than Size when the rest is zero-filled

	Fence   FenceKind // Fence, with Scope
	Barrier int       // BarArrive, BarComplete: 0 to 15
	Role    Role      // BarArrive
	Pending int       // CpWait: how many of the latest groups may still be in flight
}

// elems is the number of elements of a lane's access.
func (e *Event) elems() int { return max(e.Elems, 1) }

// access reports whether the event has addresses.
func (e *Event) access() bool {
	return e.Op == Read || e.Op == Write || e.Op == RMW || e.Op == CpAsync
}
