package race

import (
	"math/bits"

	"gpusim/shape"
)

// AccessLanes is Access for addresses without a pattern: lane l accesses width bytes at
// off[l]. It takes part lane by lane, so no shape is interned.
func (d *Detector) AccessLanes(w *Warp, sd *Shadow, off *[32]int64, mask uint32, width int, id Site) {
	st := &d.sites[id]
	if st.NonCoherent || st.write && clash(off, mask, width) {
		d.lanesTogether(w, sd, off, mask, width, id)
		return
	}
	w.touched |= mask
	n := uint(width)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		o := off[lane]
		if sd.shift != 0 && (width&3 != 0 || o&3 != 0) {
			d.toBytes(sd)
		}
		s := d.shapes.Single(lane, width)
		u := o >> sd.shift
		al := u & 31
		units := max(n>>sd.shift, 1)
		if al+int64(units) > 32 {
			d.Access(w, sd, s, o, id)
			continue
		}
		um := uint32(1<<units-1) << al
		ln := u >> 5
		l := sd.line(ln)
		if units == 1 && l.sx|l.ncx == 0 {
			if st.write && d.writeUnit(w, sd, l, int(al), lane, id) || !st.write && d.readUnit(w, sd, l, int(al), lane, id) {
				continue
			}
		}
		if st.write {
			d.write(w, sd, l, s, ln, uint16(al), um, id)
		} else {
			d.read(w, sd, l, s, ln, uint16(al), um, id)
		}
	}
}

// writeUnit is write for one lane and one unit where the line has write cells, and
// nothing on the unit can race. It reports false if that is not so.
func (d *Detector) writeUnit(w *Warp, sd *Shadow, l *line, u, lane int, id Site) bool {
	b := w.b
	low := b.low[sd.in]
	if l.nw != inCells || l.rmask>>u&1 != 0 && l.r.e >= low && (l.nr != 1 || l.r.e-b.base >= b.span) {
		return false
	}
	c := d.wcs.get(l.wx)
	e := w.epoch | uint64(lane)
	if l.w.e < low { // a new launch, or a barrier has ordered all of them
		d.clearWriteCells(l, c)
	}
	old := c.e[u]
	if old >= low && old-b.base >= b.span && (old^e)&^stampBits != 0 || c.site[u]&setFlag != 0 {
		return false
	}
	c.e[u], c.site[u] = e, id
	l.wmask |= 1 << u
	l.w.e = max(l.w.e, e|31)
	return true
}

func (d *Detector) clearWriteCells(l *line, c *wcells) {
	for u, s := range c.site {
		if s&setFlag != 0 {
			d.dropSet(uint32(s &^ setFlag))
		}
		c.e[u], c.site[u] = 0, 0
	}
	l.wmask, l.w.e = 0, 0
}

// readUnit is read for one lane and one unit that nobody has written since everything
// was ordered. It reports false if the general case must be taken.
func (d *Detector) readUnit(w *Warp, sd *Shadow, l *line, u, lane int, id Site) bool {
	b := w.b
	low := b.low[sd.in]
	if l.wmask>>u&1 != 0 && l.w.e >= low && (l.nw != 1 || l.w.e-b.base >= b.span) || l.nr == 0 {
		return false
	}
	var c *rcells
	switch {
	case l.nr == inCells:
		c = d.rcs.get(l.rx)
		if l.r.e < low {
			d.clearReadCells(l, c)
		}
	case l.nr == 1 && l.r.e >= low && l.rmask != 1<<u:
		c = d.toReadCells(sd, l) // lanes scatter: no record will fit
	default:
		return false
	}
	e := w.epoch
	old := c.e[u]
	switch {
	case old == 0 || old < low && c.site[u]&setFlag == 0:
		c.e[u], c.mask[u], c.site[u] = e, 1<<lane, id
	case c.site[u]&setFlag != 0:
		return false
	case old == e:
		c.mask[u] |= 1 << lane
	case sameWarp(old, e) && c.mask[u]&^(1<<lane) == 0:
		c.e[u], c.site[u] = e, id
	case old&asyncEpoch == 0 && d.gone(old):
	default:
		return false
	}
	l.rmask |= 1 << u
	l.r.e = max(l.r.e, e)
	return true
}

func (d *Detector) clearReadCells(l *line, c *rcells) {
	for _, s := range c.site {
		if s&setFlag != 0 {
			d.dropSet(uint32(s &^ setFlag))
		}
	}
	*c = rcells{}
	l.rmask, l.r.e = 0, 0
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

// lanesTogether is AccessLanes where the lanes must be seen as one instruction.
func (d *Detector) lanesTogether(w *Warp, sd *Shadow, off *[32]int64, mask uint32, width int, id Site) {
	var a shape.Lanes
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		a[l] = uint64(off[l])
	}
	s := d.shapes.Of(&a, mask, width)
	d.Access(w, sd, s, off[s.First], id)
}
