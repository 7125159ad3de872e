package array

import (
	"fmt"
	"strings"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Barrier is one barrier of a block.
type Barrier struct {
	Name     string
	state    barrier.Phased
	key      memory.AllocKey
	block    int
	tensor   bool                  // it orders the work of the tensor core
	clocks   map[int]*region.Phase // by phase; a late waiter needs those of its own phase only
	waiting  []*Thread
	arriving map[int]bool // threads of the cluster that have arrived at it
	released int
	holders  int
	of       *clusterBarrier // nil: it is the block's own
	// The warpgroups that have waited on it, have released it and have allocated another
	// barrier since, while others still hold it.
	reallocated []*Thread
}

// barrierBytes is what a barrier takes of shared memory (PTX ISA, "mbarrier object").
const barrierBytes = 8

// clusterBarrier is a barrier of each block of a cluster. An arrival reaches those of the
// own block and of all blocks that differ from it along one of the axes.
type clusterBarrier struct {
	blocks []*Barrier
	axes   [][]int
	leader bool
}

func (t *Thread) allocBarriers(s Scratch, axes []memory.Axis) Item {
	t.reallocate()
	out := Item{Shape: s.Shape}
	n := tensor.Count(s.Shape)
	for i := range n {
		one := s
		if n > 1 {
			one.Name = fmt.Sprintf("%s[%d]", s.Name, i)
		}
		var b *Barrier
		if s.Kind == ClusterBarrierKind {
			key := t.alloc(one, kernel.Shared, barrierBytes, axes, true)
			b = t.cluster.clusterBarrier(key, one).blocks[t.blockIndex]
		} else {
			b = t.cluster.barrier(t.blockIndex, t.alloc(one, kernel.Shared, barrierBytes, axes, false), one)
		}
		out.Barriers = append(out.Barriers, b)
	}
	return out
}

// barrier is a block's barrier of a key, which it makes if there is none.
func (c *cluster) barrier(block int, key memory.AllocKey, s Scratch) *Barrier {
	b := c.blocks[block].barriers[key]
	if b == nil {
		b = newBarrier(s, key, block, s.Arrivals, c.holders(key))
		c.blocks[block].barriers[key] = b
		c.blocks[block].used.shared += barrierBytes
	}
	return b
}

func newBarrier(s Scratch, key memory.AllocKey, block, arrivals, holders int) *Barrier {
	return &Barrier{Name: s.Name, state: barrier.Phased{Arrivals: arrivals}, key: key, block: block, tensor: s.OrdersTensorCore,
		clocks: map[int]*region.Phase{}, arriving: map[int]bool{}, holders: holders}
}

func (c *cluster) clusterBarrier(key memory.AllocKey, s Scratch) *clusterBarrier {
	if b := c.bars[key]; b != nil {
		return b
	}
	b := &clusterBarrier{axes: s.Axes, leader: s.LeaderTracked}
	arrivals := 1
	for _, axis := range s.Axes {
		n := 1
		for _, d := range axis {
			n *= c.program.Cluster[d]
		}
		arrivals += n - 1
	}
	for i := range c.blocks {
		c.blocks[i].used.shared += barrierBytes
		one := newBarrier(s, key, i, s.Arrivals*arrivals, c.warpgroups())
		one.of = b
		b.blocks = append(b.blocks, one)
	}
	c.bars[key] = b
	return b
}

// counterBarrier is the barrier of another block that stands for the same allocation.
func (c *cluster) counterBarrier(b *Barrier, block int) *Barrier {
	switch {
	case b.block == block:
		return b
	case b.of != nil:
		return b.of.blocks[block]
	}
	return c.barrier(block, c.elsewhere(b.key, block), Scratch{Name: b.Name, Arrivals: b.state.Arrivals, OrdersTensorCore: b.tensor})
}

// targets are the blocks whose barriers an arrival from a block reaches.
func (b *clusterBarrier) targets(c *cluster, from int) []int {
	extent := c.program.Cluster
	own := coordinates(from, extent)
	if b.leader {
		for _, axis := range b.axes {
			for _, d := range axis {
				own[d] = 0
			}
		}
		return []int{linear(own, extent)}
	}
	out := []int{from}
	for _, axis := range b.axes {
		for _, i := range along(extent, own, axis) {
			if i != from {
				out = append(out, i)
			}
		}
	}
	return out
}

// along are the blocks of a cluster that agree with the given coordinates in all
// dimensions but some.
func along(extent, at, dims []int) []int {
	out := []int{linear(at, extent)}
	for _, d := range dims {
		var more []int
		for _, i := range out {
			c := coordinates(i, extent)
			for k := range extent[d] {
				c[d] = k
				more = append(more, linear(c, extent))
			}
		}
		out = more
	}
	return out
}

func (t *Thread) freeBarrier(b *Barrier) {
	t.release(b.key)
	if b.state.Waited(t.waiter().Warpgroup) {
		t.left = append(t.left, b)
	}
	t.complete(func(x *transfer) bool { return x.arrivesAt(b) })
	all := []*Barrier{b}
	if b.of != nil {
		all = b.of.blocks
		b = all[0] // where those that release it are counted
	}
	if b.released++; b.released < b.holders {
		return
	}
	for _, b := range all {
		t.cluster.blocks[b.block].used.shared -= barrierBytes
		for _, o := range b.reallocated {
			o.observedAll(b, t)
		}
		if err := b.state.Pending(); err != nil {
			t.failAt(b, "release", err.Error(), fmt.Sprintf("let the arrivals at %s complete a phase, and wait for it", b.Name))
		}
		t.unobserved(b)
	}
	if b.of != nil {
		delete(t.cluster.bars, b.key)
	} else {
		delete(t.block().barriers, b.key)
	}
}

// unobserved warns of phases that somebody who waits on the barrier has not seen; the
// hardware accepts that at the end of a kernel.
func (t *Thread) unobserved(b *Barrier) {
	for i := range t.cluster.warpgroups() {
		if who, seen, ok := b.state.Unobserved(i); ok {
			text := fmt.Sprintf("When barrier %d was deallocated, thread %s had only observed barrier up to phase %d, but barrier completed up to phase %d.",
				b.key.ID, t.cluster.observerName(who), seen-1, b.state.Phase-1)
			t.report(kernel.Finding{Message: text, Object: b.Name, Fix: "wait once for every completed phase, also for the last ones"}, kernel.BarrierMisuse, kernel.Warning, text)
			return
		}
	}
}

// reallocate checks the barriers that the thread has left, because it allocates another
// one: that may take their place, and a phase that it has not seen would be lost.
func (t *Thread) reallocate() {
	for _, b := range t.left {
		t.observedAll(b, t)
		if b.released < b.holders {
			b.reallocated = append(b.reallocated, t)
		}
	}
	t.left = nil
}

// observedAll checks that the thread has seen all phases of a barrier; reporter finds out.
func (t *Thread) observedAll(b *Barrier, reporter *Thread) {
	who, seen, ok := b.state.Unobserved(t.index)
	if !ok {
		return
	}
	reporter.failAt(b, "allocate", fmt.Sprintf("Thread %s allocated a barrier after deallocating barrier %d, but thread %s had only observed that barrier up to phase %d, while it completed up to phase %d. A thread that waits on a barrier must observe all of its completions if it allocates another barrier afterwards.",
		t.name(), b.key.ID, t.cluster.observerName(who), seen-1, b.state.Phase-1), "wait once for every completed phase, also for the last ones")
}

// waiter is the thread as barriers know it.
func (t *Thread) waiter() barrier.Observer {
	return barrier.Observer{Warpgroup: t.warpgroup().index, Warp: t.warp}
}

func (c *cluster) observerName(o barrier.Observer) string {
	t := c.threads[o.Warpgroup]
	if o.Warp >= 0 && c.program.Warps {
		t = t.warps()[o.Warp]
	}
	return t.name()
}

// Arrive arrives at a barrier.
func (t *Thread) Arrive(b *Barrier) {
	if b.of == nil {
		t.arriveAt(b)
		return
	}
	for _, i := range b.of.targets(t.cluster, t.blockIndex) {
		t.arriveAt(b.of.blocks[i])
	}
}

func (t *Thread) arriveAt(b *Barrier) {
	if t.program().races {
		if b.block != t.blockIndex {
			t.remoteArrival(b)
		}
		t.clock.Arrive(b.phase(), b.tensor)
	}
	t.arrived(b)
}

// remoteArrival notes an arrival at a barrier of another block, which must not have ended.
func (t *Thread) remoteArrival(b *Barrier) {
	x := remote{t.clock.Now(), b.Name, t, t.site}
	of := t.cluster.blocks[b.block]
	if n := t.program().threads(); of.finished == n {
		t.cluster.threads[b.block*n].lateArrival(x)
	}
	of.remote[t.index] = x
}

// phase is the clock of the phase under way.
func (b *Barrier) phase() *region.Phase {
	p := b.clocks[b.state.Phase]
	if p == nil {
		p = &region.Phase{}
		b.clocks[b.state.Phase] = p
		delete(b.clocks, b.state.Phase-4) // nobody may be so late
	}
	return p
}

// arrived counts an arrival, by or for the thread, whose clock is in the phase.
func (t *Thread) arrived(b *Barrier) {
	b.arriving[t.index] = true
	t.settled(b, func() (bool, error) { return b.state.Arrive(t.cluster.observerName) })
}

// settled does something that may complete a phase.
func (t *Thread) settled(b *Barrier, do func() (bool, error)) {
	completed, err := do()
	if err != nil {
		t.failAt(b, "arrive", err.Error(), "let every thread that uses the barrier wait for each of its phases before the next one can be completed")
	}
	if !completed {
		return
	}
	for _, w := range b.waiting {
		w.wake()
	}
	b.waiting = nil
}

// ready reports whether the thread may pass the barrier.
func (t *Thread) ready(b *Barrier) bool {
	ready, err := b.state.Ready(t.waiter(), b.key.ID, t.cluster.observerName)
	if err != nil {
		t.failAt(b, "wait", err.Error(), "wait for every phase of the barrier, before it can complete the next one")
	}
	return ready
}

// Wait waits until the next phase of a barrier that the thread has not seen is complete.
func (t *Thread) Wait(b *Barrier) {
	l := t.launch()
	since, waited := l.Now, false
	for !t.ready(b) {
		if t.force(b) {
			continue
		}
		waited = true
		b.waiting = append(b.waiting, t)
		t.await(b)
	}
	if waited {
		l.Counters.BarrierWaits[exec.WaitNamed]++
		l.Counters.BarrierWaitTime[exec.WaitNamed] += l.Now - since
	}
	t.pass(b)
}

// pass takes the thread beyond a complete phase.
func (t *Thread) pass(b *Barrier) {
	o := t.waiter()
	if p := b.clocks[b.state.Next(o)]; p != nil && t.program().races {
		t.clock.Depart(p, b.tensor)
	}
	b.state.Observe(o)
}

// Test is Wait if the phase is complete; else it reports false and does not wait.
func (t *Thread) Test(b *Barrier) bool {
	if !t.ready(b) {
		// Whoever tests waits for somebody else, who needs a turn, and for no longer than it takes.
		t.force(b)
		t.suspend(exec.Yielded)
		if !t.ready(b) {
			return false
		}
	}
	t.pass(b)
	return true
}

func (b *Barrier) waits(t *Thread) exec.Wait {
	return exec.Wait{What: fmt.Sprintf("phase %d of barrier %s", b.state.Next(t.waiter()), b.Name), Needs: b.needs(t)}
}

// needs says what is missing for a phase, and who has arrived before.
func (b *Barrier) needs(t *Thread) string {
	n := b.state.Arrivals - b.state.Arrived()
	s := fmt.Sprintf("%d more of its %d arrivals", n, b.state.Arrivals)
	switch parts := b.state.Expected(); {
	case parts < 0:
		s += fmt.Sprintf("; %d %s of copies came that nobody expects", -parts, plural(-parts, "part"))
	case n == 0:
		s = fmt.Sprintf("%d more %s of copies", parts, plural(parts, "part"))
	}
	var who []string
	for i, o := range t.cluster.threads {
		if b.arriving[i] {
			name := fmt.Sprint(o.ID)
			if o.warp >= 0 || len(t.cluster.blocks) > 1 {
				name = o.where()
			}
			who = append(who, name)
		}
	}
	switch {
	case len(who) == 0:
		return s + " (nobody has arrived so far)"
	case len(t.cluster.blocks) > 1 || t.program().Warps:
		return s + " (so far those of " + strings.Join(who, ", ") + ")"
	}
	return s + " (so far those of " + plural(len(who), "thread") + " " + strings.Join(who, ", ") + ")"
}
