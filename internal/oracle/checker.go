package oracle

import (
	"errors"
	"fmt"
)

// Config describes the launches that the events belong to.
type Config struct {
	ClusterBlocks int // blocks of a cluster, which are consecutive; 0 for 1
}

// Checker takes events one by one. It keeps nothing but the list of operations and looks everything up in it, so that Undo is a truncation.
type Checker struct {
	cluster int
	ops     []operation
	events  []mark // start of each event
	pairs   []Pair
	launch  int
}

type mark struct{ ops, pairs, launch int }

// NewChecker returns a checker that has seen no event.
func NewChecker(cfg Config) *Checker {
	return &Checker{cluster: max(cfg.ClusterBlocks, 1)}
}

// Check runs a whole list.
func Check(cfg Config, events []Event) (Result, error) {
	c := NewChecker(cfg)
	for i, e := range events {
		if _, err := c.Add(e); err != nil {
			return Result{}, fmt.Errorf("event %d: %w", i, err)
		}
	}
	return c.Result(), nil
}

// Undo takes back the last event added.
func (c *Checker) Undo() {
	if len(c.events) == 0 {
		return
	}
	m := c.events[len(c.events)-1]
	c.events = c.events[:len(c.events)-1]
	c.ops, c.pairs, c.launch = c.ops[:m.ops], c.pairs[:m.pairs], m.launch
}

// Add appends an event and returns the races it takes part in, as the later access or between its own lanes. The slice is valid until the next call.
// An event that makes no sense is refused and changes nothing.
func (c *Checker) Add(e Event) ([]Pair, error) {
	if err := validate(&e); err != nil {
		return nil, err
	}
	m := mark{len(c.ops), len(c.pairs), c.launch}
	c.events = append(c.events, m)
	switch e.Op {
	case Read, Write, RMW:
		for k := range e.Lanes {
			for elem := range e.elems() {
				c.addAccess(&e, k, elem)
			}
		}
	case CpAsync:
		for k := range e.Lanes {
			c.addCopy(&e, k)
		}
	case Fence:
		for _, lane := range e.Lanes {
			c.addFence(&e, lane)
		}
	case WarpSync:
		o, j := c.push(kindHub, &e, noThread)
		for _, lane := range e.Lanes {
			o.members = append(o.members, c.thread(&e, lane))
			c.programOrder(c.thread(&e, lane), j)
		}
	case BarArrive:
		for _, lane := range e.Lanes {
			o, j := c.push(kindArrival, &e, c.thread(&e, lane))
			o.role, o.barrier = e.Role, e.Barrier
			c.programOrder(o.thread, j)
		}
	case BarComplete:
		c.addCompletion(&e)
	case CpCommit, CpWait:
		k := kindCommit
		if e.Op == CpWait {
			k = kindWait
		}
		for _, lane := range e.Lanes {
			o, j := c.push(k, &e, c.thread(&e, lane))
			o.pending = e.Pending
			c.programOrder(o.thread, j)
			if e.Op == CpWait {
				c.completeGroups(j)
			}
		}
	case Exit: // synchronizes with nothing but the end of the launch
	case LaunchEnd:
		_, j := c.push(kindBoundary, &e, noThread)
		for i := range j {
			c.precede(i, j)
		}
		c.launch++
	}
	return c.pairs[m.pairs:], nil
}

func validate(e *Event) error {
	if e.Op > LaunchEnd || e.Sem > AcqRel || e.Scope > Sys || e.Fence > FenceRelease || e.Role > RoleArrive {
		return errors.New("a qualifier is out of range")
	}
	if e.Op == LaunchEnd {
		return nil
	}
	if e.Block < 0 || e.Block >= maxBlocks || e.Warp < 0 || e.Warp >= maxWarps {
		return fmt.Errorf("block %d, warp %d: out of range", e.Block, e.Warp)
	}
	if e.Op == BarComplete {
		return nil
	}
	if len(e.Lanes) == 0 {
		return errors.New("no lanes")
	}
	var mask uint32
	for _, l := range e.Lanes {
		if l < 0 || l > 31 || mask>>l&1 != 0 {
			return fmt.Errorf("lane %d: out of range or named twice", l)
		}
		mask |= 1 << l
	}
	if !e.access() {
		return nil
	}
	if len(e.Addr) != len(e.Lanes) || e.Size <= 0 || e.Elems < 0 {
		return fmt.Errorf("%d addresses of size %d for %d lanes", len(e.Addr), e.Size, len(e.Lanes))
	}
	switch {
	case e.Op == RMW && e.Sem == Weak && !e.Volatile:
		return errors.New("a read-modify-write is never weak")
	case e.Op == CpAsync && (len(e.Src) != len(e.Lanes) || e.SrcSize < 0 || e.SrcSize > e.Size):
		return errors.New("cp.async: sources do not fit")
	case e.Op == Write && len(e.Value) != 0 && len(e.Value) != len(e.Lanes)*e.elems():
		return fmt.Errorf("%d values for %d lanes of %d elements", len(e.Value), len(e.Lanes), e.elems())
	}
	return nil
}

const (
	maxBlocks = 1 << 16
	maxWarps  = 1 << 6
)

// thread names a thread for the whole list: no two launches share one.
func (c *Checker) thread(e *Event, lane int) int {
	return ((c.launch*maxBlocks+e.Block)*maxWarps+e.Warp)<<5 | lane
}

// push appends an operation without edges. The pointer is valid until the next push.
func (c *Checker) push(k kind, e *Event, thread int) (*operation, int) {
	j := len(c.ops)
	if j < cap(c.ops) {
		c.ops = c.ops[:j+1]
	} else {
		c.ops = append(c.ops, operation{})
	}
	o := &c.ops[j]
	*o = operation{
		event: len(c.events) - 1, lane: thread & 31, kind: k, launch: c.launch, block: e.Block, thread: thread,
		members:  o.members[:0],
		before:   [levels]row{o.before[letter].sized(j + 1), o.before[promoted].sized(j + 1)},
		observed: o.observed.sized(j + 1),
	}
	if thread == noThread {
		o.lane = noThread
	}
	return o, j
}

func (o *operation) at(space Space, launch, block int, lo int64, size int) {
	o.access, o.space, o.lo, o.hi = true, space, lo, lo+int64(size)
	if space == Shared {
		o.instance = [2]int{launch, block + 1}
	}
}

// addAccess adds element elem of the k-th lane.
func (c *Checker) addAccess(e *Event, k, elem int) {
	lane := e.Lanes[k]
	o, j := c.push(kindAccess, e, c.thread(e, lane))
	o.elem = elem
	o.at(e.Space, c.launch, e.Block, e.Addr[k]+int64(elem*e.Size), e.Size)
	o.reads = e.Op != Write
	o.writes = e.Op == Write || e.Op == RMW && e.Failed>>lane&1 == 0 // a failed cas is only a read (Operation types)
	o.atomic = e.Op == RMW
	o.red = e.Op == RMW && e.Red
	o.nc = e.Op == Read && e.NC
	if len(e.Value) != 0 && e.Op == Write {
		o.value, o.known = e.Value[k*e.elems()+elem], true
	}
	sem, scope := e.Sem, e.Scope
	if e.Volatile { // "equivalent to a relaxed memory operation with system scope" (volatile Operation)
		sem, scope = Relaxed, Sys
	}
	o.strong, o.scope = sem != Weak && !o.nc, scope
	o.acquire = o.reads && !o.red && (sem == Acquire || sem == AcqRel)
	o.release = e.Op != Read && (sem == Release || sem == AcqRel)
	c.programOrder(o.thread, j)
	if o.reads && !o.nc {
		c.observe(j)
	}
	if o.acquire {
		c.acquirePatterns(j)
	}
	c.race(j)
}

// addCopy adds the read and the write of one cp.async: ordered after the thread's earlier instructions and with respect to each other, but not part
// of its program order (Asynchronous Operations).
func (c *Checker) addCopy(e *Event, k int) {
	t := c.thread(e, e.Lanes[k])
	source := -1
	if e.SrcSize > 0 {
		o, j := c.push(kindAccess, e, t)
		o.at(Global, 0, 0, e.Src[k], e.SrcSize)
		o.reads, o.async = true, true
		c.programOrder(t, j)
		c.race(j)
		source = j
	}
	o, j := c.push(kindAccess, e, t)
	o.at(Shared, c.launch, e.Block, e.Addr[k], e.Size)
	o.writes, o.async = true, true
	c.programOrder(t, j)
	if source >= 0 {
		c.precede(source, j)
	}
	c.race(j)
}

func (c *Checker) addFence(e *Event, lane int) {
	o, j := c.push(kindFence, e, c.thread(e, lane))
	o.strong, o.scope = true, e.Scope
	o.acquire = e.Fence != FenceRelease
	o.release = e.Fence != FenceAcquire
	o.sc = [levels]bool{letter: e.Fence == FenceSC, promoted: e.Fence == FenceSC || e.Fence == FenceAcqRel}
	c.programOrder(o.thread, j)
	if o.acquire {
		c.acquirePatterns(j)
	}
	c.fenceSC(j)
}

// addCompletion ends a phase of a barrier: "bar.sync, bar.red or bar.arrive synchronizes with bar.sync or bar.red executed on the same
// barrier" (Memory synchronization), so every arrival of the phase precedes what the waiting threads do next.
func (c *Checker) addCompletion(e *Event) {
	o, j := c.push(kindComplete, e, noThread)
	o.barrier = e.Barrier
	for i := j - 1; i >= 0; i-- {
		a := &c.ops[i]
		if a.launch != c.launch || a.block != e.Block || a.barrier != e.Barrier {
			continue
		}
		if a.kind == kindComplete {
			break // an earlier phase
		}
		if a.kind == kindArrival {
			c.precede(i, j)
			if a.role != RoleArrive {
				o.members = append(o.members, a.thread)
			}
		}
	}
}

// completeGroups orders the copies of all but the thread's latest pending groups before the wait j (cp.async.wait_group). Copies that were never
// committed belong to no group.
func (c *Checker) completeGroups(j int) {
	t, pending := c.ops[j].thread, c.ops[j].pending
	newer := 0 // commits of the thread after operation i
	for i := j - 1; i >= 0; i-- {
		switch o := &c.ops[i]; {
		case o.thread != t:
		case o.kind == kindCommit:
			newer++
		case o.async && newer > pending:
			c.precede(i, j)
		}
	}
}
