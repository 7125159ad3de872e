package race

import (
	"math/bits"

	"gpusim/shape"
)

// follows reports whether the active lanes' offsets are those of a pattern of the whole
// warp: if (x > 0) out[i] = x. Such masks are data and never come back, the pattern does.
func follows(s *shape.Shape, off *[32]int64, mask uint32) bool {
	f := bits.TrailingZeros32(mask) & 31
	base := off[f] - int64(s.Rel[f])
	for m := mask & (mask - 1); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		if off[l]-int64(s.Rel[l]) != base {
			return false
		}
	}
	return true
}

// pattern finds a pattern of the whole warp that some lanes follow: that of the last
// whole access, or consecutive elements.
func (d *Detector) pattern(off *[32]int64, mask uint32, width int) *shape.Shape {
	if s := d.whole; s != nil && int(s.Width) == width && follows(s, off, mask) {
		return s
	}
	i := bits.TrailingZeros32(uint32(width))
	if i >= len(d.rows) {
		return nil
	}
	if d.rows[i] == nil {
		var a shape.Lanes
		for l := range a {
			a[l] = uint64(l * width)
		}
		d.rows[i] = d.shapes.Of(&a, shape.Full, width)
	}
	if s := d.rows[i]; s.ID != 0 && follows(s, off, mask) {
		return s
	}
	return nil
}

// accessSome is Access of some lanes of a pattern without overlaps.
func (d *Detector) accessSome(w *Warp, sd *Shadow, s *shape.Shape, off *[32]int64, mask uint32, id Site) {
	f := bits.TrailingZeros32(mask) & 31
	u := (off[f] - int64(s.Rel[f]) + s.Min) >> sd.shift
	al, ln := int(u&31), u>>5
	write := d.sites[id].write
	w.touched |= mask
	for k, p := range s.Parts(sd.shift, al) {
		start := int64(al) - int64(p.Line)*shape.LineUnits
		units := p.Mask & s.UnitsOf(sd.shift, start, mask)
		if units == 0 {
			continue
		}
		n := ln + int64(p.Line)
		if write {
			d.write(w, sd, sd.line(n), s, n, uint16(al|k<<5), units, id)
		} else {
			d.read(w, sd, sd.line(n), s, n, uint16(al|k<<5), units, id)
		}
	}
}
