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
	// which any later MMA of the same unit executes.
	MMA bool
	Key string
	// Unit names the tensor core, or the two of them, that execute the operation.
	Unit string
}

// line names the operations that a copy, or an MMA, is in line with.
func (p *Pipe) line() string {
	if p.MMA {
		return "mma " + p.Key
	}
	return p.copies()
}

func (p *Pipe) copies() string { return "copy " + p.Unit }

// pipeline is the work that a thread has given to the tensor core.
type pipeline struct {
	done  Clock              // what is known when all of it is complete
	lines map[string][]issue // each entry stands for those before it, too
}

// issue is an operation, or several of one thread, with what is known on their completion.
type issue struct {
	stamp uint32
	done  Clock
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
			other.parents(o, pipe.line())
			other.parents(o, pipe.copies())
		}
	}
	done := o.done()
	t.mmas.done.join(&done, true)
	if t.mmas.lines == nil {
		t.mmas.lines = map[string][]issue{}
	}
	list := t.mmas.lines[pipe.line()]
	if n := len(list); n > 0 {
		done.join(&list[n-1].done, true)
		if list[n-1].stamp > t.handed { // who knows of that one knows of this one, too
			list = list[:n-1]
		}
	}
	t.mmas.lines[pipe.line()] = append(list, issue{t.stamp, done})
	t.next()
	return o
}

// parents orders an operation after those in a line of the thread's work that its issuer
// knows to have been issued.
func (t *Thread) parents(o *Op, line string) {
	list := t.mmas.lines[line]
	known := sort.Search(len(list), func(i int) bool { return list[i].stamp > o.clock.tensor[t.id] })
	if known > 0 {
		o.clock.join(&list[known-1].done, true)
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
	t.handOn()
	return c
}

// Arrive makes the completion a source of the phase's edges.
func (c *Commit) Arrive(p *Phase) { p.clock.join(&c.clock, true) }

// Settle orders the thread after an operation on tensor memory, for the tensor core too.
func (t *Thread) Settle(o *Op) {
	t.Await(o)
	t.clock.tmem.both(o.number)
}
