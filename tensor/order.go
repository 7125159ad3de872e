package tensor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// orderKeys are numbers without sign in the order of the elements: zeros are equal, NaN is
// the greatest, as JAX sorts.
func orderKeys(v Value) []uint64 {
	keys := make([]uint64, v.Len())
	for i := range keys {
		switch {
		case v.Type.Float():
			keys[i] = floatKey(v.Float(i))
		case v.Type.Signed():
			keys[i] = uint64(v.Int(i)) ^ 1<<63
		default:
			keys[i] = uint64(v.Int(i))
		}
	}
	return keys
}

func floatKey(x float64) uint64 {
	if x != x {
		return math.MaxUint64
	}
	b := math.Float64bits(x + 0) // turns minus zero into zero
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// lines are the elements along a dimension: how many before it, along it and behind it.
func lines(shape []int, d int) (outer, n, inner int) {
	return Count(shape[:d]), shape[d], Count(shape[d+1:])
}

// argExtreme is the index of the first greatest or least element along a dimension; a NaN is
// either.
func argExtreme(name string, least bool) Primitive {
	return one(name, 1, func(p *Params, out Type, in []Value) (Value, error) {
		a := in[0]
		if len(p.Axes) != 1 || p.Axes[0] < 0 || p.Axes[0] >= len(a.Shape) {
			return Value{}, fmt.Errorf("axes %v of %s", p.Axes, describe(a.Type, a.Shape))
		}
		d := p.Axes[0]
		shape := slices.Delete(slices.Clone(a.Shape), d, d+1)
		if !out.DType.integer() || !sameShape(out.Shape, shape) {
			return Value{}, mismatch(out, I32, shape)
		}
		outer, n, inner := lines(a.Shape, d)
		if n == 0 {
			return Value{}, fmt.Errorf("dimension %d of %s is empty", d, describe(a.Type, a.Shape))
		}
		keys := orderKeys(a)
		v := Make(out.DType, out.Shape)
		for o := range outer {
			for i := range inner {
				at, best := 0, keys[o*n*inner+i]
				for j := 1; j < n && !(a.Type.Float() && best == math.MaxUint64); j++ {
					k := keys[(o*n+j)*inner+i]
					better := k > best
					if least {
						better = k < best || a.Type.Float() && k == math.MaxUint64
					}
					if better {
						at, best = j, k
					}
				}
				v.setBits(o*inner+i, out.DType.wrap(int64(at)))
			}
		}
		return v, nil
	})
}

// sorted sorts the operands together along a dimension, by the first so many of them.
func sorted(p *Params, out []Type, in []Value) ([]Value, error) {
	if len(in) == 0 || len(out) != len(in) {
		return nil, fmt.Errorf("%d operands and %d results", len(in), len(out))
	}
	shape := in[0].Shape
	for i, a := range in {
		if !sameShape(a.Shape, shape) || out[i].DType != a.Type || !sameShape(out[i].Shape, shape) {
			return nil, mismatch(out[i], a.Type, shape)
		}
	}
	if p.Dim < 0 || p.Dim >= len(shape) || p.Keys < 0 || p.Keys > len(in) {
		return nil, fmt.Errorf("dimension %d of %s, %d keys of %d operands", p.Dim, describe(in[0].Type, shape), p.Keys, len(in))
	}
	keys := make([][]uint64, max(p.Keys, 1))
	for i := range keys {
		keys[i] = orderKeys(in[i])
	}
	vs := make([]Value, len(in))
	for i, a := range in {
		vs[i] = Make(a.Type, shape)
	}
	eachLine(shape, p.Dim, func(order []int) {
		from := slices.Clone(order)
		slices.SortStableFunc(order, func(i, j int) int {
			for _, k := range keys {
				if c := cmp.Compare(k[i], k[j]); c != 0 {
					return c
				}
			}
			return 0
		})
		for k, a := range in {
			for i, j := range order {
				vs[k].setBits(from[i], a.bits(j))
			}
		}
	})
	return vs, nil
}

// eachLine calls f with the positions of the elements of each line along a dimension, in a
// slice that f may reorder.
func eachLine(shape []int, d int, f func(at []int)) {
	outer, n, inner := lines(shape, d)
	if n == 0 {
		return
	}
	at := make([]int, n)
	for o := range outer {
		for i := range inner {
			for j := range at {
				at[j] = (o*n+j)*inner + i
			}
			f(at)
		}
	}
}

// topK has the greatest elements along a dimension, greatest first, and their indices.
func topK(p *Params, out []Type, in []Value) ([]Value, error) {
	a, d := in[0], p.Dim
	if d < 0 || d >= len(a.Shape) || len(out[0].Shape) != len(a.Shape) {
		return nil, fmt.Errorf("dimension %d of %s", d, describe(a.Type, a.Shape))
	}
	k := out[0].Shape[d]
	shape := slices.Clone(a.Shape)
	shape[d] = k
	if k > a.Shape[d] || out[0].DType != a.Type || !sameShape(shape, out[0].Shape) || !out[1].DType.integer() || !sameShape(shape, out[1].Shape) {
		return nil, mismatch(out[0], a.Type, shape)
	}
	keys := orderKeys(a)
	values, indices := Make(a.Type, shape), Make(out[1].DType, shape)
	_, n, inner := lines(a.Shape, d)
	eachLine(a.Shape, d, func(order []int) {
		first := order[0]
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(keys[j], keys[i]) })
		base := first/(n*inner)*k*inner + first%inner
		for i, j := range order[:k] {
			values.setBits(base+i*inner, a.bits(j))
			indices.setBits(base+i*inner, indices.Type.wrap(int64((j-first)/inner)))
		}
	})
	return []Value{values, indices}, nil
}

// compareTotal compares floating-point numbers by their total order: minus zero is below
// zero, NaN beyond the infinity of its sign.
func compareTotal(name string, op opcode) Primitive {
	return one(name, 2, func(_ *Params, out Type, in []Value) (Value, error) {
		x, y, err := operands(out, Bool, &in[0], &in[1])
		if err != nil {
			return Value{}, err
		}
		d := in[0].Type
		v := Make(Bool, out.Shape)
		if !d.Float() {
			applyCompare(op, d, v.Data, x, y)
			return v, nil
		}
		applyCompare(op, I64, v.Data, raw(totalKeys(Value{Type: d, Data: x})), raw(totalKeys(Value{Type: d, Data: y})))
		return v, nil
	})
}

func totalKeys(v Value) []int64 {
	keys := make([]int64, v.Len())
	n := 64 - v.Type.Bits()
	for i := range keys {
		k := int64(v.bits(i) << n)
		if k < 0 {
			k ^= math.MaxInt64
		}
		keys[i] = k
	}
	return keys
}
