package region

import "gpusim/kernel"

// Party is one access of a race.
type Party struct {
	Group  uint64
	Thread int // of an asynchronous operation, its issuer
	Object int
	Async  bool
	Write  bool
	Atomic bool
	Site   int
}

// Race is a pair of conflicting accesses that nothing orders.
type Race struct {
	Off, Len int64 // the overlap, in bytes
	A, B     Party // A took effect before B
	Edge     kernel.Edge
	Severity kernel.Severity
	ReadOnly bool // the operation of A was waited for, but only for what it reads
	Tensor   bool // the threads are ordered, but not for the tensor core
}

// Proxy is the path by which an access reaches memory.
type Proxy uint8

// The proxies.
const (
	Generic Proxy = iota
	Async
	Tensor // tensor memory
)

// Access records a synchronous access of a thread to an object.
func (t *Thread) Access(sd *Shadow, runs []Run, write bool, object, site int) {
	a := access{group: t.group, shadow: sd, clock: &t.clock,
		e: epoch{set: true, write: write, stamp: t.stamp, thread: int32(t.id), site: int32(site), object: int32(object), group: t.group.linear}}
	a.perform(runs)
}

// Atomic records an atomic update by a thread: it conflicts with accesses that are not
// atomic only.
func (t *Thread) Atomic(sd *Shadow, runs []Run, object, site int) {
	a := access{group: t.group, shadow: sd, clock: &t.clock,
		e: epoch{set: true, write: true, atomic: true, stamp: t.stamp, thread: int32(t.id), site: int32(site), object: int32(object), group: t.group.linear}}
	a.perform(runs)
}

// Access records an access of the operation to an object.
func (o *Op) Access(sd *Shadow, runs []Run, write bool, proxy Proxy, object, site int) {
	t := o.thread
	a := access{group: t.group, shadow: sd, clock: &o.clock, proxy: proxy,
		e: epoch{set: true, write: write, stamp: o.issued(), thread: int32(t.id), site: int32(site), object: int32(object), group: t.group.linear, op: o.number}}
	a.perform(runs)
}

// Atomic records an atomic update by the operation, as Thread.Atomic does.
func (o *Op) Atomic(sd *Shadow, runs []Run, proxy Proxy, object, site int) {
	t := o.thread
	a := access{group: t.group, shadow: sd, clock: &o.clock, proxy: proxy,
		e: epoch{set: true, write: true, atomic: true, stamp: o.issued(), thread: int32(t.id), site: int32(site), object: int32(object), group: t.group.linear, op: o.number}}
	a.perform(runs)
}

type access struct {
	group  *Group
	shadow *Shadow
	clock  *Clock
	proxy  Proxy
	e      epoch
}

// before reports whether an access happened before this one, as a proxy sees it.
func (a *access) before(e *epoch, proxy Proxy) bool {
	v := &a.clock.view
	if e.group != a.e.group {
		if v = a.clock.of(e.group); v == nil {
			return false
		}
	}
	if e.op != 0 {
		n := 2 * e.op
		if e.write {
			n++
		}
		switch {
		case e.op == a.e.op && e.group == a.e.group:
			return true
		case proxy == Tensor:
			return v.tmem.has(n)
		}
		return v.ops.has(n)
	}
	switch proxy {
	case Async:
		return e.stamp <= v.async[e.thread]
	case Tensor:
		return e.stamp <= v.tensor[e.thread]
	}
	return e.stamp <= v.generic[e.thread]
}

// record makes the access the last one of a span.
func (a *access) record(p *span) {
	if a.e.write && !a.e.atomic {
		p.write, p.reads = a.e, p.reads[:0]
		return
	}
	if a.e.write && p.write.set { // it stays on record: not everything that conflicts with it conflicts with an atomic update
		p.reads = append(p.reads, p.write)
	}
	// Of its own kind, an access that is ordered before this one needs no record: who is
	// ordered after this one is ordered after that one too. If nothing orders two groups, two
	// other groups' accesses are enough, for anybody is foreign to one of them.
	kept := p.reads[:0]
	var foreign [2]uint64
	n := 0
	for i := range p.reads {
		r := &p.reads[i]
		if r.write == a.e.write && r.atomic == a.e.atomic {
			if a.before(r, a.pruning()) {
				continue
			}
			if r.group != a.e.group && !a.group.d.Ordered {
				if n == 2 || n == 1 && foreign[0] == r.group {
					continue
				}
				foreign[n] = r.group
				n++
			}
		}
		kept = append(kept, *r)
	}
	if p.reads = kept; a.e.write {
		p.write = a.e
	} else {
		p.reads = append(p.reads, a.e)
	}
}

// pruning is the proxy that decides whether an access makes an earlier one superfluous:
// whoever waits for an asynchronous operation hands on its async part only.
func (a *access) pruning() Proxy {
	if a.e.op != 0 && a.proxy == Generic {
		return Async
	}
	return a.proxy
}

// check reports the accesses to a span that conflict with this one.
func (a *access) check(p *span, lo, hi int64) {
	if p.write.set && !(a.e.atomic && p.write.atomic) && !a.before(&p.write, a.proxy) {
		a.report(&p.write, lo, hi)
	}
	if !a.e.write {
		// Writes before the last atomic update stand among the reads.
		for i := range p.reads {
			if p.reads[i].write && !a.before(&p.reads[i], a.proxy) {
				a.report(&p.reads[i], lo, hi)
			}
		}
		return
	}
	for i := range p.reads {
		if !(a.e.atomic && p.reads[i].atomic) && !a.before(&p.reads[i], a.proxy) {
			a.report(&p.reads[i], lo, hi)
		}
	}
}

// issueKnown reports whether an operation was issued before this access: then the wait for
// it is missing. In the same group it is taken to be, because a wait would order that, too.
func (a *access) issueKnown(e *epoch) bool {
	v := a.clock.of(e.group)
	return v != nil && (e.group == a.e.group || e.stamp <= v.generic[e.thread])
}

func (a *access) report(e *epoch, lo, hi int64) {
	r := Race{Off: lo, Len: hi - lo, A: e.party(), B: a.e.party(), Edge: kernel.NoBarrier, Severity: kernel.Error}
	switch {
	case a.proxy != Generic && a.before(e, Generic):
		r.Edge = kernel.ProxyFence
		r.Tensor = a.proxy == Tensor
		if !e.write && a.proxy == Async {
			r.Severity = kernel.Warning // production code omits the fence between a read and an overwrite
		}
	case e.op != 0 && a.issueKnown(e):
		r.Edge = kernel.NoWait
		r.ReadOnly = e.write && a.clock.of(e.group).ops.has(2*e.op)
	}
	a.group.d.Report(r)
}
