package race

import (
	"math/bits"

	"gpusim/shape"
)

// AccessLanes is Access for addresses without a pattern: lane l accesses width bytes at
// off[l]. It takes part lane by lane, so no shape is interned.
func (d *Detector) AccessLanes(w *Warp, sd *Shadow, off *[32]int64, mask uint32, width int, id Site) {
	st := &d.sites[id]
	if sd.shift != 0 && width&3 != 0 {
		d.toBytes(sd)
	}
	if mask&(mask-1) != 0 && !st.NonCoherent {
		if s := d.pattern(off, mask, width); s != nil {
			d.accessSome(w, sd, s, off, mask, id)
			return
		}
	}
	if st.write && clash(off, mask, width) {
		var a shape.Lanes
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			a[l] = uint64(off[l])
		}
		s := shape.Once(&a, mask, width)
		d.Access(w, sd, s, off[s.First], id)
		return
	}
	units := uint(max(width>>sd.shift, 1))
	if units > 1 || st.NonCoherent {
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			d.Access(w, sd, d.shapes.Single(lane, width), off[lane], id)
		}
		return
	}
	w.touched |= mask
	var lines [32]*line
	d.ahead(sd, off, mask, st.write, &lines)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		n := off[lane] >> sd.shift
		l, u := lines[lane], int(n&31)
		if l.sx|l.ncx == 0 && (st.write && d.writeUnit(w, sd, l, u, lane, id) || !st.write && d.readUnit(w, sd, l, u, lane, id)) {
			continue
		}
		s := d.shapes.Single(lane, width)
		if st.write {
			d.write(w, sd, l, s, n>>5, uint16(u), 1<<u, id)
		} else {
			d.read(w, sd, l, s, n>>5, uint16(u), 1<<u, id)
		}
	}
}

// ahead finds the lines of all lanes and touches them and their cells. Scattered
// addresses miss the cache; done in separate loops, the misses overlap.
func (d *Detector) ahead(sd *Shadow, off *[32]int64, mask uint32, write bool, lines *[32]*line) {
	sh := sd.shift + 5
	touch := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		l := sd.line(off[lane] >> sh)
		lines[lane] = l
		touch += uint32(l.nr) + l.w.mask // both ends of the line
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		l, u := lines[lane], off[lane]>>sd.shift&31
		switch {
		case write && l.nw == inCells:
			touch += d.wcs.get(l.wx)[u].lo
		case !write && l.nr == inCells:
			touch += d.rcs.get(l.rx)[u].mask
		}
	}
	d.touched = touch
}

// writeUnit is write for one lane and one unit where nothing on the unit can race. It
// reports false if the general case must be taken.
func (d *Detector) writeUnit(w *Warp, sd *Shadow, l *line, u, lane int, id Site) bool {
	b := w.b
	low := b.low[sd.in]
	if l.r.mask>>u&1 != 0 && l.r.e >= low && (l.nr != 1 || l.r.e-b.base >= b.span) {
		return false
	}
	if l.nw != inCells {
		if l.nw == 0 || l.w.e < low || l.w.mask == 1<<u {
			return false
		}
		d.toWriteCells(sd, l) // lanes scatter: no record will fit
	}
	c := d.wcs.get(l.wx)
	e := w.epoch | uint64(lane)
	if l.w.e < low { // a new launch, or a barrier has ordered all of them
		d.clearWriteCells(l, c)
	}
	x := &c[u]
	old := x.e()
	if old >= low && old-b.base >= b.span && (old^e)&^stampBits != 0 || x.isSet() {
		return false
	}
	x.set(e, id)
	l.w.mask |= 1 << u
	l.w.e = max(l.w.e, e|31)
	return true
}

func (d *Detector) clearWriteCells(l *line, c *wcells) {
	for u := range c {
		if x := &c[u]; x.isSet() {
			d.dropSet(uint32(x.site &^ setFlag))
		}
	}
	*c = wcells{}
	l.w.mask, l.w.e = 0, 0
}

// readUnit is read for one lane and one unit that nobody has written since everything
// was ordered. It reports false if the general case must be taken.
func (d *Detector) readUnit(w *Warp, sd *Shadow, l *line, u, lane int, id Site) bool {
	b := w.b
	low := b.low[sd.in]
	if l.w.mask>>u&1 != 0 && l.w.e >= low && (l.nw != 1 || l.w.e-b.base >= b.span) || l.nr == 0 {
		return false
	}
	var c *rcells
	switch {
	case l.nr == inCells:
		c = d.rcs.get(l.rx)
		if l.r.e < low {
			d.clearReadCells(l, c)
		}
	case l.nr == 1 && l.r.e >= low && l.r.mask != 1<<u:
		c = d.toReadCells(sd, l) // lanes scatter: no record will fit
	default:
		return false
	}
	e := w.epoch
	x := &c[u]
	old := x.e
	switch {
	case old == 0 || old < low && !x.isSet():
		*x = entry{e, 1 << lane, id}
	case x.isSet():
		return false
	case old == e && x.site == id:
		x.mask |= 1 << lane
	case sameWarp(old, e) && x.mask&^(1<<lane) == 0:
		x.e, x.site = e, id
	case old&asyncEpoch == 0 && d.gone(old):
	default:
		return false
	}
	l.r.mask |= 1 << u
	l.r.e = max(l.r.e, e)
	return true
}

func (d *Detector) clearReadCells(l *line, c *rcells) {
	for u := range c {
		if x := &c[u]; x.e != 0 && x.isSet() {
			d.dropSet(uint32(x.site &^ setFlag))
		}
	}
	*c = rcells{}
	l.r.mask, l.lost, l.r.e = 0, 0, 0
}

// clash reports whether two lanes touch a common byte. Naturally aligned accesses of one
// width overlap only if they are equal.
func clash(off *[32]int64, mask uint32, width int) bool {
	var seen [64]int64
	for m := mask; m != 0; m &= m - 1 {
		o := off[bits.TrailingZeros32(m)&31] + int64(width)
		h := uint64(o) * 0x9E3779B97F4A7C15 >> 58
		for seen[h&63] != 0 {
			if seen[h&63] == o {
				return true
			}
			h++
		}
		seen[h&63] = o
	}
	return false
}
