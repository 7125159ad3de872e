package race

import (
	"math/bits"

	"gpusim/shape"
)

// set is a list of accesses of one unit.
type set struct{ list, n uint32 }

func (d *Detector) setOf(s Site) []entry {
	x := d.sets.get(uint32(s &^ setFlag))
	return d.ents.get(x.list)[:x.n]
}

func (d *Detector) newSet(es ...entry) Site {
	i := d.sets.take()
	x := d.sets.get(i)
	x.list, x.n = d.ents.take(max(len(es), 4)), uint32(len(es))
	copy(d.ents.get(x.list), es)
	return Site(i) | setFlag
}

func (d *Detector) addToSet(s Site, e entry) {
	x := d.sets.get(uint32(s &^ setFlag))
	if int(x.n) == listCap(x.list) {
		x.list = d.ents.grow(x.list)
	}
	d.ents.get(x.list)[x.n] = e
	x.n++
}

func (d *Detector) dropSet(i uint32) {
	d.ents.drop(d.sets.get(i).list)
	d.sets.drop(i)
}

// unitReads is the weak reads of a unit whose line has read cells.
func (d *Detector) unitReads(c *rcells, i int, one *[1]entry) []entry {
	switch x := &c[i]; {
	case x.e == 0:
		return nil
	case x.isSet():
		return d.setOf(x.site)
	default:
		one[0] = *x
		return one[:]
	}
}

// unitWrites is the weak writes of a unit whose line has write cells.
func (d *Detector) unitWrites(c *wcells, i int, one *[1]entry) []entry {
	switch x := &c[i]; {
	case x.e() == 0:
		return nil
	case x.isSet():
		return d.setOf(x.site)
	default:
		one[0] = entry{x.e() &^ 31, 1 << laneOf(x.e()), x.site}
		return one[:]
	}
}

// toReadCells expands a line's read records.
func (d *Detector) toReadCells(sd *Shadow, l *line) *rcells {
	if l.nr == inCells {
		return d.rcs.get(l.rx)
	}
	x := d.rcs.take()
	c := d.rcs.get(x)
	for _, r := range d.readRecs(l) {
		for m := r.mask; m != 0; m &= m - 1 {
			u := bits.TrailingZeros32(m)
			d.mergeRead(c, u, entry{r.e, d.recLanes(sd, &r, u), r.site})
		}
	}
	if l.rx != 0 {
		d.recs.drop(l.rx)
	}
	l.rx, l.nr = x, inCells
	return c
}

// mergeRead adds a read to a unit without dropping another.
func (d *Detector) mergeRead(c *rcells, u int, n entry) {
	x := &c[u]
	switch {
	case x.e == 0:
		*x = n
	case x.isSet():
		for i, es := 0, d.setOf(x.site); i < len(es); i++ {
			if es[i].e == n.e && es[i].site == n.site {
				es[i].mask |= n.mask
				return
			}
		}
		d.addToSet(x.site, n)
		x.e = max(x.e, n.e)
	case x.e == n.e && x.site == n.site:
		x.mask |= n.mask
	default:
		x.site = d.newSet(*x, n)
		x.e = max(x.e, n.e)
	}
}

// readByCell records a weak read in cells; the writes have been checked.
func (d *Detector) readByCell(a *access) {
	l, e := a.l, a.e
	c := d.toReadCells(a.sd, l)
	low := a.w.b.low[a.sd.in]
	for m := a.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		lanes := a.lanes(u)
		x := &c[u]
		old, isSet := x.e, x.e != 0 && x.isSet()
		switch {
		case old == 0 || old < low || old&asyncEpoch != 0 && !isSet && a.w.b.settled(old, a.sd.in, true):
			if isSet {
				d.dropSet(uint32(x.site &^ setFlag))
			}
			*x = entry{e, lanes, a.site}
		case isSet:
			d.readIntoSet(x, entry{e, lanes, a.site}, low)
		case old == e && x.site == a.site:
			x.mask |= lanes
		case sameWarp(old, e) && x.mask&^lanes == 0:
			*x = entry{e, lanes, a.site}
		case d.gone(old):
			// any write will race with that read: one example is enough
		default:
			d.mergeRead(c, u, entry{e, lanes, a.site})
		}
	}
	l.r.mask |= a.mask
	l.r.e = max(l.r.e, e)
}

// readIntoSet adds a read to the set of a unit; lanes that read again lose their older entry.
func (d *Detector) readIntoSet(c *entry, n entry, low uint64) {
	x := d.sets.get(uint32(c.site &^ setFlag))
	es := d.ents.get(x.list)[:x.n]
	for i := len(es) - 1; i >= 0; i-- {
		if es[i].e == n.e && es[i].site == n.site {
			es[i].mask |= n.mask
			return
		}
	}
	if len(es) == listCap(x.list) && len(es) >= d.limits.prune {
		k := 0
		for _, o := range es {
			if sameWarp(o.e, n.e) {
				o.mask &^= n.mask
			}
			if o.mask != 0 && o.e >= low {
				es[k] = o
				k++
			}
		}
		x.n = uint32(k)
	}
	d.addToSet(c.site, n)
	c.e = max(c.e, n.e)
}

// toWriteCells expands a line's write records, oldest first.
func (d *Detector) toWriteCells(sd *Shadow, l *line) *wcells {
	if l.nw == inCells {
		return d.wcs.get(l.wx)
	}
	x := d.wcs.take()
	c := d.wcs.get(x)
	for _, r := range d.writeRecs(l) {
		for m := r.mask; m != 0; m &= m - 1 {
			u := bits.TrailingZeros32(m)
			c[u].set(r.e|uint64(bits.TrailingZeros32(d.recLanes(sd, &r, u)|1<<31)), r.site)
		}
	}
	if l.wx != 0 {
		d.recs.drop(l.wx)
	}
	l.wx, l.nw = x, inCells
	return c
}

// writeByCell checks a weak write against the weak writes before, unit by unit, and
// records it. Reads, strong accesses and ld.global.nc have been checked.
func (d *Detector) writeByCell(a *access) {
	l, e := a.l, a.e
	c := d.toWriteCells(a.sd, l)
	a.torn = d.tornUnits(a, c)
	for m := a.mask; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		lanes := a.lanes(u)
		keep := lanes&(lanes-1) != 0 && d.siblings(a, u, lanes)
		keepOld := false
		var one [1]entry
		old := d.unitWrites(c, u, &one)
		if len(old) > 1 || len(old) == 1 && !a.w.sees(old[0].e, a.sd.in) {
			keepOld = d.writeOverWrites(a, u, lanes, old)
		}
		x := &c[u]
		switch {
		case keepOld:
			s := x.site
			if !x.isSet() {
				s = d.newSet(old...)
			}
			d.writeIntoSet(s, entry{e, lanes, a.site})
			x.set(max(x.e()&^31, e), s)
			continue
		case x.isSet():
			d.dropSet(uint32(x.site &^ setFlag))
		}
		x.set(e|uint64(31-bits.LeadingZeros32(lanes)), a.site)
		if keep {
			x.set(e, d.newSet(entry{e, lanes, a.site}))
		}
	}
	l.w.mask |= a.mask
	l.w.e = max(l.w.e, e|31)
}

// tornUnits is the units whose last write has been overwritten in another unit of the
// element, so that memory no longer shows the value of that write.
func (d *Detector) tornUnits(a *access, c *wcells) (torn uint32) {
	n := d.sites[a.site].Elem >> a.sd.shift
	if n <= 1 {
		return 0
	}
	last := func(u int) (uint64, Site) {
		x := &c[u]
		if x.e() == 0 || !x.isSet() {
			return x.e(), x.site
		}
		es := d.setOf(x.site)
		return es[len(es)-1].e, es[len(es)-1].site | setFlag
	}
	for u := 0; u+n <= shape.LineUnits; u += n {
		e, s := last(u)
		for k := u + 1; k < u+n; k++ {
			if x, y := last(k); x != e || y != s {
				torn |= (1<<n - 1) << u
			}
		}
	}
	return torn
}

// writeIntoSet adds a write to a unit's set of writers; lanes that write again replace
// what they wrote before.
func (d *Detector) writeIntoSet(s Site, n entry) {
	x := d.sets.get(uint32(s &^ setFlag))
	es := d.ents.get(x.list)[:x.n]
	k := 0
	for _, o := range es {
		if sameWarp(o.e, n.e) {
			o.mask &^= n.mask
		}
		switch {
		case o.e == n.e && o.site == n.site:
			n.mask |= o.mask
		case o.mask != 0:
			es[k] = o
			k++
		}
	}
	x.n = uint32(k)
	d.addToSet(s, n)
}

// writeOverWrites reports the unordered pairs of a unit's weak writes and the present
// one. It returns true if the old ones must be kept because all that is wrong with them
// is a write of the same value: another thread may yet meet them unordered.
func (d *Detector) writeOverWrites(a *access, u int, lanes uint32, old []entry) bool {
	keep, hard := false, false
	for _, o := range old {
		mates := sameWarp(o.e, a.w.epoch)
		if (!mates || lanes&(lanes-1) == 0) && a.w.ignores(o.e, a.sd.in) { // pairs are alike but for the new value
			mask := o.mask
			if mates {
				mask &^= lanes
			}
			if mask == 0 {
				continue
			}
			first := o.e | uint64(bits.TrailingZeros32(mask))
			for y := lanes; y != 0; y &= y - 1 {
				lane := bits.TrailingZeros32(y)
				same := d.sameValue(a, u, lane, first, o.site)
				d.reportTimes(a, u, party{first, o.site, true}, lane, unordered, same, bits.OnesCount32(mask))
				keep, hard = keep || same, hard || !same
			}
			continue
		}
		for x := o.mask; x != 0; x &= x - 1 {
			oe := o.e | uint64(bits.TrailingZeros32(x))
			for y := lanes; y != 0; y &= y - 1 {
				lane := bits.TrailingZeros32(y)
				v := a.w.order(oe, lane, a.sd.in)
				if v == ordered {
					continue
				}
				same := d.sameValue(a, u, lane, oe, o.site)
				d.report(a, u, party{oe, o.site, true}, lane, v, same)
				if same {
					keep = true
				} else if v == unordered {
					hard = true
				}
			}
		}
	}
	return keep && !hard
}

// siblings reports the lanes of one store that write one unit; true if all write the same value.
func (d *Detector) siblings(a *access, u int, lanes uint32) bool {
	first := bits.TrailingZeros32(lanes)
	for m := lanes & (lanes - 1); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if !d.equalLanes(a, u, first, l) {
			d.report(a, u, party{a.e | uint64(first), a.site, true}, l, unordered, false)
			return false
		}
	}
	d.report(a, u, party{a.e | uint64(first), a.site, true}, bits.TrailingZeros32(lanes&(lanes-1)), unordered, true)
	return true
}

// checkWrites reports the writes that are not ordered before a weak read.
func (d *Detector) checkWrites(a *access) {
	d.checkWeakWrites(a)
	if a.l.sx != 0 {
		d.checkStrong(a, false)
	}
}

// checkWeakWrites reports the weak writes that are not ordered before an access.
func (d *Detector) checkWeakWrites(a *access) {
	l := a.l
	if m := l.w.mask & a.mask; m != 0 && l.w.e >= a.w.b.low[a.sd.in] {
		if l.nw == inCells {
			c := d.wcs.get(l.wx)
			for ; m != 0; m &= m - 1 {
				u := bits.TrailingZeros32(m)
				var one [1]entry
				d.unitConflict(a, u, d.unitWrites(c, u, &one), true)
			}
		} else if l.nw == 1 {
			d.recConflict(a, &l.w, true)
		} else {
			recs := d.writeRecs(l)
			for i := range recs {
				d.recConflict(a, &recs[i], true)
			}
		}
	}
}

// checkReads reports the weak reads that are not ordered before a weak write.
func (d *Detector) checkReads(a *access) {
	l := a.l
	m := l.r.mask & a.mask
	if m == 0 || l.r.e < a.w.b.low[a.sd.in] {
		return
	}
	if l.nr == 1 {
		d.recConflict(a, &l.r, false)
		return
	}
	if l.nr != inCells {
		recs := d.readRecs(l)
		for i := range recs {
			d.recConflict(a, &recs[i], false)
		}
		return
	}
	c := d.rcs.get(l.rx)
	for ; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		var one [1]entry
		d.unitConflict(a, u, d.unitReads(c, u, &one), false)
	}
}

// recConflict checks a record against the present access.
func (d *Detector) recConflict(a *access, r *rec, write bool) {
	m := r.mask & a.mask
	if m == 0 || a.w.sees(r.e, a.sd.in) || programOrder(r.e, a.e) && a.s.ID != 0 && d.sameMap(a.sd, r, a.s, a.pos) {
		return
	}
	for ; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		one := [1]entry{{r.e, d.recLanes(a.sd, r, u), r.site}}
		d.unitConflict(a, u, one[:], write)
	}
}

// unitConflict reports, once for each older entry, that it is not ordered before the
// lanes of the present access on the unit.
func (d *Detector) unitConflict(a *access, u int, old []entry, write bool) {
	var lanes uint32
	for i := range old {
		o := &old[i]
		if a.w.sees(o.e, a.sd.in) {
			continue
		}
		if lanes == 0 {
			lanes = a.lanes(u)
		}
		if programOrder(o.e, a.e) && o.mask == lanes && lanes&(lanes-1) == 0 {
			continue
		}
		d.pairs(a, u, o, lanes, write)
	}
}

func (d *Detector) pairs(a *access, u int, o *entry, lanes uint32, write bool) {
	found := ordered
	var oe uint64
	var lane int
	for x := o.mask; x != 0; x &= x - 1 {
		e := o.e | uint64(bits.TrailingZeros32(x))
		for y := lanes; y != 0; y &= y - 1 {
			l := bits.TrailingZeros32(y)
			if v := a.w.order(e, l, a.sd.in); v > found {
				if found, oe, lane = v, e, l; v == unordered {
					d.report(a, u, party{oe, o.site, write}, lane, v, false)
					return
				}
			}
		}
	}
	if found != ordered {
		d.report(a, u, party{oe, o.site, write}, lane, found, false)
	}
}

// unorderedWrite reports whether some write record of the line is not ordered before a
// write: then cells must tell the values apart.
func (d *Detector) unorderedWrite(a *access) bool {
	if a.l.nw == 1 {
		return d.recUnordered(a, &a.l.w)
	}
	recs := d.writeRecs(a.l)
	for i := range recs {
		if d.recUnordered(a, &recs[i]) {
			return true
		}
	}
	return false
}

func (d *Detector) recUnordered(a *access, r *rec) bool {
	m := r.mask & a.mask
	if m == 0 || a.w.sees(r.e, a.sd.in) || programOrder(r.e, a.e) && d.sameMap(a.sd, r, a.s, a.pos) {
		return false
	}
	for ; m != 0; m &= m - 1 {
		u := bits.TrailingZeros32(m)
		lane := bits.TrailingZeros32(a.lanes(u))
		if a.w.order(r.e|uint64(bits.TrailingZeros32(d.recLanes(a.sd, r, u))), lane, a.sd.in) != ordered {
			return true
		}
	}
	return false
}

func (d *Detector) splitReadCells(l, n *line, first int) {
	c := d.rcs.get(l.rx)
	var o *rcells
	for k := range shape.LineUnits {
		u := first + k/4
		var one [1]entry
		for _, e := range d.unitReads(c, u, &one) {
			if o == nil {
				n.rx, n.nr = d.rcs.take(), inCells
				o = d.rcs.get(n.rx)
			}
			d.mergeRead(o, k, e)
			n.r.mask |= 1 << k
			n.r.e = max(n.r.e, e.e)
		}
	}
}

func (d *Detector) splitWriteCells(l, n *line, first int) {
	c := d.wcs.get(l.wx)
	var o *wcells
	for k := range shape.LineUnits {
		x := c[first+k/4]
		if x.e() == 0 {
			continue
		}
		if o == nil {
			n.wx, n.nw = d.wcs.take(), inCells
			o = d.wcs.get(n.wx)
		}
		if o[k] = x; x.isSet() {
			o[k].site = d.newSet(d.setOf(x.site)...)
		}
		n.w.mask |= 1 << k
		n.w.e = max(n.w.e, x.e()|31)
	}
}
