package tensor

import (
	"fmt"
	"math"
)

// cumulative folds the elements along a dimension and keeps what it has at each of them.
// Narrow floating-point types are rounded at the end.
func cumulative(name string, op opcode) Primitive {
	return one(name, 1, func(p *Params, out Type, in []Value) (Value, error) {
		a := in[0]
		if out.DType != a.Type || !sameShape(out.Shape, a.Shape) {
			return Value{}, mismatch(out, a.Type, a.Shape)
		}
		if p.Dim < 0 || p.Dim >= len(a.Shape) {
			return Value{}, fmt.Errorf("%s has no dimension %d", out, p.Dim)
		}
		if a.Type == Bool || op == opLogAddExp && !a.Type.Float() {
			return Value{}, unsupported(a.Type)
		}
		wide := a.Type
		switch {
		case dtypes[a.Type].kind == narrowFloat:
			wide = F32
		case dtypes[a.Type].kind == narrowInt && a.Type.Signed():
			wide = I8
		case dtypes[a.Type].kind == narrowInt:
			wide = U8
		}
		v := convertTo(a, wide)
		if wide == a.Type {
			v = Value{Type: a.Type, Shape: out.Shape, Data: alloc(len(a.Data))}
			copy(v.Data, a.Data)
		}
		scan(op, v, p.Dim, p.Reverse)
		return convertTo(v, a.Type), nil
	})
}

// scan folds in place.
func scan(op opcode, v Value, d int, reverse bool) {
	outer, n, inner := lines(v.Shape, d)
	row := inner * v.Type.Size()
	for o := range outer {
		for j := 1; j < n; j++ {
			from, to := o*n+j-1, o*n+j
			if reverse {
				from, to = o*n+n-j, o*n+n-j-1
			}
			acc := v.Data[from*row : (from+1)*row]
			next := v.Data[to*row : (to+1)*row]
			if row > 0 {
				applyBinary(op, v.Type, next, acc, next)
			}
		}
	}
}

// logAddExp is the logarithm of the sum of the exponentials.
func logAddExp(x, y float64) float64 {
	m := math.Max(x, y)
	if math.IsInf(m, 0) || m != m {
		return m
	}
	return m + math.Log1p(math.Exp(-math.Abs(x-y)))
}
