package barrier

//lint:file-ignore ST1005 the texts are those of JAX's interpret mode

import (
	"fmt"
	"maps"
	"slices"
)

// Phased is a barrier as Pallas kernels use it (plgpu.Barrier, an mbarrier): arrivals
// complete phases, and every thread that waits on it has to observe every phase. The texts
// of its errors are those of JAX's interpret mode, because users search for them.
type Phased struct {
	Arrivals int // that complete a phase
	Phase    int // phases that are complete
	arrived  int // in the phase under way
	observed map[int]int
}

// Arrived is the number of arrivals in the phase under way.
func (b *Phased) Arrived() int { return b.arrived }

// Arrive counts an arrival and reports whether it completes a phase.
func (b *Phased) Arrive() (completed bool, err error) {
	if b.arrived++; b.arrived < b.Arrivals {
		return false, nil
	}
	b.Phase++
	b.arrived = 0
	if b.Phase == 2 && len(b.observed) == 0 {
		return true, fmt.Errorf("Barrier completed phase 1, but no threads observed phase 0.")
	}
	for _, t := range slices.Sorted(maps.Keys(b.observed)) {
		if seen := b.observed[t]; seen < b.Phase-2 {
			return true, fmt.Errorf("Thread %d only observed barrier up to phase %d, but barrier completed up to phase %d, meaning thread %d missed observing phase %d.",
				t, seen-1, b.Phase-1, t, seen)
		}
	}
	return true, nil
}

// Ready reports whether the phase that a thread waits for next is complete. name is the
// thread and id the barrier as messages show them.
func (b *Phased) Ready(thread int, name string, id int) (bool, error) {
	last, known := b.observed[thread]
	switch {
	case !known && b.Phase > 1:
		return false, fmt.Errorf("Thread %s is waiting at barrier %d for the first time, but barrier is already at phase %d. Any thread that participates in the barrier must do so in all phases.",
			name, id, b.Phase)
	case last <= b.Phase-2:
		return false, fmt.Errorf("Thread %s is awaiting phase %d, but barrier is already at phase %d, which violates the invariant that threads must observe each barrier completion before any arrivals in the next phase.",
			name, last+1, b.Phase)
	}
	return last < b.Phase, nil
}

// Next is the number of the phase that a thread waits for next, from 0.
func (b *Phased) Next(thread int) int { return b.observed[thread] }

// Observe notes that a thread has seen the phase that it waited for.
func (b *Phased) Observe(thread int) {
	if b.observed == nil {
		b.observed = map[int]int{}
	}
	b.observed[thread]++
}

// End checks that nothing is left when the barrier is deallocated. Arrivals that complete
// no phase are an error. A phase that a thread has not observed is worth a warning: the
// hardware accepts it.
func (b *Phased) End(id int) (warning string, err error) {
	if b.arrived > 0 {
		return "", fmt.Errorf("Barrier deallocated with %d arrivals pending.", b.arrived)
	}
	for _, t := range slices.Sorted(maps.Keys(b.observed)) {
		if seen := b.observed[t]; seen != b.Phase {
			return fmt.Sprintf("When barrier %d was deallocated, thread %d had only observed barrier up to phase %d, but barrier completed up to phase %d.",
				id, t, seen-1, b.Phase-1), nil
		}
	}
	return "", nil
}
