package barrier

//lint:file-ignore ST1005 the texts are those of JAX's interpret mode

import (
	"cmp"
	"fmt"
	"slices"
)

// Phased is a barrier as Pallas kernels use it (plgpu.Barrier, an mbarrier): arrivals
// complete phases, and every thread that waits on it has to observe every phase. The texts
// of its errors are those of JAX's interpret mode, because users search for them.
type Phased struct {
	Arrivals int // that complete a phase
	Phase    int // phases that are complete
	arrived  int // in the phase under way
	expected int // transactions that the phase under way waits for
	observed map[Observer]int
}

// Observer waits on barriers: a warpgroup of 128 threads, or one of its four warps, which
// see the phases that their warpgroup has seen.
type Observer struct {
	Warpgroup int
	Warp      int // -1: the whole warpgroup
}

// Warps is the number of warps of a warpgroup.
const Warps = 4

// Arrived is the number of arrivals in the phase under way.
func (b *Phased) Arrived() int { return b.arrived }

// Expected is the number of transactions that the phase under way waits for.
func (b *Phased) Expected() int { return b.expected }

// Arrive counts an arrival and reports whether it completes a phase. name gives observers
// their names for messages.
func (b *Phased) Arrive(name func(Observer) string) (completed bool, err error) {
	if b.arrived == b.Arrivals { // a phase that waits for transactions only
		return false, fmt.Errorf("Barrier got more than the %d arrivals that complete its phase, while it waits for %d transactions.", b.Arrivals, b.expected)
	}
	b.arrived++
	return b.settle(name)
}

// Expect makes the phase under way wait for n more transactions: parts of copies.
func (b *Phased) Expect(n int) { b.expected += n }

// Deliver ends a transaction, which may come before it is expected, and reports whether
// that completes a phase.
func (b *Phased) Deliver(name func(Observer) string) (completed bool, err error) {
	b.expected--
	return b.settle(name)
}

// settle completes the phase under way if nothing is missing.
func (b *Phased) settle(name func(Observer) string) (completed bool, err error) {
	if b.arrived < b.Arrivals || b.expected != 0 {
		return false, nil
	}
	b.Phase++
	b.arrived = 0
	if b.Phase == 2 && len(b.observed) == 0 {
		return true, fmt.Errorf("Barrier completed phase 1, but no threads observed phase 0.")
	}
	for _, o := range b.observers() {
		if seen := b.observed[o]; seen < b.Phase-2 {
			return true, fmt.Errorf("Thread %s only observed barrier up to phase %d, but barrier completed up to phase %d, meaning thread %s missed observing phase %d.",
				name(o), seen, b.Phase-1, name(o), seen+1)
		}
	}
	return true, nil
}

// observers are those that have waited, in order.
func (b *Phased) observers() []Observer {
	out := make([]Observer, 0, len(b.observed))
	for o := range b.observed {
		out = append(out, o)
	}
	slices.SortFunc(out, func(x, y Observer) int {
		return cmp.Or(cmp.Compare(x.Warpgroup, y.Warpgroup), cmp.Compare(x.Warp, y.Warp))
	})
	return out
}

// seen is the number of phases that an observer has seen, and whether it has waited before.
func (b *Phased) seen(o Observer) (int, bool) {
	n, ok := b.observed[o]
	if !ok && o.Warp >= 0 { // a warp goes on from where its warpgroup is
		n, ok = b.observed[Observer{Warpgroup: o.Warpgroup, Warp: -1}]
	}
	return n, ok
}

// Ready reports whether the phase that an observer waits for next is complete. id is the
// barrier as messages show it, name gives observers their names.
func (b *Phased) Ready(o Observer, id int, name func(Observer) string) (bool, error) {
	last, known := b.seen(o)
	if !known && b.Phase > 1 {
		return false, fmt.Errorf("Thread %s is waiting at barrier %d for the first time, but barrier is already at phase %d. Any thread that participates in the barrier must do so in all phases.",
			name(o), id, b.Phase)
	}
	if o.Warp < 0 {
		if err := b.evenly(o, id, name); err != nil {
			return false, err
		}
	}
	if last <= b.Phase-2 {
		return false, fmt.Errorf("Thread %s is awaiting phase %d, but barrier is already at phase %d, which violates the invariant that threads must observe each barrier completion before any arrivals in the next phase.",
			name(o), last+1, b.Phase)
	}
	return last < b.Phase, nil
}

// evenly checks that the warps of a warpgroup have seen the same phases, if any.
func (b *Phased) evenly(o Observer, id int, name func(Observer) string) error {
	var phases []int
	same := true
	for w := range Warps {
		if n, ok := b.observed[Observer{Warpgroup: o.Warpgroup, Warp: w}]; ok {
			phases = append(phases, n)
			same = same && n == phases[0]
		}
	}
	switch {
	case len(phases) > 0 && len(phases) < Warps:
		return fmt.Errorf("Warpgroup-thread %s is waiting at barrier %d, but only %d of its constituent warps have participated in the barrier previously. If a warpgroup-thread participates in the barrier, either all or none of its constituent warps must have participated previously.",
			name(o), id, len(phases))
	case !same:
		return fmt.Errorf("Warpgroup-thread %s is waiting at barrier %d, but its constituent warps have previously observed different phases: [%d, %d, %d, %d].",
			name(o), id, phases[0], phases[1], phases[2], phases[3])
	}
	return nil
}

// Next is the number of the phase that an observer waits for next, from 0.
func (b *Phased) Next(o Observer) int {
	n, _ := b.seen(o)
	return n
}

// Observe notes that an observer has seen the phase that it waited for. The warps of a
// warpgroup see what it sees; it has seen what all of them have.
func (b *Phased) Observe(o Observer) {
	if b.observed == nil {
		b.observed = map[Observer]int{}
	}
	n, _ := b.seen(o)
	n++
	b.observed[o] = n
	if o.Warp < 0 {
		for w := range Warps {
			b.observed[Observer{Warpgroup: o.Warpgroup, Warp: w}] = n
		}
		return
	}
	least := n
	for w := range Warps {
		m, ok := b.observed[Observer{Warpgroup: o.Warpgroup, Warp: w}]
		if !ok {
			return
		}
		least = min(least, m)
	}
	b.observed[Observer{Warpgroup: o.Warpgroup, Warp: -1}] = least
}

// Pending is an error if there are arrivals that complete no phase, for the deallocation
// of the barrier.
func (b *Phased) Pending() error {
	if b.arrived > 0 {
		return fmt.Errorf("Barrier deallocated with %d arrivals pending.", b.arrived)
	}
	return nil
}

// Unobserved returns the first of a warpgroup and its warps that has waited on the barrier
// and has not seen all of its phases, and what it has seen; ok reports whether there is one.
func (b *Phased) Unobserved(warpgroup int) (who Observer, seen int, ok bool) {
	for w := -1; w < Warps; w++ {
		o := Observer{Warpgroup: warpgroup, Warp: w}
		if n, waited := b.observed[o]; waited && n != b.Phase {
			return o, n, true
		}
	}
	return Observer{}, 0, false
}

// Waited reports whether a warpgroup or one of its warps has waited on the barrier.
func (b *Phased) Waited(warpgroup int) bool {
	for w := -1; w < Warps; w++ {
		if _, ok := b.observed[Observer{Warpgroup: warpgroup, Warp: w}]; ok {
			return true
		}
	}
	return false
}
