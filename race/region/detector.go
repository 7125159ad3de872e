package region

// Detector is told what the threads of a launch do, in the order in which it takes
// effect, and answers with races.
type Detector struct {
	// Report is told every pair of conflicting accesses that nothing orders.
	Report func(Race)
}

// Block is one run of a block.
type Block struct {
	d      *Detector
	linear uint64
	ops    uint64 // numbers given out
	all    []*Thread
}

// Thread is the clock of one thread of a block.
type Thread struct {
	block *Block
	id    int
	stamp uint32 // of the accesses that are made now
	clock Clock
}

// Phase is the clock of one phase of a barrier. The zero value is ready.
type Phase struct{ clock Clock }

// Op is an asynchronous operation. It is ordered after what its issuer knew when it was
// issued, and before what those do who have waited for it.
type Op struct {
	thread *Thread
	number uint64
	clock  Clock // at the issue
}

// Begin starts a block's run.
func (d *Detector) Begin(linear uint64, threads int) *Block {
	// Operation 0 does not exist: its number stands for none.
	b := &Block{d: d, linear: linear, ops: 0}
	for i := range threads {
		t := &Thread{block: b, id: i, stamp: 1, clock: newClock(threads)}
		t.clock.generic[i] = 1
		t.clock.ops.add(0)
		t.clock.ops.add(1)
		b.all = append(b.all, t)
	}
	return b
}

// Thread is the clock of a thread.
func (b *Block) Thread(i int) *Thread { return b.all[i] }

// next starts a new stamp: what was handed on does not cover what follows.
func (t *Thread) next() {
	t.stamp++
	t.clock.generic[t.id] = t.stamp
}

// Arrive makes the thread a source of the phase's edges.
func (t *Thread) Arrive(p *Phase) {
	p.clock.join(&t.clock)
	t.next()
}

// Depart orders the thread after all sources of a phase.
func (t *Thread) Depart(p *Phase) { t.clock.join(&p.clock) }

// ProxyFence makes what the thread has done and knows visible to the async proxy.
func (t *Thread) ProxyFence() {
	for i, s := range t.clock.generic {
		t.clock.async[i] = max(t.clock.async[i], s)
	}
	t.next()
}

// Issue starts an asynchronous operation.
func (t *Thread) Issue() *Op {
	t.block.ops++
	o := &Op{thread: t, number: t.block.ops, clock: t.clock.clone()}
	t.next()
	return o
}

// Arrive makes the completion of the operation a source of the phase's edges.
func (o *Op) Arrive(p *Phase) {
	p.clock.join(&o.clock)
	p.clock.ops.add(2 * o.number)
	p.clock.ops.add(2*o.number + 1)
}

// AwaitRead orders the thread after what the operation reads.
func (t *Thread) AwaitRead(o *Op) {
	t.clock.join(&o.clock)
	t.clock.ops.add(2 * o.number)
}

// Await orders the thread after the operation.
func (t *Thread) Await(o *Op) {
	t.AwaitRead(o)
	t.clock.ops.add(2*o.number + 1)
}
