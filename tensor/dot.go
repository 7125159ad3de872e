package tensor

import (
	"fmt"
	"slices"
)

// dotGeneral multiplies along contracted dimensions: the result has the batch dimensions,
// then the free ones of the left and of the right. Its type is the accumulator's.
func dotGeneral(p *Params, out Type, in []Value) (Value, error) {
	a, b := in[0], in[1]
	d := p.Dot
	bad := func() (Value, error) {
		return Value{}, fmt.Errorf("%s and %s along %v do not give %s", describe(a.Type, a.Shape), describe(b.Type, b.Shape), d, out)
	}
	if !distinct(slices.Concat(d[2], d[0]), len(a.Shape)) || !distinct(slices.Concat(d[3], d[1]), len(b.Shape)) ||
		!equalExtents(a, d[0], b, d[1]) || !equalExtents(a, d[2], b, d[3]) {
		return bad()
	}
	if out.DType == Bool || a.Type == Bool || b.Type == Bool {
		return Value{}, unsupported(Bool)
	}
	freeA, freeB := free(a, d[2], d[0]), free(b, d[3], d[1])
	shape := slices.Concat(extents(a, d[2]), extents(a, freeA), extents(b, freeB))
	if !sameShape(shape, out.Shape) {
		return bad()
	}
	a2 := permute(a, slices.Concat(d[2], freeA, d[0]))
	b2 := permute(b, slices.Concat(d[3], d[1], freeB))
	v := Make(out.DType, out.Shape)
	batch, m, n, k := Count(extents(a, d[2])), Count(extents(a, freeA)), Count(extents(b, freeB)), Count(extents(a, d[0]))
	multiply(v, a2, b2, batch, m, n, k)
	return v, nil
}

func equalExtents(a Value, da []int, b Value, db []int) bool {
	return slices.Equal(extents(a, da), extents(b, db))
}

func extents(v Value, dims []int) []int {
	s := make([]int, len(dims))
	for i, d := range dims {
		s[i] = v.Shape[d]
	}
	return s
}

// free are the dimensions of v that are neither of two lists.
func free(v Value, batch, contracted []int) []int {
	var s []int
	for i := range v.Shape {
		if !slices.Contains(batch, i) && !slices.Contains(contracted, i) {
			s = append(s, i)
		}
	}
	return s
}
