package race

import "gpusim/kernel"

// edge names the synchronisation that a race lacks, from what the detector knows at this
// moment about both sides:
//
//   - wait: the earlier access is a cp.async that its thread has not waited for
//   - scope: both are strong, but one's scope does not contain the other's thread; or the
//     first side released to its own block only
//   - no-acquire: the first side released, and the second did not acquire it
//   - no-release: the second side, in another block, synchronises, but the first released
//     nothing since; within a block a barrier is what is missing more often
//   - no-barrier: neither side does anything about it, or one of the two accesses of this
//     location is strong and the other is not: no flag elsewhere is at fault
func (d *Detector) edge(a *access, old party, lane int) kernel.Edge {
	w, b := a.w, a.w.b
	uid, st, tid := uidOf(old.e), stampOf(old.e), tidOf(old.e)
	same := uid == b.uid
	if old.e&asyncEpoch != 0 {
		if o := d.alive[uid]; o == nil || st < o.all[tid>>5].copies.completed(tid&31) {
			return kernel.NoBarrier
		}
		return kernel.NoWait
	}
	x, y := &d.sites[old.site], &d.sites[a.site]
	if x.strong && y.strong {
		if x.Elem != y.Elem { // sizes differ: no scope would help
			return kernel.NoBarrier
		}
		return kernel.Scoped
	}
	if x.strong != y.strong {
		return kernel.NoBarrier
	}
	if w.mine != nil {
		if c := w.mine.lanes[lane].acq.reaching(b.uid, true); c != nil && st < c.know(uid, tid) {
			return kernel.NoAcquire
		}
	}
	released, published := d.released[uid], d.released[uid]
	if o := d.alive[uid]; o != nil {
		released, published = o.released, o.published
	}
	reads := w.observed>>lane&1 != 0
	switch {
	case same && !reads:
		return kernel.NoBarrier
	case same && st < published, st < released:
		return kernel.NoAcquire
	case st < published:
		return kernel.Scoped
	case reads && !same:
		return kernel.NoRelease
	}
	return kernel.NoBarrier
}
