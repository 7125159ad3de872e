package region

import "sort"

// The tensor core works asynchronously to the threads that feed it (PTX ISA, "tcgen05
// memory consistency model"). Its operations on tensor memory are ordered by what the
// issuer's tensor clock knows; some pairs of them are pipelined, and so are ordered as they
// are issued, without a wait.

// Pipe says which operations of the tensor core are pipelined with each other.
type Pipe struct {
	// MMA: the operation adds to the accumulator named by Key. Two MMAs of one accumulator
	// execute in the order of their issue. Otherwise it is a copy to tensor memory, after
	// which any later MMA executes.
	MMA bool
	Key string
}

// pipeline is the work that a thread has given to the tensor core.
type pipeline struct {
	done   Clock             // what is known when all of it is complete
	last   map[string]*issue // by accumulator: the last MMA, which executes after those before
	copies []issue
}

// issue is an operation, or several of one thread, with what is known on their completion.
type issue struct {
	thread *Thread
	stamp  uint32
	done   Clock
}

func (p *pipeline) inherit(o *pipeline) {
	p.done.join(&o.done, true)
}

// IssueTensor starts an operation of the tensor core, after those that it is pipelined with.
func (t *Thread) IssueTensor(pipe Pipe) *Op {
	t.group.ops++
	o := &Op{thread: t, number: t.group.ops, clock: t.clock.clone()}
	if pipe.MMA {
		for _, other := range t.group.all {
			other.mmas.parents(o, pipe.Key)
		}
	}
	done := o.done()
	t.mmas.done.join(&done, true)
	if pipe.MMA {
		if t.mmas.last == nil {
			t.mmas.last = map[string]*issue{}
		}
		t.mmas.last[pipe.Key] = &issue{t, t.stamp, done}
	} else {
		if n := len(t.mmas.copies); n > 0 { // each entry stands for those before it, too
			done.join(&t.mmas.copies[n-1].done, true)
			if t.mmas.copies[n-1].stamp == t.stamp {
				t.mmas.copies = t.mmas.copies[:n-1]
			}
		}
		t.mmas.copies = append(t.mmas.copies, issue{t, t.stamp, done})
	}
	t.next()
	return o
}

// parents orders an MMA after the operations of this pipeline that its issuer knows to
// have been issued.
func (p *pipeline) parents(o *Op, key string) {
	if i := p.last[key]; i != nil && i.stamp <= o.clock.tensor[i.thread.id] {
		o.clock.join(&i.done, true)
	}
	known := sort.Search(len(p.copies), func(i int) bool { return p.copies[i].stamp > o.clock.tensor[p.copies[i].thread.id] })
	if known > 0 {
		o.clock.join(&p.copies[known-1].done, true)
	}
}

// done is what is known when the operation is complete.
func (o *Op) done() Clock {
	c := o.clock.clone()
	c.ops.both(o.number)
	c.tmem.both(o.number)
	return c
}

// Commit stands for the completion of all work that a thread has given to the tensor core.
type Commit struct{ clock Clock }

// Commit is what is known once the work so far is complete.
func (t *Thread) Commit() *Commit {
	c := &Commit{clock: t.clock.clone()}
	c.clock.join(&t.mmas.done, true)
	t.next()
	return c
}

// Arrive makes the completion a source of the phase's edges.
func (c *Commit) Arrive(p *Phase) { p.clock.join(&c.clock, true) }

// Settle orders the thread after an operation on tensor memory, for the tensor core too.
func (t *Thread) Settle(o *Op) {
	t.Await(o)
	t.clock.tmem.both(o.number)
}
