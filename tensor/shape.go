package tensor

import (
	"fmt"
	"slices"
)

// sameShape is slices.Equal, quick for scalars.
func sameShape(a, b []int) bool {
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	return slices.Equal(a, b)
}

// identity gives the operands as they are.
func identity(_ *Params, out []Type, in []Value) ([]Value, error) {
	if len(out) > len(in) {
		return nil, fmt.Errorf("%d results of %d operands", len(out), len(in))
	}
	vs := make([]Value, len(out))
	for i := range out {
		if out[i].DType != in[i].Type || !sameShape(out[i].Shape, in[i].Shape) {
			return nil, mismatch(out[i], in[i].Type, in[i].Shape)
		}
		vs[i] = in[i]
	}
	return vs, nil
}

// reshape, squeeze and expand_dims have the same elements in the result's shape.
func reshape(_ *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || Count(out.Shape) != a.Len() {
		return Value{}, fmt.Errorf("%s is not %s reshaped", out, describe(a.Type, a.Shape))
	}
	return a.WithShape(out.Shape), nil
}

// broadcastInDim repeats the operand along the dimensions that it does not have, and where
// its extent is 1.
func broadcastInDim(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || len(p.Axes) != len(a.Shape) {
		return Value{}, fmt.Errorf("%s along %v is not %s", describe(a.Type, a.Shape), p.Axes, out)
	}
	step := make([]int, len(out.Shape))
	s := strides(a.Shape)
	last := -1
	for i, d := range p.Axes {
		if d <= last || d >= len(out.Shape) || a.Shape[i] != 1 && a.Shape[i] != out.Shape[d] {
			return Value{}, fmt.Errorf("%s along %v is not %s", describe(a.Type, a.Shape), p.Axes, out)
		}
		last = d
		if a.Shape[i] > 1 {
			step[d] = s[i]
		}
	}
	if a.Len() == Count(out.Shape) {
		return a.WithShape(out.Shape), nil
	}
	return pick(a, out.Shape, 0, step), nil
}

// transpose permutes dimensions.
func transpose(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if !permutation(p.Axes, len(a.Shape)) {
		return Value{}, fmt.Errorf("%v is no permutation of the dimensions of %s", p.Axes, describe(a.Type, a.Shape))
	}
	v := permute(a, p.Axes)
	if out.DType != v.Type || !sameShape(out.Shape, v.Shape) {
		return Value{}, mismatch(out, v.Type, v.Shape)
	}
	return v, nil
}

func permutation(axes []int, n int) bool {
	return len(axes) == n && distinct(axes, n)
}

// distinct reports whether axes are different numbers below n.
func distinct(axes []int, n int) bool {
	for i, a := range axes {
		if a < 0 || a >= n || slices.Contains(axes[:i], a) {
			return false
		}
	}
	return true
}

// permute brings dimension axes[i] to place i.
func permute(v Value, axes []int) Value {
	s := strides(v.Shape)
	shape, step := make([]int, len(axes)), make([]int, len(axes))
	moved, last := false, -1
	for i, a := range axes {
		shape[i], step[i] = v.Shape[a], s[a]
		if v.Shape[a] != 1 {
			moved = moved || a < last
			last = a
		}
	}
	if !moved {
		return v.WithShape(shape)
	}
	return pick(v, shape, 0, step)
}

// rev reverses dimensions.
func rev(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, a.Type, a.Shape)
	}
	if !distinct(p.Axes, len(a.Shape)) {
		return Value{}, fmt.Errorf("%v are no dimensions of %s", p.Axes, out)
	}
	step := strides(a.Shape)
	base := 0
	for _, d := range p.Axes {
		base += (a.Shape[d] - 1) * step[d]
		step[d] = -step[d]
	}
	return pick(a, out.Shape, base, step), nil
}

// iota counts along a dimension.
func iota_(p *Params, out Type, _ []Value) (Value, error) {
	d := p.Dim
	if d < 0 || d >= len(out.Shape) {
		return Value{}, fmt.Errorf("%s has no dimension %d", out, d)
	}
	if out.DType == Bool {
		return Value{}, unsupported(Bool)
	}
	n := out.Shape[d]
	line := Make(I64, []int{n})
	for i, s := 0, As[int64](line); i < n; i++ {
		s[i] = int64(i)
	}
	step := make([]int, len(out.Shape))
	step[d] = 1
	return pick(convertTo(line, out.DType), out.Shape, 0, step), nil
}

// slice takes every so many elements from a start on.
func slice(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	step := strides(a.Shape)
	base := 0
	if out.DType != a.Type || len(out.Shape) != len(a.Shape) || len(p.Start) != len(a.Shape) || len(p.Strides) != 0 && len(p.Strides) != len(a.Shape) {
		return Value{}, fmt.Errorf("%s from %v by %v is not %s", describe(a.Type, a.Shape), p.Start, p.Strides, out)
	}
	for i, b := range p.Start {
		k := 1
		if len(p.Strides) > 0 {
			k = p.Strides[i]
		}
		n := out.Shape[i]
		if b < 0 || b > a.Shape[i] || k < 1 || n > 0 && (k > maxBytes || b+(n-1)*k >= a.Shape[i]) {
			return Value{}, fmt.Errorf("%s from %v by %v is not %s", describe(a.Type, a.Shape), p.Start, p.Strides, out)
		}
		base += b * step[i]
		step[i] *= k
	}
	return pick(a, out.Shape, base, step), nil
}

// starts are the scalar operands of a dynamic slice, moved so that the slice lies within.
func starts(a Value, sizes []int, in []Value) (base int, err error) {
	if len(in) != len(a.Shape) || len(sizes) != len(a.Shape) {
		return 0, fmt.Errorf("%d starts and sizes %v for %s", len(in), sizes, describe(a.Type, a.Shape))
	}
	step := 1
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] < 0 || sizes[i] > a.Shape[i] {
			return 0, fmt.Errorf("sizes %v of %s", sizes, describe(a.Type, a.Shape))
		}
		if in[i].Type.Float() || in[i].Len() != 1 {
			return 0, fmt.Errorf("start %d is %s", i, describe(in[i].Type, in[i].Shape))
		}
		base += clampStart(in[i], 0, a.Shape[i]-sizes[i]) * step
		step *= a.Shape[i]
	}
	return base, nil
}

// clampStart is element i of an array of indices, within 0 and limit.
func clampStart(v Value, i, limit int) int {
	at := v.Int(i)
	if at < 0 && v.Type == U64 {
		return limit
	}
	return int(min(max(at, 0), int64(limit)))
}

func dynamicSlice(p *Params, out Type, in []Value) (Value, error) {
	if len(in) == 0 {
		return Value{}, fmt.Errorf("no operand")
	}
	a := in[0]
	if out.DType != a.Type {
		return Value{}, mismatch(out, a.Type, out.Shape)
	}
	base, err := starts(a, out.Shape, in[1:])
	if err != nil {
		return Value{}, err
	}
	return pick(a, out.Shape, base, strides(a.Shape)), nil
}

func dynamicUpdateSlice(_ *Params, out Type, in []Value) (Value, error) {
	if len(in) < 2 {
		return Value{}, fmt.Errorf("%d operands", len(in))
	}
	a, u := in[0], in[1]
	if out.DType != a.Type || u.Type != a.Type || !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, a.Type, a.Shape)
	}
	base, err := starts(a, u.Shape, in[2:])
	if err != nil {
		return Value{}, err
	}
	v := Value{Type: a.Type, Shape: out.Shape, Data: alloc(len(a.Data))}
	copy(v.Data, a.Data)
	place(v, u, base, strides(a.Shape))
	return v, nil
}

// concatenate puts operands behind each other along a dimension.
func concatenate(p *Params, out Type, in []Value) (Value, error) {
	d := p.Dim
	if d < 0 || d >= len(out.Shape) {
		return Value{}, fmt.Errorf("%s has no dimension %d", out, d)
	}
	total := 0
	for _, a := range in {
		if a.Type != out.DType || len(a.Shape) != len(out.Shape) || !slices.Equal(a.Shape[:d], out.Shape[:d]) || !slices.Equal(a.Shape[d+1:], out.Shape[d+1:]) {
			return Value{}, fmt.Errorf("%s is no part of %s along %d", describe(a.Type, a.Shape), out, d)
		}
		total += a.Shape[d]
	}
	if total != out.Shape[d] {
		return Value{}, fmt.Errorf("parts of %d in all do not give %s", total, out)
	}
	v := Make(out.DType, out.Shape)
	inner := Count(out.Shape[d+1:]) * out.DType.Size()
	row, off := total*inner, 0
	for _, a := range in {
		n := a.Shape[d] * inner
		for i := range Count(a.Shape[:d]) {
			copy(v.Data[i*row+off:], a.Data[i*n:(i+1)*n])
		}
		off += n
	}
	return v, nil
}

// split cuts along a dimension.
func split(p *Params, out []Type, in []Value) ([]Value, error) {
	a, d := in[0], p.Dim
	if d < 0 || d >= len(a.Shape) {
		return nil, fmt.Errorf("%s has no dimension %d", describe(a.Type, a.Shape), d)
	}
	step := strides(a.Shape)
	vs := make([]Value, len(out))
	at := 0
	for i, t := range out {
		want := slices.Clone(a.Shape)
		if len(t.Shape) == len(want) {
			want[d] = t.Shape[d]
		}
		if t.DType != a.Type || !slices.Equal(want, t.Shape) || at+want[d] > a.Shape[d] {
			return nil, mismatch(t, a.Type, want)
		}
		vs[i] = pick(a, t.Shape, at*step[d], step)
		at += want[d]
	}
	if at != a.Shape[d] {
		return nil, fmt.Errorf("parts of %d in all are not %s", at, describe(a.Type, a.Shape))
	}
	return vs, nil
}

// pad surrounds the operand with a value, and parts its elements. Negative padding cuts off.
func pad(p *Params, out Type, in []Value) (Value, error) {
	a, fill := in[0], in[1]
	if fill.Type != a.Type || fill.Len() != 1 || out.DType != a.Type || len(p.Padding) != len(a.Shape) || len(out.Shape) != len(a.Shape) {
		return Value{}, fmt.Errorf("%s and %s padded by %v are not %s", describe(a.Type, a.Shape), describe(fill.Type, fill.Shape), p.Padding, out)
	}
	from, to := strides(a.Shape), strides(out.Shape)
	shape := make([]int, len(a.Shape))
	src, dst := 0, 0
	for i, q := range p.Padding {
		n, gap := a.Shape[i], q[2]+1
		if q[2] < 0 || max(q[0], q[1], q[2]) > maxBytes || min(q[0], q[1]) < -maxBytes || out.Shape[i] != max(q[0]+q[1]+max((n-1)*gap+1, 0), 0) {
			return Value{}, fmt.Errorf("%s padded by %v is not %s", describe(a.Type, a.Shape), p.Padding, out)
		}
		first := 0 // the first element that is not cut off
		if q[0] < 0 {
			first = (-q[0] + gap - 1) / gap
		}
		at := q[0] + first*gap
		if at < out.Shape[i] {
			shape[i] = max(min(n-first, (out.Shape[i]-at+gap-1)/gap), 0)
		}
		src += first * from[i]
		dst += at * to[i]
		to[i] *= gap
	}
	v := pick(fill, out.Shape, 0, make([]int, len(out.Shape)))
	if Count(shape) > 0 {
		copyStrided(a.Type.Size(), shape, v.Data, dst, to, a.Data, src, from)
	}
	return v, nil
}
