package memory

import (
	"fmt"

	"gpusim/kernel"
)

// The first ids that a device hands out, as in JAX's interpret mode.
const (
	firstID          = 100
	firstAccumulator = -100
)

// RuleError is a request that breaks a rule of allocation. Users search for these texts,
// so they are kept exactly as they are.
type RuleError string

func (e RuleError) Error() string { return string(e) }

// The rules.
const (
	ErrThreadNotZero         = RuleError("`thread_id` must be zero when allocating a buffer for all threads")
	ErrBlockNotZero          = RuleError("`block_id` must be zero when allocating a buffer for all threads")
	ErrNoThreadAxis          = RuleError("Requesting collective allocations, but no explicit thread axis specified.")
	ErrClusterAxis           = RuleError("Collective allocations along cluster axes are not supported.")
	ErrNotThreadAxis         = RuleError("Scoped allocation must have the thread axis in its collective axes.")
	ErrCollectiveAccumulator = RuleError("register accumulators belong to one thread and cannot be allocated collectively")
)

// AllocKey names an allocation: threads that build the same key mean the same buffer.
type AllocKey struct {
	Space  kernel.Space
	Device int
	Block  uint64
	Thread int // of collective allocations the first thread that shares them
	ID     int // negative for register accumulators
}

// Axis is a mesh axis along which a request is collective.
type Axis uint8

// The axes.
const (
	ThreadAxis Axis = iota
	ClusterAxis
)

// Request is one thread's request for memory.
type Request struct {
	Space       kernel.Space
	Block       uint64
	Thread      int
	Size        int64
	Name        string
	Site        kernel.Source // the call
	Collective  []Axis
	Private     bool // the program has no thread axis: each thread's memory is its own
	Accumulator bool // registers: private, with negative ids
	// The threads that share a collective allocation: Peers of them from First on. 0: all of
	// the block. The threads of a cluster count as one block here, and those of each of its
	// blocks share allocations of their own.
	First, Peers int
}

// Allocation is memory that is held by one thread or by all threads of a block.
type Allocation struct {
	Key    AllocKey
	Name   string
	Size   int64
	Site   kernel.Source // of the first request
	Thread int           // that made it

	asked, want, refs int
	first             int // of the threads that share it; the others follow
}

// DesyncError tells that the threads of a block do not make the same collective
// allocations in the same order.
type DesyncError struct {
	Key     AllocKey
	Threads [2]int
	Sites   [2]kernel.Source // the second is empty if the thread makes no such allocation
	Names   [2]string
}

func (e *DesyncError) Error() string {
	first := fmt.Sprintf("thread %d makes collective allocation %d (%s) at %s:%d", e.Threads[0], e.Key.ID, e.Names[0], e.Sites[0].File, e.Sites[0].Line)
	if e.Names[1] == "" {
		return fmt.Sprintf("the threads of a block are out of step: %s, but thread %d never makes it", first, e.Threads[1])
	}
	return fmt.Sprintf("the threads of a block are out of step: %s, but for thread %d it is %s at %s:%d",
		first, e.Threads[1], e.Names[1], e.Sites[1].File, e.Sites[1].Line)
}

// Ledger applies the rules of collective allocation on one device: who shares which
// buffer under which id, and until when. It hands out names, not bytes.
type Ledger struct {
	device int
	base   int // the id with which the counters of new threads start
	host   []*Allocation
	blocks map[uint64]*blockIDs
	spare  []*blockIDs
}

// blockIDs is what a running block has allocated. As long as its threads allocate in
// one request, one counter serves all of them.
type blockIDs struct {
	threads int
	next    int
	own     []int // next id of each thread once they ask one by one
	regs    []int // next accumulator id of each thread
	allocs  []*Allocation
	spare   []*Allocation
}

// NewLedger makes the ledger of a device.
func NewLedger(device int) *Ledger {
	return &Ledger{device: device, base: firstID, blocks: map[uint64]*blockIDs{}}
}

// ForAll allocates a buffer for all threads. It is anchored at thread 0 of block 0 and
// raises the counter with which every thread starts.
func (l *Ledger) ForAll(r Request) (*Allocation, error) {
	switch {
	case r.Thread != 0:
		return nil, ErrThreadNotZero
	case r.Block != 0:
		return nil, ErrBlockNotZero
	}
	a := &Allocation{Key: AllocKey{Space: r.Space, Device: l.device, ID: l.base}, Name: r.Name, Size: r.Size, Site: r.Site, asked: 1, want: 1, refs: 1}
	l.base++
	l.host = append(l.host, a)
	return a, nil
}

// FreeForAll ends an allocation made by ForAll; it reports false if there is none.
func (l *Ledger) FreeForAll(id int) bool {
	for i, a := range l.host {
		if a.Key.ID == id {
			l.host = append(l.host[:i], l.host[i+1:]...)
			return true
		}
	}
	return false
}

// BeginBlock starts the counters of a block's threads.
func (l *Ledger) BeginBlock(block uint64, threads int) {
	var b *blockIDs
	if n := len(l.spare); n > 0 {
		b, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		b = &blockIDs{}
	}
	b.threads, b.next, b.own, b.regs = threads, l.base, nil, nil
	b.spare = append(b.spare, b.allocs...)
	b.allocs = b.allocs[:0]
	l.blocks[block] = b
}

// Alloc serves one thread's request: the first request for a key creates the
// allocation, each later one joins it.
func (l *Ledger) Alloc(r Request) (a *Allocation, created bool, err error) {
	b := l.blocks[r.Block]
	if b == nil || r.Thread < 0 || r.Thread >= b.threads {
		return nil, false, fmt.Errorf("thread %d of block %d is not running", r.Thread, r.Block)
	}
	if err := r.check(); err != nil {
		return nil, false, err
	}
	if r.Accumulator {
		return b.add(AllocKey{r.Space, l.device, r.Block, r.Thread, b.accumulator(r.Thread)}, r, 1), true, nil
	}
	key := AllocKey{Space: r.Space, Device: l.device, Block: r.Block, ID: b.id(r.Thread)}
	if r.Private {
		key.Thread = r.Thread
		return b.add(key, r, 1), true, nil
	}
	if r.Peers == 0 {
		r.Peers = b.threads
	}
	key.Thread = r.First
	for _, a := range b.allocs {
		if a.Key.ID != key.ID || r.Thread < a.first || r.Thread >= a.first+a.want {
			continue
		}
		if a.Key != key || a.Size != r.Size || a.Name != r.Name || place(a.Site) != place(r.Site) {
			return nil, false, &DesyncError{Key: a.Key, Threads: [2]int{a.Thread, r.Thread}, Sites: [2]kernel.Source{a.Site, r.Site}, Names: [2]string{a.Name, r.Name}}
		}
		a.asked++
		return a, false, nil
	}
	return b.add(key, r, r.Peers), true, nil
}

// check applies the rules about axes.
func (r *Request) check() error {
	thread, cluster := false, false
	for _, x := range r.Collective {
		thread = thread || x == ThreadAxis
		cluster = cluster || x == ClusterAxis
	}
	switch {
	case r.Accumulator && len(r.Collective) > 0:
		return ErrCollectiveAccumulator
	case r.Accumulator:
		return nil
	case r.Private && len(r.Collective) > 0:
		return ErrNoThreadAxis
	case cluster:
		return ErrClusterAxis
	case !r.Private && !thread:
		return ErrNotThreadAxis
	}
	return nil
}

// AllocAll is the collective request of all threads of a block at once: the ids are
// those that they would get one by one.
func (l *Ledger) AllocAll(block uint64, space kernel.Space, size int64, name string, site kernel.Source) *Allocation {
	b := l.blocks[block]
	if b == nil {
		return nil
	}
	id := b.next
	b.next++
	for t := range b.own {
		id = max(id, b.own[t])
	}
	for t := range b.own {
		b.own[t] = id + 1
	}
	a := b.add(AllocKey{Space: space, Device: l.device, Block: block, ID: id}, Request{Size: size, Name: name, Site: site}, b.threads)
	a.asked = b.threads
	return a
}

// Release ends one thread's hold on an allocation and reports whether it was the last.
func (l *Ledger) Release(key AllocKey) (freed bool, err error) {
	b := l.blocks[key.Block]
	if b != nil {
		for i, a := range b.allocs {
			if a.Key == key {
				if a.refs--; a.refs > 0 {
					return false, nil
				}
				b.allocs = append(b.allocs[:i], b.allocs[i+1:]...)
				return true, nil
			}
		}
	}
	return false, fmt.Errorf("allocation %d of block %d is not live", key.ID, key.Block)
}

// EndBlock releases everything that the threads of a block still hold. It returns the
// collective allocations that some of them never made.
func (l *Ledger) EndBlock(block uint64) []*DesyncError {
	b := l.blocks[block]
	if b == nil {
		return nil
	}
	var bad []*DesyncError
	for _, a := range b.allocs {
		if a.asked < a.want {
			bad = append(bad, &DesyncError{Key: a.Key, Threads: [2]int{a.Thread, b.missing(a)}, Sites: [2]kernel.Source{a.Site}, Names: [2]string{a.Name}})
		}
	}
	delete(l.blocks, block)
	l.spare = append(l.spare, b)
	return bad
}

// Live is the number of allocations that are held, those for all threads included.
func (l *Ledger) Live() int {
	n := len(l.host)
	for _, b := range l.blocks {
		n += len(b.allocs)
	}
	return n
}

// id takes the next id of a thread.
func (b *blockIDs) id(thread int) int {
	if b.own == nil {
		b.own = make([]int, b.threads)
		for t := range b.own {
			b.own[t] = b.next
		}
	}
	id := b.own[thread]
	b.own[thread]++
	return id
}

func (b *blockIDs) accumulator(thread int) int {
	if b.regs == nil {
		b.regs = make([]int, b.threads)
		for t := range b.regs {
			b.regs[t] = firstAccumulator
		}
	}
	id := b.regs[thread]
	b.regs[thread]--
	return id
}

func (b *blockIDs) add(key AllocKey, r Request, holders int) *Allocation {
	var a *Allocation
	if n := len(b.spare); n > 0 {
		a, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		a = &Allocation{}
	}
	*a = Allocation{Key: key, Name: r.Name, Size: r.Size, Site: r.Site, Thread: r.Thread, asked: 1, want: holders, refs: holders, first: key.Thread}
	b.allocs = append(b.allocs, a)
	return a
}

// missing is the first thread whose counter has not passed an allocation.
func (b *blockIDs) missing(a *Allocation) int {
	for t := a.first; t < a.first+a.want && t < len(b.own); t++ {
		if b.own[t] <= a.Key.ID {
			return t
		}
	}
	return a.first
}

func place(s kernel.Source) [2]any { return [2]any{s.File, s.Line} }
