package race

import "gpusim/shape"

// Asynchronous epochs are above every floor, because a barrier alone does not order what
// is in flight. So lines are cleaned of them when one is met that nobody can race with
// any more; until then accesses to such lines take the slow path.

// settled reports whether the access e of a lane or (whole) of a warp is ordered before
// everything that may still access this memory.
func (b *Block) settled(e uint64, in int, whole bool) bool {
	if e&asyncEpoch == 0 {
		return e < b.low[in]
	}
	uid, t := uidOf(e), maxThreads+tidOf(e)
	switch {
	case in == inGlobal:
		return uid < b.d.launchUID
	case uid != b.uid:
		return true
	case whole:
		return stampOf(e) < b.shared.about(uid).knowCopies(warpOf(e))
	}
	return stampOf(e) < b.shared.know(uid, t)
}

// knowCopies is the cp.async group below which those of all lanes of a warp are known to
// be complete.
func (p *part) knowCopies(w int) uint32 {
	if p == nil {
		return 0
	}
	if r, ok := p.find(maxThreads + w*32); ok && int(r.hi) >= maxThreads+w*32+31 {
		return r.stamp
	}
	return 0
}

func (d *Detector) settleRecs(b *Block, sd *Shadow, recs []rec) (n int, mask uint32, top uint64) {
	for _, r := range recs {
		if !b.settled(r.e, sd.in, true) {
			recs[n] = r
			n++
			mask |= r.mask
			top = max(top, r.e)
		}
	}
	return n, mask, top
}

func (d *Detector) settleReads(b *Block, sd *Shadow, l *line) {
	if l.r.e&asyncEpoch == 0 {
		return
	}
	l.lost = 0
	switch l.nr {
	case 0:
	case 1:
		if b.settled(l.r.e, sd.in, true) {
			d.dropReads(l)
		}
	case inCells:
		c := d.rcs.get(l.rx)
		var top uint64
		var mask uint32
		for u := range shape.LineUnits {
			x := &c[u]
			if x.e == 0 {
				continue
			}
			if x.isSet() {
				d.settleSet(b, sd, x)
			} else if b.settled(x.e, sd.in, true) {
				*x = entry{}
			}
			if x.e != 0 {
				top, mask = max(top, x.e), mask|1<<u
			}
		}
		l.r.e, l.r.mask = top, mask
		if mask == 0 {
			d.dropReads(l)
		}
	default:
		recs := d.recs.get(l.rx)[:l.nr]
		n, mask, top := d.settleRecs(b, sd, recs)
		l.nr, l.r.mask, l.r.e = uint16(n), mask, top
		d.shrinkReads(l, recs[:n])
	}
}

func (d *Detector) settleSet(b *Block, sd *Shadow, c *entry) {
	x := d.sets.get(uint32(c.site &^ setFlag))
	es := d.ents.get(x.list)[:x.n]
	k := 0
	c.e = 0
	for _, o := range es {
		if !b.settled(o.e, sd.in, true) {
			es[k] = o
			k++
			c.e = max(c.e, o.e)
		}
	}
	if x.n = uint32(k); k == 0 {
		d.dropSet(uint32(c.site &^ setFlag))
		*c = entry{}
	}
}

func (d *Detector) settleWrites(b *Block, sd *Shadow, l *line) {
	if l.w.e&asyncEpoch == 0 {
		return
	}
	switch l.nw {
	case 0:
	case 1:
		if b.settled(l.w.e, sd.in, true) {
			d.dropWrites(l)
		}
	case inCells:
		c := d.wcs.get(l.wx)
		var top uint64
		var mask uint32
		for u := range shape.LineUnits {
			x := &c[u]
			if x.e() == 0 {
				continue
			}
			if !x.isSet() && b.settled(x.e(), sd.in, false) {
				*x = wcell{}
				continue
			}
			top, mask = max(top, x.e()|31), mask|1<<u
		}
		l.w.e, l.w.mask = top, mask
		if mask == 0 {
			d.dropWrites(l)
		}
	default:
		recs := d.recs.get(l.wx)[:l.nw]
		n, mask, top := d.settleRecs(b, sd, recs)
		l.nw, l.w.mask, l.w.e = uint16(n), mask, top
		if n == 1 {
			l.w = recs[0]
		}
	}
}
