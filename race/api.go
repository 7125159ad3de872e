package race

import "gpusim/kernel"

// Site is one memory instruction, as named by reports.
type Site uint32

// SiteInfo describes a memory instruction.
type SiteInfo struct {
	Read, Write bool // both: an atomic read-modify-write that returns a value
	Atomic      bool // atom or red
	Sem         kernel.Sem
	Scope       kernel.Scope
	Volatile    bool // relaxed at system scope
	NonCoherent bool // ld.global.nc
	Elem        int  // bytes of a scalar element
	User        int  // the caller's index of the instruction
}

// Party is one of the two accesses of a race.
type Party struct {
	Site   Site
	Block  uint64 // linear number in the grid
	Thread int    // linear number in the block
	Write  bool
	Atomic bool
}

// Race is a pair of conflicting accesses that nothing orders.
type Race struct {
	Object    int
	Space     kernel.Space
	Off       int64 // first byte of the overlap in the object
	Size      int
	A, B      Party // A took effect before B
	Severity  kernel.Severity
	Edge      kernel.Edge
	SameValue bool   // both wrote the same value
	NeedsSC   bool   // ordered if fence.acq_rel were fence.sc
	Count     uint64 // racing accesses of this pair of instructions
	CrossWarp bool   // some of them are between threads of different warps
	Launch    int    // running number of the launch, from 0
}

// Values answers whether racing stores write one value. The executor provides it for
// the access that it is about to report.
type Values interface {
	// OldEqual reports whether the byte at off in the buffer already holds what the lane stores there.
	OldEqual(lane int, off int64) bool
	// LanesEqual reports whether two lanes store the same byte at off.
	LanesEqual(a, b int, off int64) bool
}
