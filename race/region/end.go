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

// End is the end of some threads, those of a block or of a device: what at least one of
// them knows to have happened. The zero value is the end of none.
type End struct{ clock Clock }

// Add makes it the end of one more thread.
func (e *End) Add(t *Thread) { e.clock.join(&t.clock, true) }

// After reports whether the end comes after a moment of a group that one of the threads
// belongs to.
func (e *End) After(m Moment) bool { return m.stamp <= e.clock.generic[m.thread] }

// Late lists the accesses of others to memory that the end does not come after.
func (e *End) Late(sd *Shadow, others func(group uint64, thread int) bool) []InFlight {
	a := access{clock: &e.clock, e: epoch{group: e.clock.group}}
	var out []InFlight
	for i := range sd.spans {
		for _, x := range append([]epoch{sd.spans[i].write}, sd.spans[i].reads...) {
			if !x.set || !others(x.group, int(x.thread)) || a.before(&x, Generic) {
				continue
			}
			if p := inFlight(&x); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
