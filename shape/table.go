package shape

import (
	"cmp"
	"math/bits"
	"slices"
)

// MaxID bounds the number of interned shapes, so that an identifier fits 16 bits.
// Further patterns get ID 0 and are not kept.
const MaxID = 1<<16 - 1

// Table interns shapes by content. It is not safe for concurrent use.
type Table struct {
	byKey  map[key]*Shape
	byID   []*Shape
	single [32][6]*Shape // one-lane shapes for widths 1, 2, 4, 8, 16, 32
}

type key struct {
	mask  uint32
	width int32
	rel   Lanes
}

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{byKey: map[key]*Shape{}, byID: []*Shape{nil}}
	var a Lanes
	for l := range t.single {
		for w := range t.single[l] {
			t.single[l][w] = t.Of(&a, 1<<l, 1<<w)
		}
	}
	return t
}

// Single is the shape of one lane's access of a width that is a power of two up to 32.
func (t *Table) Single(lane, width int) *Shape {
	return t.single[lane&31][bits.TrailingZeros32(uint32(width))]
}

// ByID returns the interned shape with an identifier, nil for 0.
func (t *Table) ByID(id uint32) *Shape { return t.byID[id] }

// Len is the number of interned shapes.
func (t *Table) Len() int { return len(t.byID) - 1 }

// Of returns the shape of the active lanes' addresses. mask must not be 0.
func (t *Table) Of(a *Lanes, mask uint32, width int) *Shape {
	k := key{mask: mask, width: int32(width)}
	f := bits.TrailingZeros32(mask)
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		k.rel[l] = a[l] - a[f]
	}
	if s := t.byKey[k]; s != nil {
		return s
	}
	s := build(k, f)
	if len(t.byID) <= MaxID {
		s.ID = uint32(len(t.byID))
		t.byID = append(t.byID, s)
		t.byKey[k] = s
	}
	return s
}

func build(k key, first int) *Shape {
	s := &Shape{Rel: k.rel, Mask: k.mask, Width: k.width, First: int32(first), Affine: true, Injective: true}
	w := int64(k.width)
	var offs []int64
	for m := k.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		d := int64(k.rel[l])
		s.Min, s.End = min(s.Min, d), max(s.End, d+w)
		s.AlignBits |= k.rel[l]
		if d != w*int64(l-first) {
			s.Affine = false
		}
		offs = append(offs, d)
	}
	s.Uniform = s.End-s.Min == w
	s.Consecutive = s.Affine && k.mask == Full
	if k.mask == Full {
		s.Half = [2]uint8{halfClass(k.rel[:16], uint64(w)), halfClass(k.rel[16:], uint64(w))}
	}
	slices.SortFunc(offs, func(a, b int64) int { return cmp.Compare(a, b) })
	for i, d := range offs {
		if i > 0 && d < offs[i-1]+w {
			s.Injective = false
		}
		o := d - s.Min
		if n := len(s.Span); n > 0 && o <= s.Span[n-1].Off+s.Span[n-1].Len {
			s.Span[n-1].Len = max(s.Span[n-1].Len, o+w-s.Span[n-1].Off)
		} else {
			s.Span = append(s.Span, Run{o, w})
		}
	}
	s.traffic()
	return s
}

func halfClass(rel []uint64, w uint64) uint8 {
	cons, unif := true, true
	for i, r := range rel {
		d := r - rel[0]
		cons = cons && d == uint64(i)*w
		unif = unif && d == 0
	}
	switch {
	case cons:
		return HalfConsecutive
	case unif:
		return HalfUniform
	}
	return HalfOther
}
