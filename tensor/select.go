package tensor

import "fmt"

// selectN takes each element from the case that the first operand names.
func selectN(_ *Params, out Type, in []Value) (Value, error) {
	if len(in) < 2 {
		return Value{}, fmt.Errorf("%d operands", len(in))
	}
	which, cases := in[0], in[1:]
	if which.Type != Bool && which.Type != I32 || which.Type == Bool && len(cases) > 2 {
		return Value{}, fmt.Errorf("%s does not choose among %d cases", which.Type, len(cases))
	}
	n := Count(out.Shape)
	for _, c := range cases {
		if c.Type != out.DType || !fits(c, out.Shape, n) {
			return Value{}, mismatch(out, c.Type, c.Shape)
		}
	}
	if len(which.Shape) == 0 {
		c := cases[min(max(which.Scalar(), 0), int64(len(cases)-1))]
		if c.Len() == n {
			return c.WithShape(out.Shape), nil
		}
		return pick(c, out.Shape, 0, make([]int, len(out.Shape))), nil
	}
	if !sameShape(which.Shape, out.Shape) {
		return Value{}, mismatch(out, out.DType, which.Shape)
	}
	v := Make(out.DType, out.Shape)
	switch out.DType.Size() {
	case 1:
		choose[uint8](v, which, cases)
	case 2:
		choose[uint16](v, which, cases)
	case 4:
		choose[uint32](v, which, cases)
	case 8:
		choose[uint64](v, which, cases)
	}
	return v, nil
}

func choose[T Element](v, which Value, cases []Value) {
	dst := As[T](v)
	n := len(dst)
	if which.Type == Bool && len(cases) == 2 {
		w := which.Data[:n]
		no, yes := whole[T](cases[0], n), whole[T](cases[1], n)
		for i := range dst {
			x := no[i]
			if w[i] != 0 {
				x = yes[i]
			}
			dst[i] = x
		}
		return
	}
	last := int64(len(cases) - 1)
	all := make([][]T, len(cases))
	for i, c := range cases {
		all[i] = whole[T](c, n)
	}
	for i := range dst {
		dst[i] = all[min(max(which.Int(i), 0), last)][i]
	}
}

// whole is the elements of v, a single one repeated.
func whole[T Element](v Value, n int) []T {
	s := As[T](v)
	if len(s) == 1 && n != 1 {
		return repeat(s[0], n)
	}
	return s[:n]
}

// clamp keeps the second operand between the first and the third.
func clamp(_ *Params, out Type, in []Value) (Value, error) {
	n := Count(out.Shape)
	for _, a := range in {
		if a.Type != out.DType || !fits(a, out.Shape, n) {
			return Value{}, mismatch(out, a.Type, a.Shape)
		}
	}
	v := Make(out.DType, out.Shape)
	applyBinary(opMax, out.DType, v.Data, in[1].Data, in[0].Data)
	applyBinary(opMin, out.DType, v.Data, v.Data, in[2].Data)
	return v, nil
}

// isFinite tells which numbers are neither infinite nor NaN.
func isFinite(_ *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if !a.Type.Float() {
		return Value{}, unsupported(a.Type)
	}
	if out.DType != Bool || !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, Bool, a.Shape)
	}
	v := Make(Bool, out.Shape)
	for i := range v.Data {
		x := a.Float(i)
		v.Data[i] = truth(x-x == 0)
	}
	return v, nil
}

// integerPow multiplies, as XLA does, by squaring; a negative exponent takes the inverse.
func integerPow(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, a.Type, a.Shape)
	}
	if a.Type == Bool || p.Y < 0 && !a.Type.Float() || p.Y > 1<<31 || p.Y < -1<<31 {
		return Value{}, fmt.Errorf("%s to the %d", a.Type, p.Y)
	}
	n := p.Y
	if n < 0 {
		n = -n
	}
	base := a.WithShape(out.Shape)
	one := Int(a.Type, 1)
	var v Value
	for {
		if n&1 != 0 {
			if v.Data == nil {
				v = base
			} else {
				w := Make(a.Type, out.Shape)
				applyBinary(opMul, a.Type, w.Data, v.Data, base.Data)
				v = w
			}
		}
		if n >>= 1; n == 0 {
			break
		}
		w := Make(a.Type, out.Shape)
		applyBinary(opMul, a.Type, w.Data, base.Data, base.Data)
		base = w
	}
	if p.Y == 0 {
		v = pick(one, out.Shape, 0, make([]int, len(out.Shape)))
	}
	if p.Y < 0 {
		w := Make(a.Type, out.Shape)
		applyBinary(opDiv, a.Type, w.Data, one.Data, v.Data)
		v = w
	}
	return v, nil
}
