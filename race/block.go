package race

// The two kinds of memory differ in one number: below low everything is ordered before
// every thread of the block. In shared memory that is the block's own floor (all older
// blocks of the slot are below it), in global memory the start of the launch.
const (
	inGlobal = iota
	inShared
)

// Block is the clock of one run of a thread block. A resident slot reuses the object.
type Block struct {
	d       *Detector
	uid     uint64
	linear  uint64
	threads int
	warps   []Warp // of this run

	// stamp is the last one given out. Stamps below hi are known to all threads of the
	// block that have not exited, except what ghosts did; floor is the same with ghosts
	// included, so that one compare with it needs no look at who made the access.
	stamp, floor, hi uint32

	base, span uint64 // e-base < span: made by this block below floor
	low        [2]uint64
	shared     *clock // what a block barrier made known to all, beside the floor
	ghosts     *ghosts
	dirty      bool   // a block barrier has more to do than to raise the floor
	released   uint32 // stamps below may be known to other blocks
	published  uint32 // stamps below were released by some thread, to some scope
	all        [32]Warp
}

// ghosts are the threads that exited with accesses which no barrier has ordered yet.
// Nobody waits for an exited thread and its end synchronises with nothing, so the floor
// must not rise over those accesses.
type ghosts struct {
	lanes [32]uint32         // by warp
	known [maxThreads]uint32 // stamps below are known to the whole block
	mates [maxThreads]uint32 // stamps below are known to the thread's warp
}

// BeginBlock starts a block's run. Several blocks run at the same time, interleaved.
func (d *Detector) BeginBlock(b *Block, linear uint64, threads int) {
	b.d, b.uid, b.linear, b.threads = d, d.launchUID+linear, linear, threads
	b.base = b.uid << uidSh
	b.shared, b.ghosts, b.dirty, b.released, b.published = nil, nil, false, 0, 0
	d.alive[b.uid] = b
	b.stamp, b.hi = 1, 1
	b.low[inGlobal] = d.launchUID << uidSh
	b.setFloor(1)
	b.warps = b.all[:(min(threads, maxThreads)+31)/32]
	for i := range b.warps {
		w := &b.warps[i]
		spare := w.spare
		if w.mine != nil {
			spare = w.mine
			*spare = private{}
		}
		*w = Warp{b: b, id: i, spare: spare}
		w.live = 0xFFFFFFFF
		if n := threads - i*32; n < 32 {
			w.live = 1<<n - 1
		}
		w.atFloor()
	}
}

// EndBlock ends a block's run: nothing of it can become known any more beyond what it released.
func (d *Detector) EndBlock(b *Block) {
	delete(d.alive, b.uid)
	d.ended[b.linear>>6] |= 1 << (b.linear & 63)
	if b.released != 0 {
		d.released[b.uid] = b.released
	}
}

// gone reports whether no later access of the launch can be ordered after e by base
// causality: its block has ended and did not release it to other blocks.
func (d *Detector) gone(e uint64) bool {
	uid := uidOf(e)
	n := uid - d.launchUID
	if uid < d.launchUID {
		return true
	}
	if d.ended[n>>6]>>(n&63)&1 == 0 {
		return false
	}
	if len(d.released) == 0 {
		return true
	}
	return stampOf(e) >= d.released[uid]
}

// Warp returns the clock of a warp.
func (b *Block) Warp(i int) *Warp { return &b.warps[i] }

func (b *Block) setFloor(f uint32) {
	b.floor = f
	b.span = uint64(f) << stampSh
	b.low[inShared] = b.base + b.span
}

// next gives out a stamp.
func (b *Block) next() uint32 {
	if b.stamp >= maxStamp-1 {
		b.d.fail(ErrStamps)
		return b.stamp
	}
	b.stamp++
	return b.stamp
}

// BarrierAll orders everything that the live threads of the block have done before
// everything that they do from now on.
func (b *Block) BarrierAll() {
	if b.dirty {
		b.gather()
	}
	s := b.next()
	b.hi = s
	if b.ghosts == nil {
		b.setFloor(s)
	}
	for i := range b.warps {
		b.warps[i].atFloor()
	}
}

// gather is the part of a block barrier that a raised floor does not express.
func (b *Block) gather() {
	b.dirty = false
	c := b.shared
	for i := range b.warps {
		w := &b.warps[i]
		w.bury()
		if w.live != 0 && (w.exU != nil || !w.plain()) {
			c = join(b.uid, c, w.past(w.live))
		}
		if w.mine != nil {
			w.mine.fenced = 0
		}
		if w.copies != nil {
			w.copies.news = false
		}
	}
	if g := b.ghosts; g != nil {
		b.haunt(g, c)
		b.dirty = true
	}
	if c != nil {
		n := clock{uid: b.uid, own: c.own.copiesOnly(), ext: c.ext, sc: c.sc, seen: c.seen}
		if s := c.soft; s != nil {
			m := clock{uid: b.uid, ext: s.ext, sc: s.sc, seen: s.seen}
			if b.ghosts != nil { // the floor does not tell about them
				m.own = s.own
			}
			if m != (clock{uid: b.uid}) {
				n.soft = &m
			}
		}
		c = &n
		if n == (clock{uid: b.uid}) {
			c = nil
		}
	}
	b.shared = c
}

// haunt makes what live threads know about ghosts known to the whole block.
func (b *Block) haunt(g *ghosts, c *clock) {
	floor := uint32(maxStamp)
	for w, lanes := range g.lanes {
		for l := range 32 {
			if lanes>>l&1 == 0 {
				continue
			}
			t := w*32 + l
			g.known[t] = max(g.known[t], c.know(b.uid, t))
			if b.warps[w].live != 0 {
				g.known[t] = max(g.known[t], g.mates[t])
			}
			floor = min(floor, g.known[t])
		}
	}
	b.setFloor(floor)
}

// copiesOnly is what a part says about cp.async groups.
func (p *part) copiesOnly() *part {
	if p == nil || len(p.runs) == 0 || p.runs[len(p.runs)-1].lo < maxThreads {
		return nil
	}
	i := 0
	for p.runs[i].lo < maxThreads {
		i++
	}
	return &part{runs: p.runs[i:]}
}

// publishes notes that accesses with smaller stamps were released.
func (b *Block) publishes(stamp uint32, device bool) {
	b.published = stamp
	if device {
		b.released = stamp
	}
}
