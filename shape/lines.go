package shape

import (
	"math/bits"
	"sort"
)

// LineUnits is the number of units in a line of shadow memory.
const LineUnits = 32

// Part is what a pattern touches of one line: a unit is 1<<shift bytes, a line 32 units.
type Part struct {
	Line int32  // relative to the line of the pattern's lowest byte
	Mask uint32 // units of the line that are touched
}

// geometry is a pattern seen in units of one size, made when it is first asked for.
type geometry struct {
	parts [LineUnits][]Part
	units []int64  // distinct units relative to Min, sorted
	lanes []uint32 // the lanes on each
	width int64    // units a lane
}

// Parts lists the lines that the pattern touches, lowest first. shift is 0 (bytes) or 2
// (words; every address must be a multiple of 4), al the place of the lowest unit in
// its line.
func (s *Shape) Parts(shift uint8, al int) []Part {
	if g := s.geo[shift>>1&1]; g != nil && g.parts[al&31] != nil {
		return g.parts[al&31]
	}
	return s.buildParts(shift, al&31)
}

// LanesAt is the set of lanes that touch a unit, given relative to the lowest one.
func (s *Shape) LanesAt(shift uint8, unit int64) uint32 {
	g := s.geometry(shift)
	if s.Affine && s.Mask == Full { // a division instead of a search
		if l := uint64(unit / g.width); unit >= 0 && l < 32 {
			return 1 << l
		}
		return 0
	}
	i := sort.Search(len(g.units), func(i int) bool { return g.units[i] >= unit })
	if i < len(g.units) && g.units[i] == unit {
		return g.lanes[i]
	}
	return 0
}

func (s *Shape) geometry(shift uint8) *geometry {
	if g := s.geo[shift>>1&1]; g != nil {
		return g
	}
	g := &geometry{width: max(int64(s.Width)>>shift, 1)}
	on := map[int64]uint32{}
	for l := range s.Rel {
		if s.Mask>>l&1 == 0 {
			continue
		}
		u := (int64(s.Rel[l]) - s.Min) >> shift
		for k := range g.width {
			on[u+k] |= 1 << l
		}
	}
	for u := range on {
		g.units = append(g.units, u)
	}
	sort.Slice(g.units, func(i, j int) bool { return g.units[i] < g.units[j] })
	for _, u := range g.units {
		g.lanes = append(g.lanes, on[u])
	}
	s.geo[shift>>1&1] = g
	return g
}

func (s *Shape) buildParts(shift uint8, al int) []Part {
	g := s.geometry(shift)
	var ps []Part
	for _, u := range g.units {
		at := int64(al) + u
		line := int32(at >> 5)
		if n := len(ps); n == 0 || ps[n-1].Line != line {
			ps = append(ps, Part{Line: line})
		}
		ps[len(ps)-1].Mask |= 1 << uint(at&31)
	}
	g.parts[al] = ps
	return ps
}

// Once returns a shape that is not interned (ID 0): a pattern that will hardly come back.
func Once(a *Lanes, mask uint32, width int) *Shape {
	k := key{mask: mask, width: int32(width)}
	f := bits.TrailingZeros32(mask)
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		k.rel[l] = a[l] - a[f]
	}
	return build(k, f)
}

// UnitsOf is the units of a line that some lanes touch, if the pattern's lowest unit is at
// start, relative to the line.
func (s *Shape) UnitsOf(shift uint8, start int64, lanes uint32) uint32 {
	width := max(int64(s.Width)>>shift, 1)
	lanes &= s.Mask
	if s.Affine && width == 1 { // lane l is at unit start + l - First
		k := start - int64(s.First)
		switch {
		case k <= -LineUnits || k >= LineUnits:
			return 0
		case k < 0:
			return lanes >> uint(-k)
		}
		return lanes << uint(k)
	}
	var units uint64
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		u := (int64(s.Rel[l])-s.Min)>>shift + start
		if u > -width && u < LineUnits {
			run := uint64(1)<<uint(width) - 1
			if u < 0 {
				units |= run >> uint(-u)
			} else {
				units |= run << uint(u)
			}
		}
	}
	return uint32(units)
}
