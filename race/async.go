package race

import (
	"math/bits"
	"slices"

	"gpusim/shape"
)

// copies is the cp.async groups of a warp's lanes (PTX ISA, "cp.async.commit_group").
// A copy is ordered after what its thread did before; what its thread does next is not
// ordered after it before a wait covers its group. So its accesses are those of another
// thread: the epoch names the lane, is marked asynchronous and has the number of the
// group as its stamp. Groups complete in order, so one number a lane tells which have.
type copies struct {
	group [32]uint32   // the group that copies join now, from 1
	done  [32]uint32   // groups below are complete
	inner [32][]uint32 // groups that no commit ended but an arrival at an mbarrier, ascending
	news  bool         // some has completed since the last block barrier
}

func (c *copies) completed(lane int) uint32 {
	if c == nil {
		return 0
	}
	return c.done[lane&31]
}

// addTo adds what the lanes of mask know about their own groups to a part that is being built.
func (c *copies) addTo(p *part, warp int, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if c.done[l] > 1 {
			t := maxThreads + warp*32 + l
			p.add(t, t, c.done[l])
		}
	}
}

func (w *Warp) copying() *copies {
	if w.copies == nil {
		w.copies = new(copies)
		for l := range w.copies.group {
			w.copies.group[l] = 1
		}
		w.b.dirty = true
	}
	return w.copies
}

// AsyncCopy is one lane's cp.async when it is issued: it reads srcN bytes of src and
// writes n bytes of dst some time before a wait completes. src may be nil if srcN is 0.
func (d *Detector) AsyncCopy(w *Warp, lane int, dst *Shadow, dstOff int64, src *Shadow, srcOff int64, n, srcN int, id Site) {
	if srcN > 0 && src != nil {
		if srcN&(srcN-1) == 0 {
			d.asyncAccess(w, src, d.shapes.Single(lane, srcN), srcOff, id, false)
		} else {
			for i := range srcN {
				d.asyncAccess(w, src, d.shapes.Single(lane, 1), srcOff+int64(i), id, false)
			}
		}
	}
	d.asyncAccess(w, dst, d.shapes.Single(lane, n), dstOff, id, true)
}

// AsyncCopies is AsyncCopy of a whole warp with one pattern for each side; every lane
// reads as many bytes as it writes. Offsets are those of the first active lanes.
func (d *Detector) AsyncCopies(w *Warp, dst *Shadow, to *shape.Shape, dstOff int64, src *Shadow, from *shape.Shape, srcOff int64, id Site) {
	g := w.copying().group[to.First]
	for m := to.Mask; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); w.copies.group[l] != g { // lanes are at different groups
			for m := to.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				d.AsyncCopy(w, l, dst, dstOff+int64(to.Rel[l]), src, srcOff+int64(from.Rel[l]), int(to.Width), int(from.Width), id)
			}
			return
		}
	}
	d.asyncAccess(w, src, from, srcOff, id, false)
	d.asyncAccess(w, dst, to, dstOff, id, true)
}

// asyncAccess records the accesses of copies of one group.
func (d *Detector) asyncAccess(w *Warp, sd *Shadow, s *shape.Shape, off int64, id Site, write bool) {
	g := w.copying().group[s.First]
	if sd.shift != 0 && (s.Width&3 != 0 || (uint64(off)|s.AlignBits)&3 != 0) {
		d.toBytes(sd)
	}
	u := (off + s.Min) >> sd.shift
	al, ln := int(u&31), u>>5
	for k, p := range s.Parts(sd.shift, al) {
		n := ln + int64(p.Line)
		a := at(w, sd, s, sd.line(n), n, uint16(al|k<<5), p.Mask, id)
		a.e = w.b.base | asyncEpoch | uint64(g)<<stampSh | uint64(w.id)<<warpSh
		a.async(d, write)
	}
}

func (a *access) async(d *Detector, write bool) {
	l := a.l
	if !write {
		a.failed = true
		d.checkWrites(a)
		if l.nr == inCells || a.s.ID == 0 {
			d.readByCell(a)
			return
		}
		r := rec{a.e, a.mask, a.site, uint16(a.s.ID), a.pos}
		for _, q := range d.readRecs(l) {
			if q == r {
				return
			}
		}
		if int(l.nr) >= d.limits.readLog && d.compactReads(a.w, a.sd, l, 0) >= d.limits.readLog {
			d.readByCell(a)
			return
		}
		d.addReadRec(l, r, a.mask)
		return
	}
	d.checkReads(a)
	d.checkNC(a)
	d.overwriteStrong(a)
	if l.w.mask&^a.mask == 0 && a.s.Injective && a.s.ID != 0 && l.nw != inCells && !d.unorderedWrite(a) {
		d.dropWrites(l)
		d.addWriteRec(l, rec{a.e, a.mask, a.site, uint16(a.s.ID), a.pos}, a.mask)
		return
	}
	d.writeByCell(a)
}

// AsyncCommit is cp.async.commit_group.
func (w *Warp) AsyncCommit(mask uint32) {
	c := w.copying()
	for m := mask; m != 0; m &= m - 1 {
		if g := &c.group[bits.TrailingZeros32(m)]; *g < maxStamp {
			*g++
		} else {
			w.b.d.fail(ErrStamps)
		}
	}
}

// AsyncWait is cp.async.wait_group n, or wait_all if n is negative, when it has returned.
func (w *Warp) AsyncWait(mask uint32, n int) {
	c := w.copying()
	c.news = true
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		g := c.group[l]
		if n < 0 { // the copies that are in no group yet as well
			c.group[l] = g + 1
			c.done[l] = g + 1
			continue
		}
		c.done[l] = max(c.done[l], c.back(l, g, n))
	}
	w.b.dirty = true
}

// maxInner bounds the memory of a lane that never commits: arrivals further back count as
// commits.
const maxInner = 64

// back is the first group of the n latest that commits have ended before group g, or of g
// itself: an arrival at an mbarrier splits a group, but not for wait_group.
func (c *copies) back(l int, g uint32, n int) uint32 {
	for ; ; n-- {
		for g > 1 && slices.Contains(c.inner[l], g-1) {
			g--
		}
		if n == 0 || g <= 1 {
			return g
		}
		g--
	}
}

// ArriveCopies makes the copies that the lanes have issued so far a source of the phase's
// edges: cp.async.mbarrier.arrive, when they are complete. What the lanes did themselves is
// not handed on.
func (w *Warp) ArriveCopies(p *Phase, mask uint32) {
	c := w.copying()
	k := &part{}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		g := &c.group[l]
		if *g >= maxStamp {
			w.b.d.fail(ErrStamps)
			return
		}
		if c.inner[l] = append(c.inner[l], *g); len(c.inner[l]) > maxInner {
			c.inner[l] = slices.Delete(c.inner[l], 0, 1)
		}
		*g++
		t := maxThreads + w.id*32 + l
		k.add(t, t, *g)
	}
	p.c = join(w.b.uid, p.c, &clock{uid: w.b.uid, own: k})
	w.b.dirty = true
}
