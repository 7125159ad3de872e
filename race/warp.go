package race

import "math/bits"

// Warp is the clock of a warp. The stamp belongs to the warp, never to a lane: a stamp
// that another lane caused is harmless, because what others know of a lane comes from
// that lane's own synchronisation. So records of accesses are warp-wide, and only
// knowledge may differ between lanes.
type Warp struct {
	b     *Block
	id    int
	stamp uint32
	epoch uint64 // of the accesses that are made now, lane 0

	live     uint32      // lanes that exist and have not exited
	touched  uint32      // lanes that accessed memory since the last block barrier
	observed uint32      // lanes that made a strong read
	leaving  uint32      // lanes that exited after such an access and are not yet ghosts
	floor    uint32      // what this warp did with a stamp below is known to all its lanes
	exU      *clock      // known beyond the floors, by all lanes
	ex       *[32]*clock // the same by lane while lanes know different things
	spare    *private    // of an earlier block of the slot, empty
	mine     *private    // fences of single lanes; nil until the first one
	copies   *copies     // cp.async of the lanes; nil until the first one
}

func (w *Warp) atFloor() {
	w.exU, w.ex = nil, nil
	w.floor, w.touched = 0, 0
	w.setStamp(w.b.hi)
}

func (w *Warp) setStamp(s uint32) {
	w.stamp = s
	w.epoch = w.b.base | uint64(s)<<stampSh | uint64(w.id)<<warpSh
}

// tick starts a new stamp: what has been published up to now does not cover what follows.
func (w *Warp) tick() { w.setStamp(w.b.next()) }

func (w *Warp) exOf(l int) *clock {
	if w.ex != nil {
		return w.ex[l&31]
	}
	return w.exU
}

func (w *Warp) split() {
	if w.ex == nil {
		w.ex = new([32]*clock)
		for i := range w.ex {
			w.ex[i] = w.exU
		}
	}
	w.b.dirty = true
}

// learn adds a clock to what lanes know.
func (w *Warp) learn(mask uint32, c *clock) {
	if c == nil || mask == 0 {
		return
	}
	w.b.dirty = true
	if w.ex == nil {
		j := join(w.b.uid, w.exU, c)
		if j == w.exU {
			return
		}
		if mask == w.live {
			w.exU = j
			return
		}
		w.split()
		for m := mask; m != 0; m &= m - 1 {
			w.ex[bits.TrailingZeros32(m)] = j
		}
		return
	}
	var last, joined *clock
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if x := w.ex[l]; joined == nil || x != last {
			last, joined = x, join(w.b.uid, x, c)
		}
		w.ex[l] = joined
	}
	if mask == w.live {
		w.unite()
	}
}

// unite drops the distinction by lanes if they all know the same.
func (w *Warp) unite() {
	c := w.ex[bits.TrailingZeros32(w.live|1<<31)]
	for m := w.live; m != 0; m &= m - 1 {
		if w.ex[bits.TrailingZeros32(m)] != c {
			return
		}
	}
	w.exU, w.ex = c, nil
}

// plain reports whether all lanes know the same, apart from what each has done itself.
func (w *Warp) plain() bool {
	return w.ex == nil && (w.mine == nil || w.mine.fenced == 0) && (w.copies == nil || !w.copies.news)
}

// past is what the lanes of mask have done and know.
func (w *Warp) past(mask uint32) *clock {
	b := w.b
	c := join(b.uid, &clock{uid: b.uid, own: w.done(mask)}, b.shared)
	if w.ex == nil {
		c = join(b.uid, c, w.exU)
	} else {
		var last *clock
		for m := mask; m != 0; m &= m - 1 {
			if x := w.ex[bits.TrailingZeros32(m)]; x != last {
				c = join(b.uid, c, x)
				last = x
			}
		}
	}
	if w.mine != nil {
		c = w.withFences(c, mask)
	}
	return c
}

// done is the part of past that stamps and floors tell.
func (w *Warp) done(mask uint32) *part {
	p := &part{floor: w.b.floor}
	if w.b.ghosts != nil {
		w.doneAround(p, mask)
	} else {
		p.addLanes(w.id, mask, w.stamp+1, w.floor)
	}
	if w.copies != nil {
		w.copies.addTo(p, w.id, mask)
	}
	return p
}

// doneAround is done while ghosts keep the floor down: every thread on its own.
func (w *Warp) doneAround(p *part, mask uint32) {
	g := w.b.ghosts
	for t := range len(w.b.warps) * 32 {
		v, l := t>>5, t&31
		s := w.b.hi
		if g.lanes[v]>>l&1 != 0 {
			s = g.known[t]
			if v == w.id {
				s = max(s, g.mates[t])
			}
		} else if v == w.id {
			s = max(s, w.floor)
			if mask>>l&1 != 0 {
				s = w.stamp + 1
			}
		}
		if s > p.floor {
			p.add(t, t, s)
		}
	}
}

// Sync is bar.warp.sync of the lanes of mask; alive are the lanes that have not exited.
func (w *Warp) Sync(mask, alive uint32) {
	mask &= alive
	if mask&(mask-1) == 0 {
		return // one lane: program order
	}
	w.bury()
	if mask == w.live && w.plain() {
		w.tick()
		w.floor = w.stamp
		return
	}
	c := w.past(mask)
	w.learn(mask, c)
	w.tick()
	if mask == w.live {
		w.floor = w.stamp
	}
}

// Exit ends lanes. It synchronises with nothing.
func (w *Warp) Exit(mask uint32) {
	w.live &^= mask
	if w.leaving |= mask & w.touched; w.leaving != 0 {
		w.b.dirty = true
	}
}

// bury turns lanes that have left into ghosts. It is done late, when a floor is about to
// rise over their accesses: most blocks end without.
func (w *Warp) bury() {
	if w.leaving == 0 {
		return
	}
	b := w.b
	if w.live == 0 && b.others(w.id) == 0 {
		return
	}
	if b.ghosts == nil {
		b.ghosts = new(ghosts)
	}
	g := b.ghosts
	for m := w.leaving; m != 0; m &= m - 1 {
		t := w.id*32 + bits.TrailingZeros32(m)
		g.known[t], g.mates[t] = b.hi, w.floor
	}
	g.lanes[w.id] |= w.leaving
	w.leaving = 0
}

// others is the live lanes of all warps but one.
func (b *Block) others(id int) uint32 {
	var m uint32
	for i := range b.warps {
		if i != id {
			m |= b.warps[i].live
		}
	}
	return m
}

// Phase is the clock of one phase of a barrier. The zero value is ready.
type Phase struct{ c *clock }

// Arrive makes the lanes a source of the phase's edges.
func (w *Warp) Arrive(p *Phase, mask uint32) {
	w.bury()
	p.c = join(w.b.uid, p.c, w.past(mask))
	w.tick()
	w.b.dirty = true
}

// Depart orders the lanes after all arrivals of a completed phase.
func (w *Warp) Depart(p *Phase, mask uint32) { w.learn(mask&w.live, p.c) }
