package race

import (
	"math/bits"

	"gpusim/kernel"
)

// private is what lanes of a warp carry for themselves: it travels along no edge.
type private struct {
	fenced uint32 // lanes whose last fence.sc (or acq_rel) past must still add to its clock
	lanes  [32]laneFences
}

// laneFences is one lane's fences. Index 0 counts fences of any scope (a wide fence serves
// its own block too), index 1 those of device scope.
type laneFences struct {
	rel  [2]*snapshot // the last with release semantics: a later strong write publishes its clock
	sc   [2]*snapshot // the last fence.sc
	soft [2]*snapshot // the last fence.sc or fence.acq_rel
	acq  *scoped      // releases that relaxed reads observed: the next fence acquires them
}

// snapshot is the state of a warp at a fence. The clock of a lane is made when somebody
// asks for it: most fences are executed by all lanes and used by one.
type snapshot struct {
	uid, home    uint64 // the block; who it is kept apart for
	id           int
	stamp        uint32 // of the accesses before the fence
	floor, below uint32 // the block's floor and the warp's
	known        *clock
	sc, full     bool // fence.sc; fence.sc or fence.acq_rel
	device       bool
	memo         [32]*clock
	memoMask     uint32
	memoMany     *clock
}

func (w *Warp) private() *private {
	if w.mine == nil {
		if w.spare == nil {
			w.spare = new(private)
		}
		w.mine, w.spare = w.spare, nil
	}
	return w.mine
}

func (w *Warp) snapshot(mask uint32) *snapshot {
	b := w.b
	s := &snapshot{uid: b.uid, home: b.d.home(b.uid), id: w.id, stamp: w.stamp, floor: b.floor, below: w.floor, known: join(b.uid, b.shared, w.exU)}
	if w.ex != nil || b.ghosts != nil || w.copies != nil || w.mine.fenced&mask != 0 {
		for m := mask; m != 0; m &= m - 1 { // lanes differ, or the state will: now
			l := bits.TrailingZeros32(m)
			s.memo[l] = w.past(1 << l).ofFence()
		}
	}
	return s
}

// clock is what the lanes of mask knew at the fence.
func (s *snapshot) clock(mask uint32) *clock {
	if mask&(mask-1) == 0 {
		l := bits.TrailingZeros32(mask) & 31
		if s.memo[l] == nil {
			s.memo[l] = s.build(mask)
		}
		return s.memo[l]
	}
	if s.memoMask == mask {
		return s.memoMany
	}
	c := s.build(mask)
	for m := mask; m != 0; m &= m - 1 {
		c = join(s.uid, c, s.memo[bits.TrailingZeros32(m)])
	}
	s.memoMask, s.memoMany = mask, c
	return c
}

// release adds to a message what a lane's fence publishes: what it knew, and the fence
// itself as one in the past of whoever acquires it.
func (s *snapshot) release(f *scoped, lane uint32, device bool) *scoped {
	if s == nil {
		return f
	}
	c := s.clock(lane)
	if s.full {
		n := *c
		if s.sc {
			n.sc = n.sc.with(s.home, c, s.device)
		} else {
			k := clock{uid: s.uid}
			if n.soft != nil {
				k = *n.soft
			}
			k.sc = k.sc.with(s.home, c, s.device)
			n.soft = &k
		}
		c = &n
	}
	return f.with(s.home, c, device)
}

func (s *snapshot) build(mask uint32) *clock {
	p := &part{floor: s.floor}
	p.addLanes(s.id, mask, s.stamp+1, s.below)
	return join(s.uid, &clock{uid: s.uid, own: p}, s.known).ofFence()
}

// withFences adds the fences of the lanes of mask to their clock.
func (w *Warp) withFences(c *clock, mask uint32) *clock {
	p := w.mine
	for m := mask & p.fenced; m != 0; {
		f := &p.lanes[bits.TrailingZeros32(m)]
		var same uint32 // lanes with the same fences
		for k := m; k != 0; k &= k - 1 {
			l := bits.TrailingZeros32(k)
			if g := &p.lanes[l]; g.sc == f.sc && g.soft == f.soft {
				same |= 1 << l
			}
		}
		m &^= same
		n := *c
		n.sc = f.sc[0].into(n.sc, same, f.sc[0] == f.sc[1])
		if f.sc[0] != f.sc[1] {
			n.sc = f.sc[1].into(n.sc, same, true)
		}
		if f.soft != f.sc {
			s := clock{uid: c.uid}
			if c.soft != nil {
				s = *c.soft
			}
			s.sc = f.soft[0].into(s.sc, same, f.soft[0] == f.soft[1])
			if f.soft[0] != f.soft[1] {
				s.sc = f.soft[1].into(s.sc, same, true)
			}
			n.soft = &s
		}
		c = &n
	}
	return c
}

// into adds the fence of some lanes to a set.
func (s *snapshot) into(f *scoped, lanes uint32, device bool) *scoped {
	if s == nil {
		return f
	}
	return f.with(s.home, s.clock(lanes), device)
}

// Fence is fence or membar of the lanes of mask. sc is fence.sc, which membar is too.
func (d *Detector) Fence(w *Warp, mask uint32, sc bool, sem kernel.Sem, scope kernel.Scope) {
	b, p := w.b, w.private()
	device := scope >= kernel.GPU
	d.mayUse(device)
	acquires := sc || sem == kernel.Acquire || sem == kernel.AcqRel
	releases := sc || sem == kernel.Release || sem == kernel.AcqRel
	full := sc || sem == kernel.AcqRel
	d.fenced, b.dirty = true, true
	if acquires {
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			f := &p.lanes[l]
			w.learn(1<<l, f.acq.reaching(b.uid, device))
			if device {
				f.acq = nil
			}
		}
	}
	if full {
		d.ordered(w, mask, sc, device)
	}
	if releases {
		s := w.snapshot(mask)
		s.sc, s.full, s.device = sc, full, device
		for m := mask; m != 0; m &= m - 1 {
			f := &p.lanes[bits.TrailingZeros32(m)]
			set := func(to *[2]*snapshot) {
				to[0] = s
				if device {
					to[1] = s
				}
			}
			set(&f.rel)
			if sc {
				set(&f.sc)
			}
			if full {
				set(&f.soft)
			}
		}
		if full {
			p.fenced |= mask
		}
	}
	w.tick()
	if releases {
		b.publishes(w.stamp, device)
	}
}

// ordered orders lanes after the fences that were forced before theirs: those that
// something in their past observed something after. A fence.acq_rel learns it as soft
// knowledge only.
func (d *Detector) ordered(w *Warp, mask uint32, sc, device bool) {
	uid := w.b.uid
	if w.ex == nil {
		if c := seenBy(w.b.shared, w.exU, uid, sc, device); c != nil {
			w.learn(mask, c)
			d.orderedAgain(w, mask, sc, device, c)
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if c := seenBy(w.b.shared, w.exOf(l), uid, sc, device); c != nil {
			w.learn(1<<l, c)
			d.orderedAgain(w, 1<<l, sc, device, c)
		}
	}
}

// orderedAgain follows what the fences just learnt of had seen themselves.
func (d *Detector) orderedAgain(w *Warp, mask uint32, sc, device bool, c *clock) {
	if n := seenBy(c, nil, w.b.uid, sc, device); n != nil {
		w.learn(mask, n)
	}
}

func seenBy(a, b *clock, uid uint64, sc, device bool) *clock {
	var hard, more *clock
	for _, c := range [2]*clock{a, b} {
		if c == nil {
			continue
		}
		hard = join(uid, hard, reached(c.seen, uid, device))
		if c.soft != nil {
			more = join(uid, more, reached(c.soft.seen, uid, device))
		}
	}
	if !sc {
		hard, more = nil, join(uid, hard, more)
	}
	if more != nil {
		hard = join(uid, hard, &clock{uid: uid, soft: more.soften()})
	}
	return hard
}

// reached is what a fence of block uid learns from fences that are forced before it:
// their clocks, and that they are now in its past.
func reached(f *scoped, uid uint64, device bool) *clock {
	s := f.subset(uid, device)
	if s == nil {
		return nil
	}
	return join(uid, s.reaching(uid, device), &clock{uid: uid, sc: s})
}
