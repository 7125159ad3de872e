package region

// Detector is told what the threads of a launch do, in the order in which it takes
// effect, and answers with races.
type Detector struct {
	// Report is told every pair of conflicting accesses that nothing orders.
	Report func(Race)
	// Ordered: groups may be ordered, by semaphores. Otherwise nothing orders two of them, and
	// less needs to be kept.
	Ordered bool

	spare []span // for the next span list
}

// Group is one run of a cluster of blocks: the threads whose order is known exactly.
type Group struct {
	d      *Detector
	linear uint64
	ops    uint64 // numbers given out
	all    []*Thread
}

// Thread is the clock of one thread of a group.
type Thread struct {
	group *Group
	id    int
	stamp uint32 // of the accesses that are made now
	clock Clock
	mmas  pipeline
	// handed is the last stamp that others may know of for the tensor core.
	handed uint32
}

// Phase is the clock of one phase of a barrier, or that of a semaphore. The zero value is
// ready.
type Phase struct{ clock Clock }

// Op is an asynchronous operation. It is ordered after what its issuer knew when it was
// issued, and before what those do who have waited for it.
type Op struct {
	thread *Thread
	number uint64
	clock  Clock // at the issue
}

// Begin starts the run of a group, whose number no other group of the launch has.
func (d *Detector) Begin(linear uint64, threads int) *Group {
	// Operation 0 does not exist: its number stands for none.
	g := &Group{d: d, linear: linear}
	for i := range threads {
		t := &Thread{group: g, id: i, clock: Clock{view: newView(threads), group: linear}}
		t.clock.ops.both(0)
		t.clock.tmem.both(0)
		g.all = append(g.all, t)
		t.next()
	}
	return g
}

// Thread is the clock of a thread.
func (g *Group) Thread(i int) *Thread { return g.all[i] }

// next starts a new stamp: what was handed on does not cover what follows.
func (t *Thread) next() {
	t.stamp++
	t.clock.generic[t.id] = t.stamp
	t.clock.tensor[t.id] = t.stamp
}

// handOn starts a new stamp because the clock was handed on.
func (t *Thread) handOn() {
	t.handed = t.stamp
	t.next()
}

// Join adds the sources of another phase.
func (p *Phase) Join(o *Phase) { p.clock.join(&o.clock, true) }

// Arrive makes the thread a source of the phase's edges. If tensor, the phase orders the
// work of the tensor core too.
func (t *Thread) Arrive(p *Phase, tensor bool) {
	p.clock.join(&t.clock, tensor)
	t.handOn()
}

// Depart orders the thread after all sources of a phase.
func (t *Thread) Depart(p *Phase, tensor bool) {
	t.clock.join(&p.clock, tensor)
	t.own()
}

// own restores what a thread knows of itself.
func (t *Thread) own() {
	t.clock.generic[t.id] = t.stamp
	t.clock.tensor[t.id] = t.stamp
}

// Fork orders another thread of the group after all that this one has done: a warp after
// its warpgroup. Work of the tensor core that the one has issued counts as the other's.
func (t *Thread) Fork(w *Thread) {
	w.clock.join(&t.clock, true)
	w.own()
	w.mmas.inherit(&t.mmas)
	t.handOn()
}

// Join orders the thread after all that another one has done: a warpgroup after its warp.
func (t *Thread) Join(w *Thread) {
	t.clock.join(&w.clock, true)
	t.own()
	t.mmas.inherit(&w.mmas)
	w.handOn()
}

// ProxyFence makes what the thread has done and knows visible to the async proxy.
func (t *Thread) ProxyFence() {
	raise(t.clock.async, t.clock.generic)
	for _, v := range t.clock.foreign {
		raise(v.async, v.generic)
	}
	t.next()
}

// Issue starts an asynchronous operation.
func (t *Thread) Issue() *Op {
	t.group.ops++
	o := &Op{thread: t, number: t.group.ops, clock: t.clock.clone()}
	t.next()
	return o
}

// issued is the stamp of the issue.
func (o *Op) issued() uint32 { return o.clock.generic[o.thread.id] }

// After orders the operation after another one of the same group.
func (o *Op) After(p *Op) {
	o.clock.join(&p.clock, false)
	o.clock.ops.both(p.number)
}

// Arrive makes the completion of the operation a source of the phase's edges.
func (o *Op) Arrive(p *Phase) {
	p.clock.join(&o.clock, false)
	p.clock.opsOf(o).both(o.number)
}

// opsOf are the milestones that a clock has of an operation's group.
func (c *Clock) opsOf(o *Op) *milestones {
	if v := c.of(o.thread.group.linear); v != nil {
		return &v.ops
	}
	return &c.foreign[o.thread.group.linear].ops // joined before
}

// AwaitRead orders the thread after what the operation reads.
func (t *Thread) AwaitRead(o *Op) {
	t.clock.join(&o.clock, false)
	t.clock.opsOf(o).add(2 * o.number)
}

// Await orders the thread after the operation.
func (t *Thread) Await(o *Op) {
	t.AwaitRead(o)
	t.clock.opsOf(o).add(2*o.number + 1)
}
