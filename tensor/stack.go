package tensor

import (
	"fmt"
	"slices"
)

// stack puts operands of one shape behind each other along a new dimension.
func stack(p *Params, out Type, in []Value) (Value, error) {
	d := p.Dim
	if d < 0 || d >= len(out.Shape) || len(in) != out.Shape[d] {
		return Value{}, fmt.Errorf("%d operands along %d are not %s", len(in), d, out)
	}
	part := slices.Delete(slices.Clone(out.Shape), d, d+1)
	step := strides(out.Shape)
	along := step[d]
	step = slices.Delete(step, d, d+1)
	v := Make(out.DType, out.Shape)
	for i, a := range in {
		if a.Type != out.DType || !sameShape(a.Shape, part) {
			return Value{}, mismatch(out, a.Type, a.Shape)
		}
		place(v, a, i*along, step)
	}
	return v, nil
}

// unstack cuts along a dimension, which the parts do not have.
func unstack(p *Params, out []Type, in []Value) ([]Value, error) {
	a, d := in[0], p.Dim
	if d < 0 || d >= len(a.Shape) || len(out) != a.Shape[d] {
		return nil, fmt.Errorf("%s along %d has no %d parts", describe(a.Type, a.Shape), d, len(out))
	}
	part := slices.Delete(slices.Clone(a.Shape), d, d+1)
	step := strides(a.Shape)
	along := step[d]
	step = slices.Delete(step, d, d+1)
	vs := make([]Value, len(out))
	for i, t := range out {
		if t.DType != a.Type || !sameShape(t.Shape, part) {
			return nil, mismatch(t, a.Type, part)
		}
		vs[i] = pick(a, t.Shape, i*along, step)
	}
	return vs, nil
}

// tile repeats the whole operand so many times along each dimension.
func tile(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || len(p.Sizes) != len(a.Shape) || len(out.Shape) != len(a.Shape) {
		return Value{}, fmt.Errorf("%s repeated by %v is not %s", describe(a.Type, a.Shape), p.Sizes, out)
	}
	own := strides(a.Shape)
	var shape, step []int
	for i, n := range p.Sizes {
		if n < 0 || n > maxBytes || n*a.Shape[i] != out.Shape[i] {
			return Value{}, fmt.Errorf("%s repeated by %v is not %s", describe(a.Type, a.Shape), p.Sizes, out)
		}
		shape, step = append(shape, n, a.Shape[i]), append(step, 0, own[i])
	}
	return pick(a, shape, 0, step).WithShape(out.Shape), nil
}
