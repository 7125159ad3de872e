package race

// verdict is how an earlier access is ordered before the present one.
type verdict uint8

const (
	ordered   verdict = iota
	soft              // only if every fence.acq_rel were a fence.sc
	unordered         // not at all
)

// sees reports whether an access of a whole warp is ordered before all lanes of w.
// It may say no where order, asked lane by lane, says yes.
func (w *Warp) sees(e uint64, in int) bool {
	b := w.b
	if e < b.low[in] || e-b.base < b.span {
		return true
	}
	if e&asyncEpoch != 0 {
		return b.settled(e, in, true)
	}
	uid, v, st := uidOf(e), warpOf(e), stampOf(e)
	if uid != b.uid {
		return st < b.shared.about(uid).knowWarp(v) || w.ex == nil && st < w.exU.about(uid).knowWarp(v)
	}
	if b.ghosts != nil && b.ghosts.lanes[v] != 0 {
		return false
	}
	return st < b.hi || v == w.id && st < w.floor || w.ex == nil && st < w.exU.about(uid).knowWarp(v)
}

// ignores reports whether nothing orders an access before any lane of w but the one that
// made it, whichever that is. It may say no where order, asked lane by lane, says unordered.
func (w *Warp) ignores(e uint64, in int) bool {
	b := w.b
	if w.ex != nil || w.exU != nil || b.shared != nil || b.ghosts != nil || e&asyncEpoch != 0 || e < b.low[in] {
		return false
	}
	st := stampOf(e)
	return uidOf(e) != b.uid || st >= b.hi && (warpOf(e) != w.id || st >= w.floor)
}

// order tells how the access e, of the thread in e, is ordered before lane l of w.
func (w *Warp) order(e uint64, l, in int) verdict {
	b := w.b
	if e < b.low[in] || e-b.base < b.span {
		return ordered
	}
	uid, t, st := uidOf(e), tidOf(e), stampOf(e)
	own := t == w.id*32+l
	switch {
	case e&asyncEpoch != 0:
		if uid != b.uid && (in == inShared || uid < b.d.launchUID) {
			return ordered // in flight at most until its block (its launch) ended
		}
		if own && uid == b.uid && st < w.copies.completed(l) {
			return ordered
		}
		t += maxThreads
	case uid == b.uid:
		if own {
			return ordered // program order
		}
		if g := b.ghosts; g != nil && g.lanes[t>>5]>>(t&31)&1 != 0 {
			if st < g.known[t] || t>>5 == w.id && st < g.mates[t] {
				return ordered
			}
		} else if st < b.hi || t>>5 == w.id && st < w.floor {
			return ordered
		}
	}
	x := w.exOf(l)
	if x == nil && b.shared == nil {
		return unordered
	}
	if st < x.know(uid, t) || st < b.shared.know(uid, t) {
		return ordered
	}
	if x != nil && st < x.soft.know(uid, t) || b.shared != nil && st < b.shared.soft.know(uid, t) {
		return soft
	}
	return unordered
}
