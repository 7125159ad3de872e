package race

import (
	"math/bits"

	"gpusim/shape"
)

// ncLine is the ld.global.nc reads of a line. They are outside the memory model: the
// bytes must stay unwritten for the whole launch, whatever orders the write (PTX ISA,
// "ld.global.nc"). So no clock matters, only which units have been read, and by whom for
// the report: a record is kept if it adds units.
type ncLine struct {
	launch uint64
	mask   uint32
	n      uint32
	x      uint32 // list of records beyond the first
	first  rec
}

func (d *Detector) ncRecs(n *ncLine) []rec {
	if n.n <= 1 {
		return []rec{n.first}[:n.n]
	}
	return append([]rec{n.first}, d.recs.get(n.x)[:n.n-1]...)
}

// ncOf returns the current launch's reads of a line, nil if there are none.
func (d *Detector) ncOf(l *line) *ncLine {
	if l.ncx == 0 {
		return nil
	}
	n := d.ncs.get(l.ncx)
	if n.launch == d.launchUID {
		return n
	}
	d.dropNC(l)
	return nil
}

func (d *Detector) dropNC(l *line) {
	if n := d.ncs.get(l.ncx); n.n > 1 {
		d.recs.drop(n.x)
	}
	d.ncs.drop(l.ncx)
	l.ncx = 0
}

// readNC records an ld.global.nc and reports the writes of the launch that it meets.
func (d *Detector) readNC(a *access) {
	if a.s.ID == 0 { // the pattern was not interned: lane by lane
		d.eachLane(a, d.readNC)
		return
	}
	n := d.ncOf(a.l)
	if n != nil && a.mask&^n.mask == 0 && a.l.nw == 0 && a.l.sx == 0 {
		return
	}
	d.writesOfLaunch(a)
	if n == nil {
		a.l.ncx = d.ncs.take()
		n = d.ncs.get(a.l.ncx)
		n.launch = d.launchUID
	}
	if a.mask&^n.mask != 0 {
		d.addNC(n, rec{a.e, a.mask, a.site, uint16(a.s.ID), a.pos}, a.mask)
	}
}

func (d *Detector) addNC(n *ncLine, r rec, mask uint32) {
	switch {
	case n.n == 0:
		n.first = r
	default:
		k := int(n.n) - 1
		if k == 0 {
			n.x = d.recs.take(2)
		} else if k == listCap(n.x) {
			n.x = d.recs.grow(n.x)
		}
		d.recs.get(n.x)[k] = r
	}
	n.n++
	n.mask |= mask
}

// eachLane calls f for every lane of an access on its own.
func (d *Detector) eachLane(a *access, f func(*access)) {
	sh := a.sd.shift
	for m := a.mask; m != 0; {
		u := bits.TrailingZeros32(m)
		l := bits.TrailingZeros32(a.lanes(u))
		b := *a
		b.s = d.shapes.Single(l, int(a.s.Width))
		at := a.li*shape.LineUnits + a.start + (int64(a.s.Rel[l])-a.s.Min)>>sh
		b.start = at - a.li*shape.LineUnits
		al := int(at & 31)
		for k, p := range b.s.Parts(sh, al) {
			if at>>5+int64(p.Line) == a.li {
				b.mask, b.pos = p.Mask, uint16(al|k<<5)
			}
		}
		m &^= b.mask | 1<<u
		f(&b)
	}
}

// writesOfLaunch reports every write of this launch on the units of an ld.global.nc.
func (d *Detector) writesOfLaunch(a *access) {
	l := a.l
	start := a.w.b.low[inGlobal]
	if m := l.w.mask & a.mask; m != 0 && l.w.e >= start {
		if l.nw == inCells {
			c := d.wcs.get(l.wx)
			for ; m != 0; m &= m - 1 {
				u := bits.TrailingZeros32(m)
				var one [1]entry
				for _, o := range d.unitWrites(c, u, &one) {
					if o.e >= start {
						d.reportNC(a, u, party{o.e | uint64(bits.TrailingZeros32(o.mask)), o.site, true})
					}
				}
			}
		} else {
			for _, r := range d.writeRecs(l) {
				if r.e < start {
					continue
				}
				for m := r.mask & a.mask; m != 0; m &= m - 1 {
					u := bits.TrailingZeros32(m)
					d.reportNC(a, u, party{r.e | uint64(bits.TrailingZeros32(d.recLanes(a.sd, &r, u))), r.site, true})
				}
			}
		}
	}
	if l.sx != 0 {
		d.strongOfLaunch(a)
	}
}

// checkNC reports the ld.global.nc that a write meets.
func (d *Detector) checkNC(a *access) {
	n := d.ncOf(a.l)
	if n == nil {
		return
	}
	for _, r := range d.ncRecs(n) {
		for m := r.mask & a.mask; m != 0; m &= m - 1 {
			u := bits.TrailingZeros32(m)
			d.reportNC(a, u, party{r.e | uint64(bits.TrailingZeros32(d.recLanes(a.sd, &r, u))), r.site, false})
		}
	}
}

func (d *Detector) splitNC(l, n *line, q int64) {
	o := d.ncOf(l)
	if o == nil {
		return
	}
	for _, r := range d.ncRecs(o) {
		b, m, ok := d.toByteRec(r, q)
		if !ok {
			continue
		}
		if n.ncx == 0 {
			n.ncx = d.ncs.take()
			d.ncs.get(n.ncx).launch = d.launchUID
		}
		d.addNC(d.ncs.get(n.ncx), b, m)
	}
}
