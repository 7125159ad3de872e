package race

import "gpusim/shape"

// access is one warp-wide access to one line, for everything off the fast path.
type access struct {
	w     *Warp
	sd    *Shadow
	s     *shape.Shape
	l     *line
	li    int64 // number of the line in the shadow
	start int64 // unit, relative to the line, of the shape's lowest byte
	mask  uint32
	site  Site
	pos   uint16
	e     uint64 // epoch of the access, lane 0

	failed bool   // a cas that did not write
	strong uint32 // units whose last write was strong
	torn   uint32 // units where memory no longer shows the value of the last write
}

// at is the access of one part of a shape.
func at(w *Warp, sd *Shadow, s *shape.Shape, l *line, li int64, pos uint16, mask uint32, id Site) access {
	return access{w: w, sd: sd, s: s, l: l, li: li, start: recStart(s, sd.shift, pos), mask: mask, site: id, pos: pos, e: w.epoch}
}

func (a *access) lanes(c int) uint32 { return a.s.LanesAt(a.sd.shift, int64(c)-a.start) }

// Access records weak loads or stores of a whole warp (the shape's mask) before the data
// moves. off is the byte offset in the buffer of the first active lane's access.
func (d *Detector) Access(w *Warp, sd *Shadow, s *shape.Shape, off int64, id Site) {
	if sd.shift != 0 && (s.Width&3 != 0 || (uint64(off)|s.AlignBits)&3 != 0) {
		d.toBytes(sd)
	}
	u := (off + s.Min) >> sd.shift
	al, ln := int(u&31), u>>5
	w.touched |= s.Mask
	parts := s.Parts(sd.shift, al)
	st := &d.sites[id]
	if s.ID == 0 || st.NonCoherent || st.write && !s.Injective {
		d.unusual(w, sd, s, parts, al, ln, id)
		return
	}
	if s.Mask == shape.Full && s.Injective {
		d.whole = s
	}
	if st.write {
		d.writeLines(w, sd, s, parts, al, ln, id)
	} else {
		d.readLines(w, sd, s, parts, al, ln, id)
	}
}

// readLines is read for every line of an access, with the usual cases in place: nothing
// written since everything was ordered, and the record is the first, the same as before,
// or one more in the log.
func (d *Detector) readLines(w *Warp, sd *Shadow, s *shape.Shape, parts []shape.Part, al int, ln int64, id Site) {
	b := w.b
	low, base, span, e, sh := b.low[sd.in&1], b.base, b.span, w.epoch, uint16(s.ID)
	pages := sd.pages
	for k := range parts {
		p := &parts[k]
		n := ln + int64(p.Line)
		mask, pos := p.Mask, uint16(al|k<<5)
		var l *line
		if i := uint64(n) / pageLines; i < uint64(len(pages)) && pages[i] != nil {
			l = &pages[i][uint64(n)%pageLines]
		} else {
			l = sd.newLine(n)
			pages = sd.pages
		}
		r := &l.r
		if l.sx != 0 || l.w.mask&mask != 0 && l.w.e >= low && (l.nw != 1 || l.w.e-base >= span) {
			d.read(w, sd, l, s, n, pos, mask, id)
			continue
		}
		switch {
		case l.nr == 1 && r.sh == sh && r.pos == pos && r.mask == mask && sameWarp(r.e, e):
			r.e, r.site = e, id
		case l.nr == 0 || r.e < low && l.nr != inCells:
			r.set(e, mask, id, sh, pos)
			l.nr, l.lost = 1, 0
		case mask&^l.lost == 0 && r.e >= low && r.e&asyncEpoch == 0:
			// any write will race with a read before
		case l.nr < 2 || l.nr == inCells || r.e&asyncEpoch != 0 || int(l.nr) == listCap(l.rx):
			d.read(w, sd, l, s, n, pos, mask, id)
		default:
			lg := d.recs.last(l.rx, int(l.nr))
			q := &lg[1]
			if q.pos != pos || q.sh != sh || q.mask != mask || !sameWarp(q.e, e) {
				q = &lg[0]
			}
			if q.pos == pos && q.sh == sh && q.mask == mask && sameWarp(q.e, e) {
				q.e, q.site = e, id
			} else {
				lg[2].set(e, mask, id, sh, pos)
				l.nr++
				r.mask |= mask
			}
			r.e = max(r.e, e)
		}
	}
}

// writeLines is write for every line of an access, with the usual case in place: reads
// and writes before are ordered, and the new record covers the old one.
func (d *Detector) writeLines(w *Warp, sd *Shadow, s *shape.Shape, parts []shape.Part, al int, ln int64, id Site) {
	b := w.b
	low, base, span, e, sh := b.low[sd.in], b.base, b.span, w.epoch, uint16(s.ID)
	for k := range parts {
		p := &parts[k]
		n := ln + int64(p.Line)
		l := sd.line(n)
		pos := uint16(al | k<<5)
		r, o := &l.r, &l.w
		if l.sx|l.ncx == 0 &&
			(l.nr == 0 || l.nr == 1 && (r.e < low || r.e-base < span || r.sh == sh && r.pos == pos && sameWarp(r.e, e)) || r.e < low && l.nr != inCells) &&
			(l.nw == 0 || o.e < low && l.nw != inCells || l.nw == 1 && l.w.mask&^p.Mask == 0 && (o.e-base < span || o.sh == sh && o.pos == pos && sameWarp(o.e, e))) {
			if r.e < low {
				l.nr, l.r.mask, l.lost, r.e = 0, 0, 0, 0
			}
			o.set(e, p.Mask, id, sh, pos)
			l.nw = 1
			continue
		}
		d.write(w, sd, l, s, n, pos, p.Mask, id)
	}
}

// unusual handles accesses that cannot be kept as records: they go to cells.
func (d *Detector) unusual(w *Warp, sd *Shadow, s *shape.Shape, parts []shape.Part, al int, ln int64, id Site) {
	for k := range parts {
		p := &parts[k]
		n := ln + int64(p.Line)
		a := at(w, sd, s, sd.line(n), n, uint16(al|k<<5), p.Mask, id)
		switch {
		case d.sites[id].NonCoherent:
			d.readNC(&a)
		case d.sites[id].write:
			d.checkReads(&a)
			d.checkNC(&a)
			a.strong = d.overwriteStrong(&a)
			d.writeByCell(&a)
		default:
			d.checkWrites(&a)
			d.readByCell(&a)
		}
	}
}

// read is a weak read of one line.
func (d *Detector) read(w *Warp, sd *Shadow, l *line, s *shape.Shape, li int64, pos uint16, mask uint32, id Site) {
	b := w.b
	low := b.low[sd.in]
	e := w.epoch
	if l.w.mask&mask != 0 && l.w.e >= low && (l.nw != 1 || l.w.e-b.base >= b.span && !(sameWarp(l.w.e, e) && d.sameMap(sd, &l.w, s, pos))) || l.sx != 0 {
		if l.nw != 1 || l.sx != 0 || !w.sees(l.w.e, sd.in) {
			d.settleWrites(b, sd, l)
			a := at(w, sd, s, l, li, pos, mask, id)
			d.checkWrites(&a)
		}
	}
	r := &l.r
	if l.nr == 1 && r.sh == uint16(s.ID) && r.pos == pos && r.mask == mask && sameWarp(r.e, e) {
		r.e, r.site = e, id // the same lanes on the same units again
		return
	}
	if l.nr == 0 || r.e < low {
		if l.nr == inCells {
			d.dropReads(l)
		}
		r.set(e, mask, id, uint16(s.ID), pos)
		l.nr, l.lost = 1, 0
		return
	}
	if mask&^l.lost == 0 && r.e&asyncEpoch == 0 {
		return // any write will race with a read before: one example is enough
	}
	d.appendRead(w, sd, l, s, li, pos, mask, id)
}

// write is a weak write of one line; no two of its lanes touch a common unit.
func (d *Detector) write(w *Warp, sd *Shadow, l *line, s *shape.Shape, li int64, pos uint16, mask uint32, id Site) {
	b := w.b
	low := b.low[sd.in]
	e := w.epoch
	if l.nr != 0 {
		if l.r.e < low {
			d.forgetReads(l)
		} else if l.r.mask&mask != 0 && (l.nr != 1 || l.r.e-b.base >= b.span && !(sameWarp(l.r.e, e) && d.sameMap(sd, &l.r, s, pos))) {
			if l.nr != 1 || !w.sees(l.r.e, sd.in) {
				d.settleReads(b, sd, l)
				a := at(w, sd, s, l, li, pos, mask, id)
				d.checkReads(&a)
			}
		}
	}
	var strong uint32
	if l.sx|l.ncx != 0 {
		a := at(w, sd, s, l, li, pos, mask, id)
		d.checkNC(&a)
		strong = d.overwriteStrong(&a)
	}
	if l.nw != 0 {
		if l.w.e&asyncEpoch != 0 {
			d.settleWrites(b, sd, l)
		}
		if l.w.e >= low {
			if l.w.mask&mask != 0 && (l.nw != 1 || l.w.e-b.base >= b.span && !(sameWarp(l.w.e, e) && d.sameMap(sd, &l.w, s, pos)) && !w.sees(l.w.e, sd.in)) {
				a := at(w, sd, s, l, li, pos, mask, id)
				a.strong = strong
				if l.nw == inCells || d.unorderedWrite(&a) {
					d.writeByCell(&a)
					return
				}
			}
			if l.w.mask&^mask != 0 {
				d.appendWrite(w, sd, l, s, li, pos, mask, id)
				return
			}
		}
		if l.nw == inCells {
			d.dropWrites(l)
		}
	}
	l.w.set(e, mask, id, uint16(s.ID), pos)
	l.nw = 1
}

// sameMap reports whether a record has, on every unit that both touch, the same lane.
func (d *Detector) sameMap(sd *Shadow, r *rec, s *shape.Shape, pos uint16) bool {
	if uint32(r.sh) == s.ID && r.pos == pos {
		return s.Injective
	}
	q := d.shapes.ByID(uint32(r.sh))
	if !q.Affine || !s.Affine || q.Width != s.Width {
		return false
	}
	// lane 0 of an affine pattern would start First lanes before its start
	k := int64(max(q.Width>>sd.shift, 1))
	return recStart(q, sd.shift, r.pos)-int64(q.First)*k == recStart(s, sd.shift, pos)-int64(s.First)*k
}
