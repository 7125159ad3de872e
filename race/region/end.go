package region

import "slices"

// InFlight is an access of an asynchronous operation that nobody has waited for yet.
type InFlight struct {
	Party
	event uint64
}

// Pending lists the asynchronous accesses to the bytes that no thread of the group has
// waited for.
func (g *Group) Pending(sd *Shadow, lo, hi int64) []InFlight {
	var out []InFlight
	for i := range sd.spans {
		s := &sd.spans[i]
		if s.hi <= lo || s.lo >= hi {
			continue
		}
		for _, e := range append([]epoch{s.write}, s.reads...) {
			if !e.set || e.op == 0 || e.group != g.linear {
				continue
			}
			x := inFlight(&e)
			if !g.Known(x) && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

func inFlight(e *epoch) InFlight {
	x := InFlight{e.party(), 2 * e.op}
	if e.write {
		x.event++
	}
	return x
}

// Known reports whether a thread of the group has waited for an access.
func (g *Group) Known(x InFlight) bool {
	return slices.ContainsFunc(g.all, func(t *Thread) bool { return t.clock.ops.has(x.event) })
}

// Moment is a point in a thread's run.
type Moment struct {
	thread int
	stamp  uint32
}

// Now is the moment up to which the thread has run.
func (t *Thread) Now() Moment { return Moment{t.id, t.stamp} }

// End is the end of some threads of a group, a block: what at least one of them knows to
// have happened.
type End struct {
	own    map[int]bool
	access access
}

// End makes the end of threads that have all come to it.
func (g *Group) End(threads []int) *End {
	c := &Clock{view: newView(len(g.all)), group: g.linear}
	own := map[int]bool{}
	for _, i := range threads {
		c.join(&g.all[i].clock, true)
		own[i] = true
	}
	return &End{own, access{group: g, clock: c, e: epoch{group: g.linear}}}
}

// After reports whether the end comes after a moment.
func (e *End) After(m Moment) bool { return m.stamp <= e.access.clock.generic[m.thread] }

// Late lists the accesses of other threads of the group to memory that the end does not
// come after; not those of operations that nobody has waited for at all.
func (e *End) Late(sd *Shadow) []Party {
	var out []Party
	for i := range sd.spans {
		for _, x := range append([]epoch{sd.spans[i].write}, sd.spans[i].reads...) {
			if !x.set || x.group != e.access.group.linear || e.own[int(x.thread)] || e.access.before(&x, Generic) {
				continue
			}
			if x.op != 0 && !e.access.group.Known(inFlight(&x)) {
				continue
			}
			if p := x.party(); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
