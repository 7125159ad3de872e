package race

import (
	"cmp"
	"math/bits"
	"slices"

	"gpusim/shape"
)

// compactFrom is the length from which a full log in shared memory is searched for records to
// drop. In global memory blocks that are gone often make a short one superfluous.
const compactFrom = 16

// readRecs is the read records of a line that has no read cells.
func (d *Detector) readRecs(l *line) []rec {
	switch l.nr {
	case 0:
		return nil
	case 1:
		return []rec{l.r}
	}
	return d.recs.get(l.rx)[:l.nr]
}

func (d *Detector) writeRecs(l *line) []rec {
	switch l.nw {
	case 0:
		return nil
	case 1:
		return []rec{l.w}
	}
	return d.recs.get(l.wx)[:l.nw]
}

func (d *Detector) dropReads(l *line) {
	if l.nr == inCells {
		c := d.rcs.get(l.rx)
		for i := range c {
			if x := &c[i]; x.e != 0 && x.isSet() {
				d.dropSet(uint32(x.site &^ setFlag))
			}
		}
		d.rcs.drop(l.rx)
	} else if l.rx != 0 {
		d.recs.drop(l.rx)
	}
	l.nr, l.rx, l.r.mask, l.lost, l.r.e = 0, 0, 0, 0, 0
}

func (d *Detector) dropWrites(l *line) {
	if l.nw == inCells {
		c := d.wcs.get(l.wx)
		for i := range c {
			if x := &c[i]; x.isSet() {
				d.dropSet(uint32(x.site &^ setFlag))
			}
		}
		d.wcs.drop(l.wx)
	} else if l.wx != 0 {
		d.recs.drop(l.wx)
	}
	l.nw, l.wx, l.w.mask, l.w.e = 0, 0, 0, 0
}

// forgetReads drops records but keeps their list for the next ones.
func (d *Detector) forgetReads(l *line) {
	if l.nr == inCells {
		d.dropReads(l)
	}
	l.nr, l.r.mask, l.lost, l.r.e = 0, 0, 0, 0
}

// appendRead adds a read record to a line that has one that must be kept.
func (d *Detector) appendRead(w *Warp, sd *Shadow, l *line, s *shape.Shape, li int64, pos uint16, mask uint32, id Site) {
	r := rec{w.epoch, mask, id, uint16(s.ID), pos}
	if l.r.e&asyncEpoch != 0 {
		if d.settleReads(w.b, sd, l); l.nr == 0 {
			l.r, l.nr = r, 1
			return
		}
	}
	if l.nr == 1 {
		if l.r.mask&mask == mask && d.gone(l.r.e) {
			l.lost = l.r.mask
			return
		}
		if sameWarp(l.r.e, w.epoch) && l.r.mask&^mask == 0 && d.sameMap(sd, &l.r, s, pos) {
			l.r, l.r.mask = r, mask // these lanes read at least the same again
			return
		}
	}
	if l.nr == inCells {
		a := at(w, sd, s, l, li, pos, mask, id)
		d.readByCell(&a)
		return
	}
	n := int(l.nr)
	if n > 1 {
		lg := d.recs.get(l.rx)
		for k := n - 1; k >= 0 && k >= n-2; k-- {
			if q := &lg[k]; q.sh == r.sh && q.pos == pos && q.mask&^mask == 0 && sameWarp(q.e, r.e) {
				*q = r
				l.r.e = max(l.r.e, r.e)
				return
			}
		}
		if n == len(lg) && (n >= min(compactFrom, d.limits.readLog) || sd.in == inGlobal) {
			if n = d.compactReads(w, sd, l, mask); n < 0 {
				return
			}
			if n == len(lg) && n >= d.limits.readLog && !d.worthLog(lg) {
				a := at(w, sd, s, l, li, pos, mask, id)
				d.readByCell(&a)
				return
			}
		}
	}
	d.addReadRec(l, r, mask)
}

// worthLog reports whether a full log still is smaller than cells would be: records of
// many lanes, of many blocks that released what they read.
func (d *Detector) worthLog(lg []rec) bool {
	if len(lg) >= 1<<14 || len(d.released) == 0 {
		return false
	}
	n := 0
	for i := range lg {
		n += bits.OnesCount32(lg[i].mask)
	}
	return n > 8*len(lg)
}

// addReadRec appends a record.
func (d *Detector) addReadRec(l *line, r rec, mask uint32) { d.appendRec(&l.r, &l.nr, &l.rx, r, mask) }

// addWriteRec appends a record.
func (d *Detector) addWriteRec(l *line, r rec, mask uint32) { d.appendRec(&l.w, &l.nw, &l.wx, r, mask) }

// appendRec appends to the reads or writes of a line: head is the only record, or sums up those
// of the list.
func (d *Detector) appendRec(head *rec, count *uint16, list *uint32, r rec, mask uint32) {
	n := int(*count)
	switch n {
	case 0:
		*head, *count = r, 1
		return
	case 1:
		if *list == 0 {
			*list = d.recs.take(2)
		}
		d.recs.get(*list)[0] = *head
	default:
		if n == listCap(*list) {
			*list = d.recs.grow(*list)
		}
	}
	d.recs.get(*list)[n] = r
	*count++
	head.mask |= mask
	head.e = max(head.e, r.e)
}

// compactReads drops records that others make superfluous. It returns the number left,
// or -1 if the read of mask that is about to be added is superfluous too.
func (d *Detector) compactReads(w *Warp, sd *Shadow, l *line, mask uint32) int {
	lg := d.recs.get(l.rx)[:l.nr]
	if len(lg) > 64 { // newest first among equal patterns of one warp
		slices.SortStableFunc(lg, func(a, b rec) int {
			return cmp.Or(cmp.Compare(a.e&^stampBits, b.e&^stampBits), cmp.Compare(a.sh, b.sh), cmp.Compare(a.pos, b.pos), cmp.Compare(b.e, a.e))
		})
	}
	// units that a block which is gone has read: any write of them is a race already
	var lost uint32
	n := 0
	for _, r := range lg {
		if w.b.settled(r.e, sd.in, true) || replaced(lg[:n], &r) {
			continue
		}
		m := r.mask
		if m&^lost == 0 {
			continue
		}
		if d.gone(r.e) {
			lost |= m
		}
		lg[n] = r
		n++
	}
	l.nr, l.lost = uint16(n), lost
	if mask != 0 && mask&^lost == 0 {
		d.shrinkReads(l, lg[:n])
		return -1
	}
	if n <= 1 {
		d.shrinkReads(l, lg[:n])
		return n
	}
	return n
}

// replaced puts a record in the place of an older one of the same warp and pattern, if
// there is one in a list (in a sorted list: the last).
func replaced(lg []rec, r *rec) bool {
	first := 0
	if len(lg) > 64 {
		first = len(lg) - 1
	}
	for i := first; i < len(lg); i++ {
		if q := &lg[i]; q.sh == r.sh && q.pos == r.pos && sameWarp(q.e, r.e) {
			if r.e >= q.e && q.mask&^r.mask == 0 {
				*q = *r
				return true
			}
			if q.e >= r.e && r.mask&^q.mask == 0 {
				return true
			}
		}
	}
	return false
}

// shrinkReads makes a log with at most one record the line's only record.
func (d *Detector) shrinkReads(l *line, lg []rec) {
	if len(lg) > 1 {
		return
	}
	if len(lg) == 1 {
		l.r = lg[0]
	}
	l.nr = uint16(len(lg))
}

// appendWrite adds a write record to a line that keeps others.
func (d *Detector) appendWrite(w *Warp, sd *Shadow, l *line, s *shape.Shape, li int64, pos uint16, mask uint32, id Site) {
	r := rec{w.epoch, mask, id, uint16(s.ID), pos}
	if l.nw > 1 && l.nw != inCells {
		lg := d.recs.get(l.wx)[:l.nw]
		n := 0
		for _, q := range lg { // what the new record covers, or what is ordered for everyone
			if q.e >= w.b.low[sd.in] && q.mask&^mask != 0 {
				lg[n] = q
				n++
			}
		}
		l.nw = uint16(n)
		if n == 1 {
			l.w = lg[0]
		}
	}
	if l.nw == inCells || int(l.nw) >= d.limits.writeLog[sd.in] {
		a := at(w, sd, s, l, li, pos, mask, id)
		d.writeByCell(&a)
		return
	}
	d.addWriteRec(l, r, mask)
}
