// Package exec is the contract between the engine and its front ends. A front end turns
// a program into Threads: step machines that run until they block, end or have used
// their budget. The engine (package actors) gives each of them an actor and a mailbox.
//
// Nothing here starts a goroutine or reads the wall clock.
package exec

import (
	"math/rand/v2"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/shape"
)

// Outcome is how a step of a thread of control ended.
type Outcome uint8

// The outcomes of a step.
const (
	Yielded Outcome = iota // budget used up: runnable
	Blocked                // waits for a barrier or a collective; Wake will be called
	Parked                 // spins on bytes that nobody has changed; Wake will be called
	Done                   // all its lanes have exited
	Aborted                // the launch is over (trap, budget, interrupt); Launch says why
)

// Thread is one thread of control: a warp or a single CUDA thread.
type Thread interface {
	// Start prepares the thread for the block that its slot has just taken up.
	Start()
	// Step runs about budget warp instructions.
	Step(budget int) Outcome
	// Waits describes what the thread's lanes wait for, for deadlock reports.
	Waits() []Wait
}

// Locator is a Thread that can tell which instruction it is executing, for the report of
// an internal error.
type Locator interface{ Where() string }

// Identified is a Thread that knows which of the program's threads it is, where its place
// among the block's threads of control does not tell.
type Identified interface{ Identity() kernel.ThreadID }

// Closer is a Thread that has something to give back when its slot ends.
type Closer interface{ Close() }

// Wait is one group of lanes that cannot go on.
type Wait struct {
	Warp    int
	Lanes   uint32
	Source  kernel.Source
	On      WaitKind
	Barrier int              // OnBarrier: the barrier's id
	What    string           // in words: "bar.sync 0", "shfl.sync.idx with mask 0xffffffff"; OnMemory: "a change of flag at offset 0" or "a loop that ..."
	Missing uint32           // OnCollective: lanes of the warp that have not arrived
	Who     string           // OnObject: who waits
	Needs   string           // OnObject, OnMBarrier: what, or who, could still satisfy the wait
	Named   bool             // OnObject: Who names the block, too
	Outside bool             // OnObject: threads of other blocks could satisfy the wait
	ID      *kernel.ThreadID // OnObject: the thread, where warp and lane do not tell
}

// WaitKind is what a group of lanes waits for.
type WaitKind uint8

// What lanes may wait for.
const (
	OnBarrier WaitKind = iota
	OnCollective
	OnMemory   // a parked spin loop
	OnObject   // something of the front end's own, described by What and Needs
	OnMBarrier // a parked loop that waits for a phase of an mbarrier object
)

// SharedVar is a shared variable that every block of a program allocates collectively.
type SharedVar struct {
	Name    string
	Size    int64
	Dynamic bool // sized by the launch
	Source  kernel.Source
}

// Program is one kernel, ready to be launched with fixed arguments.
type Program interface {
	// SharedVars are the collective allocations of a block, in declaration order.
	SharedVars() []SharedVar
	// OrdersBlocks reports whether an instruction of the program may order accesses of
	// different blocks.
	OrdersBlocks() bool
	// Source resolves the number of an instruction, as given to race.SiteInfo.User.
	Source(instruction int) kernel.Source
	// Threads makes the threads of control of one resident slot. It is called once a slot.
	Threads(b *Block) []Thread
}

// Flow is implemented by programs that know their control flow; findings are worded better
// with it.
type Flow interface {
	// Follows reports whether a thread may execute the second instruction after the first
	// without waiting at a block barrier in between.
	Follows(first, second int) bool
}

// ScopedAllocator is implemented by programs whose threads allocate memory as they run.
type ScopedAllocator interface{ AllocatesInScopes() bool }

// Granularity is what one actor runs.
type Granularity uint8

// The granularities.
const (
	ByWarp Granularity = iota
	ByThread
)

// Launch is what all blocks of one launch share.
type Launch struct {
	Index       int
	Program     Program
	Kernel      string // as the user writes it
	Grid, Block kernel.Dim3
	DynShared   int64
	SMs         int // of the modelled device, for %nsmid
	Granularity Granularity

	Memory   *memory.Map
	Heap     *Heap
	Shapes   *shape.Table
	Race     *race.Detector // nil: race detection is off
	Uninit   bool           // uninitialised-read detection
	Findings *Findings
	Counters *Counters
	Rand     *rand.Rand  // seeded; used on the engine's goroutine only
	Output   *Output     // what the kernel prints
	Observe  func(Event) // nil: nobody listens

	Budget  int64  // thread instructions that may still run
	Room    int64  // bytes of global memory that threads may still allocate
	Stopped string // why the launch ended early: "" while it runs. Set by Stop.
	Faulted bool   // it ended early because of a trap or assert, as on a GPU
	Now     uint64 // simulated time: warp instructions executed
}

// Stop ends the launch early. The first reason wins.
func (l *Launch) Stop(reason string, faulted bool) {
	if l.Stopped == "" {
		l.Stopped, l.Faulted = reason, faulted
	}
}

// Counters are the figures of one launch; plain integers, because one goroutine runs it.
type Counters struct {
	ThreadInstructions uint64
	WarpInstructions   uint64
	LaneSlots          uint64 // 32 for every warp instruction: the denominator of divergence

	GlobalRequests, GlobalSectors       uint64 // warp accesses, 32-byte sectors they touch
	SharedRequests, SharedBankConflicts uint64 // warp accesses, extra passes because of bank conflicts
	AtomicRequests, AtomicCollisions    uint64 // lanes, lanes that hit an address of another lane
	BarrierWaits                        [4]uint64
	BarrierWaitTime                     [4]uint64 // simulated instructions between arrival and release
	Quanta, Messages                    uint64
	MaxReady, MaxMailbox                int
	AllocRequests, MaxAllocQueue        uint64
	AllocLatency                        uint64 // messages that the device served between requests and their turn, in sum
	BlocksDone                          uint64
	Parks                               uint64
}
