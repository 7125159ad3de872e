package region

import (
	"slices"
	"sort"

	"gpusim/kernel"
)

// Party is one access of a race.
type Party struct {
	Block  uint64
	Thread int // of an asynchronous operation, its issuer
	Async  bool
	Write  bool
	Site   int
}

// Race is a pair of conflicting accesses that nothing orders.
type Race struct {
	Object   int
	Off, Len int64 // the overlap, in bytes
	A, B     Party // A took effect before B
	Edge     kernel.Edge
	Severity kernel.Severity
	ReadOnly bool // the operation of A was waited for, but only for what it reads
}

// Shadow is what the detector knows of a buffer: disjoint spans in ascending order.
type Shadow struct {
	Object int
	spans  []span
}

// span is bytes that were accessed alike since their last write.
type span struct {
	lo, hi int64
	write  epoch // block 0 of number 0: none
	reads  []epoch
}

// epoch is an access.
type epoch struct {
	set    bool
	write  bool
	stamp  uint32
	thread int32
	site   int32
	block  uint64
	op     uint64 // 0: of the thread itself
}

func (e *epoch) party() Party {
	return Party{Block: e.block, Thread: int(e.thread), Async: e.op != 0, Write: e.write, Site: int(e.site)}
}

// Run is a run of bytes.
type Run struct{ Off, Len int64 }

// Access records a synchronous access of a thread.
func (t *Thread) Access(sd *Shadow, runs []Run, write bool, site int) {
	a := access{block: t.block, shadow: sd, clock: &t.clock, seen: t.clock.generic,
		e: epoch{true, write, t.stamp, int32(t.id), int32(site), t.block.linear, 0}}
	a.perform(runs)
}

// Access records an access of the operation, of the generic or of the async proxy.
func (o *Op) Access(sd *Shadow, runs []Run, write, async bool, site int) {
	t := o.thread
	seen := o.clock.generic
	if async {
		seen = o.clock.async
	}
	a := access{block: t.block, shadow: sd, clock: &o.clock, seen: seen, async: async,
		e: epoch{true, write, 0, int32(t.id), int32(site), t.block.linear, o.number}}
	a.perform(runs)
}

type access struct {
	block  *Block
	shadow *Shadow
	clock  *Clock
	seen   []uint32 // generic or async stamps of the clock
	async  bool
	e      epoch
}

func (a *access) perform(runs []Run) {
	for _, r := range runs {
		if r.Len > 0 {
			a.run(r.Off, r.Off+r.Len)
		}
	}
}

func (a *access) run(lo, hi int64) {
	s := a.shadow.spans
	i := sort.Search(len(s), func(i int) bool { return s[i].hi > lo })
	if i < len(s) && s[i].lo == lo && s[i].hi == hi { // the same bytes as before
		a.check(&s[i], lo, hi)
		a.record(&s[i])
		return
	}
	var fresh []span
	at, j := lo, i
	for ; j < len(s) && s[j].lo < hi; j++ {
		p := s[j]
		a.check(&p, max(p.lo, lo), min(p.hi, hi))
		if p.lo < lo {
			fresh = append(fresh, span{p.lo, lo, p.write, slices.Clone(p.reads)})
		}
		if !a.e.write {
			if at < p.lo {
				fresh = append(fresh, a.recorded(span{lo: at, hi: p.lo}))
			}
			at = min(p.hi, hi)
			fresh = append(fresh, a.recorded(span{max(p.lo, lo), at, p.write, slices.Clone(p.reads)}))
		}
		if p.hi > hi {
			if a.e.write {
				fresh = append(fresh, a.recorded(span{lo: lo, hi: hi}))
			}
			fresh = append(fresh, span{hi, p.hi, p.write, p.reads})
			at = hi
		}
	}
	if at < hi {
		fresh = append(fresh, a.recorded(span{lo: at, hi: hi}))
	}
	a.shadow.spans = slices.Replace(s, i, j, fresh...)
}

func (a *access) recorded(p span) span {
	a.record(&p)
	return p
}

// record makes the access the last one of a span.
func (a *access) record(p *span) {
	if a.e.write {
		p.write, p.reads = a.e, p.reads[:0]
		return
	}
	// A read that is ordered before this one needs no record: who is ordered after this
	// one is ordered after that one too. Of the reads of other blocks two blocks' are
	// enough, for any writer is foreign to one of them.
	kept := p.reads[:0]
	var foreign []uint64
	for _, r := range p.reads {
		if r.block == a.e.block {
			if a.before(&r, a.pruning()) {
				continue
			}
		} else if slices.Contains(foreign, r.block) || len(foreign) == 2 {
			continue
		} else {
			foreign = append(foreign, r.block)
		}
		kept = append(kept, r)
	}
	p.reads = append(kept, a.e)
}

// pruning is what decides whether a read makes an earlier one superfluous: whoever waits
// for an asynchronous operation hands on its async part only.
func (a *access) pruning() []uint32 {
	if a.e.op != 0 {
		return a.clock.async
	}
	return a.seen
}

// before reports whether an access happened before this one.
func (a *access) before(e *epoch, seen []uint32) bool {
	switch {
	case e.block != a.e.block:
		return false
	case e.op != 0 && e.op == a.e.op:
		return true
	case e.op != 0 && e.write:
		return a.clock.ops.has(2*e.op + 1)
	case e.op != 0:
		return a.clock.ops.has(2 * e.op)
	}
	return e.stamp <= seen[e.thread]
}

// check reports the accesses to a span that conflict with this one.
func (a *access) check(p *span, lo, hi int64) {
	if p.write.set && !a.before(&p.write, a.seen) {
		a.report(&p.write, lo, hi)
	}
	if !a.e.write {
		return
	}
	for i := range p.reads {
		if !a.before(&p.reads[i], a.seen) {
			a.report(&p.reads[i], lo, hi)
		}
	}
}

func (a *access) report(e *epoch, lo, hi int64) {
	r := Race{Object: a.shadow.Object, Off: lo, Len: hi - lo, A: e.party(), B: a.e.party(), Edge: kernel.NoBarrier, Severity: kernel.Error}
	switch {
	case e.block != a.e.block:
	case e.op != 0:
		r.Edge = kernel.NoWait
		r.ReadOnly = e.write && a.clock.ops.has(2*e.op)
	case a.async && a.before(e, a.clock.generic):
		r.Edge = kernel.ProxyFence
		if !e.write {
			r.Severity = kernel.Warning // production code omits the fence between a read and an overwrite
		}
	}
	a.block.d.Report(r)
}

// Pending calls f for every asynchronous access to the buffer that no thread of the block
// has waited for.
func (b *Block) Pending(sd *Shadow, f func(Party)) {
	known := func(e *epoch) bool {
		n := 2 * e.op
		if e.write {
			n++
		}
		return slices.ContainsFunc(b.all, func(t *Thread) bool { return t.clock.ops.has(n) })
	}
	told := map[epoch]bool{}
	for i := range sd.spans {
		for _, e := range append([]epoch{sd.spans[i].write}, sd.spans[i].reads...) {
			if e.set && e.op != 0 && e.block == b.linear && !told[e] && !known(&e) {
				told[e] = true
				f(e.party())
			}
		}
	}
}
