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
	write  epoch   // the last one
	reads  []epoch // and, before an atomic update, writes
}

// epoch is an access.
type epoch struct {
	set    bool
	write  bool
	atomic bool
	stamp  uint32 // of an operation: when it was issued
	thread int32
	site   int32
	object int32
	group  uint64
	op     uint64 // 0: of the thread itself
}

func (e *epoch) party() Party {
	return Party{Group: e.group, Thread: int(e.thread), Object: int(e.object), Async: e.op != 0, Write: e.write, Atomic: e.atomic, Site: int(e.site)}
}

// Run is a run of bytes.
type Run struct{ Off, Len int64 }

// perform checks the access against all bytes of ascending runs and records it.
func (a *access) perform(runs []Run) {
	s := a.shadow.spans
	i, k := 0, 0
	// Most accesses meet the spans that accesses before them have left.
	for ; k < len(runs); k++ {
		lo, hi := runs[k].Off, runs[k].Off+runs[k].Len
		if i == len(s) || s[i].hi <= lo {
			i += sort.Search(len(s)-i, func(n int) bool { return s[i+n].hi > lo })
		}
		if i == len(s) || s[i].lo != lo || s[i].hi != hi {
			break
		}
		a.check(&s[i], lo, hi)
		a.record(&s[i])
		i++
	}
	if k < len(runs) {
		a.rebuild(i, runs[k:])
	}
}

// rebuild makes the spans anew from the given one on, as far as the runs go.
func (a *access) rebuild(first int, runs []Run) {
	s := a.shadow.spans
	fresh := a.group.d.spare[:0]
	next := first
	var p span // taken from s, and not yet dealt with
	taken := false
	take := func() bool {
		if !taken && next < len(s) {
			p, taken = s[next], true
			next++
		}
		return taken
	}
	for _, r := range runs {
		lo, hi := r.Off, r.Off+r.Len
		if lo == hi {
			continue
		}
		for take() && p.hi <= lo {
			fresh, taken = append(fresh, p), false
		}
		at := lo // up to here the run has been dealt with
		for take() && p.lo < hi {
			if p.lo < lo {
				fresh = append(fresh, span{p.lo, lo, p.write, slices.Clone(p.reads)})
				p.lo = lo
			}
			end := min(p.hi, hi)
			a.check(&p, p.lo, end)
			if !a.e.write || a.e.atomic {
				if at < p.lo {
					fresh = append(fresh, a.recorded(span{lo: at, hi: p.lo}))
				}
				part := p
				if part.hi = end; end < p.hi {
					part.reads = slices.Clone(p.reads)
				}
				fresh = append(fresh, a.recorded(part))
			}
			at = end
			if p.lo = end; end == p.hi {
				taken = false
			}
		}
		switch {
		case a.e.write && !a.e.atomic:
			fresh = append(fresh, a.recorded(span{lo: lo, hi: hi}))
		case at < hi:
			fresh = append(fresh, a.recorded(span{lo: at, hi: hi}))
		}
	}
	if taken {
		fresh = append(fresh, p)
	}
	a.shadow.spans = slices.Replace(s, first, next, fresh...)
	clear(fresh)
	a.group.d.spare = fresh
}

func (a *access) recorded(p span) span {
	a.record(&p)
	return p
}
