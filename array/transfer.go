package array

import (
	"slices"

	"gpusim/race/region"
	"gpusim/tensor"
)

// operation is an asynchronous operation as its issuer keeps it: for the detector, and for
// the moment of its effect.
type operation struct {
	*region.Op
	effect *transfer
	site   int
}

// transfer is the effect of an asynchronous operation, which happens once: when it is
// issued, at the last moment at which somebody relies on it, or in between.
type transfer struct {
	owner  *Thread // who may wait for it
	issuer *Thread
	site   int
	read   func() // takes its source; nil if that happens with the rest
	write  func() // takes effect, and arrives
	target *Barrier
	others []*Barrier // those of other blocks at which it arrives as well
	order  any        // operations of the same order happen as they are issued: those of a tensor core
}

// start issues an effect.
func (t *Thread) start(x *transfer) *transfer {
	c := t.cluster
	x.owner, x.issuer, x.site = t, t, t.site
	c.pending = append(c.pending, x)
	switch mode := c.program.Completion; {
	case mode == Eager,
		mode == Random && t.launch().Rand.IntN(2) == 0,
		x.awaited(): // somebody relies on it already
		t.finishTransfer(x)
	case mode == Random && t.launch().Rand.IntN(4) == 0:
		t.finishTransfer(c.pending[t.launch().Rand.IntN(len(c.pending))])
	}
	return x
}

// arrivesAt reports whether the effect arrives at a barrier.
func (x *transfer) arrivesAt(b *Barrier) bool {
	return x.target == b || slices.Contains(x.others, b)
}

// awaited reports whether a thread waits at a barrier at which the effect arrives.
func (x *transfer) awaited() bool {
	waits := func(b *Barrier) bool { return len(b.waiting) > 0 }
	return x.target != nil && waits(x.target) || slices.ContainsFunc(x.others, waits)
}

// force lets the operations happen that arrive at a barrier, until it is ready for the
// thread; it reports whether there was one.
func (t *Thread) force(b *Barrier) bool {
	for _, x := range t.cluster.pending {
		if x.arrivesAt(b) {
			t.finishTransfer(x)
			return true
		}
	}
	return false
}

// complete lets the matching operations happen, in the order of their issue.
func (t *Thread) complete(match func(*transfer) bool) {
	for i := 0; i < len(t.cluster.pending); {
		if x := t.cluster.pending[i]; match(x) {
			t.finishTransfer(x)
			i = 0
			continue
		}
		i++
	}
}

// readTransfer lets an operation take its source.
func (t *Thread) readTransfer(x *transfer) {
	if x.read != nil {
		read := x.read
		x.read = nil
		x.do(read)
	}
}

// do does something as if its issuer were still where it issued the operation.
func (x *transfer) do(f func()) {
	now := x.issuer.site
	x.issuer.site = x.site
	f()
	x.issuer.site = now
}

// finishTransfer lets an operation happen, after those of the same order before it.
func (t *Thread) finishTransfer(x *transfer) {
	if x.write == nil {
		return
	}
	if x.order != nil {
		t.complete(func(o *transfer) bool { return o != x && o.order == x.order && t.cluster.before(o, x) })
	}
	t.cluster.drop(x)
	t.readTransfer(x)
	write := x.write
	x.write = nil
	if f := t.program().Landed; f != nil && x.target != nil {
		f(x.owner, x.site, x.target)
	}
	x.do(write)
}

// before reports whether an operation was issued before another one.
func (c *cluster) before(o, x *transfer) bool {
	for _, y := range c.pending {
		if y == o || y == x {
			return y == o
		}
	}
	return false
}

func (c *cluster) drop(x *transfer) {
	for i, y := range c.pending {
		if y == x {
			c.pending = append(c.pending[:i], c.pending[i+1:]...)
			return
		}
	}
}

// settle lets an operation happen and orders the thread after it: after all of it, or after
// what it reads.
func (t *Thread) settle(o *operation, readOnly bool) {
	if readOnly {
		t.readTransfer(o.effect)
	} else {
		t.finishTransfer(o.effect)
	}
	if !t.program().races {
		return
	}
	if readOnly {
		t.clock.AwaitRead(o.Op)
	} else {
		t.clock.Await(o.Op)
	}
}

// record notes an access of an operation.
func (t *Thread) record(o *region.Op, r Ref, write bool, proxy region.Proxy) {
	runs := r.runs()
	t.permitted(&r, runs, "copy", write, true)
	if o != nil {
		o.Access(r.Buffer.shadow, r.Buffer.placed(runs), write, proxy, r.Buffer.object, t.site)
	}
}

// recordUpdate notes a write of an operation, or, with a reduction, an atomic update.
func (t *Thread) recordUpdate(o *region.Op, r Ref, reduction string, proxy region.Proxy) {
	if reduction == "" {
		t.record(o, r, true, proxy)
		return
	}
	runs := r.runs()
	t.permitted(&r, runs, "copy", true, true)
	if o != nil {
		o.Atomic(r.Buffer.shadow, r.Buffer.placed(runs), proxy, r.Buffer.object, t.site)
	}
}

// update writes a value, or, with a reduction, what that makes of the value and of what is there.
func (t *Thread) update(r Ref, v tensor.Value, reduction string) {
	if reduction != "" {
		t.initialised(r, r.runs())
		old := r.read(false)
		v = t.combine(reduction, old, t.spread(v, old.Shape))
	}
	r.write(v)
}

// issue is a new operation for the detector, nil if there is none. what names it in
// sentences.
func (t *Thread) issue(what string) *region.Op {
	if !t.program().races {
		return nil
	}
	t.program().named[t.site] = what
	return t.clock.Issue()
}

// issueTensor is a new operation of the tensor core for the detector, nil if there is none.
func (t *Thread) issueTensor(what string, pipe region.Pipe) *region.Op {
	if !t.program().races {
		return nil
	}
	t.program().named[t.site] = what
	return t.clock.IssueTensor(pipe)
}
