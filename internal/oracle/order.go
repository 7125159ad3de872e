package oracle

import "math/bits"

// row is a set of operations, by index.
type row []uint64

// sized returns an empty set that can hold operations below n, in r's storage if it is large enough.
func (r row) sized(n int) row {
	words := (n + 63) / 64
	if cap(r) < words {
		return make(row, words, words+2)
	}
	r = r[:words]
	clear(r)
	return r
}

func (r row) has(i int) bool { return i>>6 < len(r) && r[i>>6]>>(i&63)&1 != 0 }
func (r row) set(i int)      { r[i>>6] |= 1 << (i & 63) }

// add joins s into r; s holds only operations that r can hold.
func (r row) add(s row) {
	for k, w := range s {
		r[k] |= w
	}
}

// each calls f with the members in ascending order until f returns false.
func (r row) each(f func(i int) bool) bool {
	for k, w := range r {
		for ; w != 0; w &= w - 1 {
			if !f(k<<6 + bits.TrailingZeros64(w)) {
				return false
			}
		}
	}
	return true
}

// Two levels of strictness, computed side by side: the letter of the model, and the model as if every fence.acq_rel were a
// fence.sc. What only the second orders is a warning.
const (
	letter = iota
	promoted
	levels
)

// operation is one memory operation (one element of one lane of an access), fence or synchronisation: a node of the happens-before graph.
type operation struct {
	event, lane, elem int

	kind    kind
	launch  int
	block   int
	thread  int   // whose operation it is; noThread for a synchronisation of several
	members []int // a synchronisation's threads: it stands in the program order of each

	// Accesses.
	access        bool
	reads, writes bool
	atomic, red   bool // a read-modify-write; one that returns nothing
	nc            bool
	async         bool // performed by cp.async: not in the program order of its thread
	space         Space
	instance      [2]int // launch and block of a shared memory; zero for global
	lo, hi        int64  // the bytes, hi exclusive
	value         uint64
	known         bool // value is known
	strong        bool
	scope         Scope
	acquire       bool // an acquire operation, or a fence that ends an acquire pattern
	release       bool // a release operation, or a fence that begins a release pattern
	sc            [levels]bool
	role          Role // arrival
	barrier       int  // arrival
	pending       int  // wait

	before   [levels]row // operations that precede it in base causality order
	observed row         // writes that precede it in observation order
}

type kind uint8

const (
	kindAccess   kind = iota
	kindFence         // fence
	kindHub           // bar.warp.sync or a completed barrier phase: one operation of several threads
	kindArrival       // arrival at a named barrier
	kindComplete      // marker: the phase of a barrier ended here (also the hub of its waiting lanes)
	kindCommit        // cp.async.commit_group
	kindWait          // cp.async.wait_group
	kindBoundary      // end of a launch
)

const noThread = -1

// inProgramOrderOf reports whether o stands in the program order of thread t.
func (o *operation) inProgramOrderOf(t int) bool {
	if o.thread == t {
		return !o.async
	}
	for _, m := range o.members {
		if m == t {
			return true
		}
	}
	return false
}

// overlaps reports whether two accesses share a byte; sameLocation whether they overlap completely.
func (o *operation) overlaps(p *operation) bool {
	return o.space == p.space && o.instance == p.instance && o.lo < p.hi && p.lo < o.hi
}

func (o *operation) sameLocation(p *operation) bool {
	return o.space == p.space && o.instance == p.instance && o.lo == p.lo && o.hi == p.hi
}

// includes reports whether o's scope contains the thread of p.
func (c *Checker) includes(o, p *operation) bool {
	switch o.scope {
	case CTA:
		return o.launch == p.launch && o.block == p.block
	case Cluster:
		return o.launch == p.launch && o.block/c.cluster == p.block/c.cluster
	default: // GPU, Sys: one device
		return true
	}
}

// morallyStrong: "related in program order, or each strong and specifies a scope that includes the thread executing the other; same proxy;
// if both are memory operations, they overlap completely" (Morally strong operations). All operations here are of the generic proxy.
func (c *Checker) morallyStrong(o, p *operation) bool {
	if o.access && p.access && !o.sameLocation(p) {
		return false
	}
	if o.thread == p.thread && !o.async && !p.async {
		return true
	}
	return o.strong && p.strong && c.includes(o, p) && c.includes(p, o)
}
