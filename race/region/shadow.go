package region

import (
	"slices"
	"sort"
)

// Shadow is what the detector knows of a piece of memory, which may hold one object after
// another: disjoint spans in ascending order. The zero value is ready.
type Shadow struct{ spans []span }

// span is bytes that were accessed alike since their last write.
type span struct {
	lo, hi int64
	write  epoch
	reads  []epoch
}

// epoch is an access.
type epoch struct {
	set    bool
	write  bool
	atomic bool
	stamp  uint32
	thread int32
	site   int32
	object int32
	group  uint64
	op     uint64 // 0: of the thread itself
}

func (e *epoch) party() Party {
	return Party{Group: e.group, Thread: int(e.thread), Object: int(e.object), Async: e.op != 0, Write: e.write, Atomic: e.atomic, Site: int(e.site)}
}

// update makes an atomic update the last of several: the one before stays on record among
// the reads, unless it is ordered before this one.
func (p *span) update(a *access) {
	if !a.before(&p.write, a.proxy) {
		p.reads = append(p.reads, p.write)
	}
	kept := p.reads[:0]
	for i := range p.reads {
		if !a.before(&p.reads[i], a.proxy) {
			kept = append(kept, p.reads[i])
		}
	}
	p.write, p.reads = a.e, kept
}

// Run is a run of bytes.
type Run struct{ Off, Len int64 }

// run checks the access against the bytes from lo to hi and records it.
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
