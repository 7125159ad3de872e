package tensor

import (
	"fmt"
	"slices"
)

// chunk is how many elements are converted at a time to the type that computes.
const chunk = 256

// binary is an elementwise primitive of two operands of one type. Extents of 1 go with any.
func binary(name string, op opcode) Primitive {
	return one(name, 2, func(_ *Params, out Type, in []Value) (Value, error) {
		a, b := &in[0], &in[1]
		if a.Type != out.DType || b.Type != out.DType {
			switch {
			case op == opPow && b.Type.integer():
				c := convertTo(*b, a.Type)
				b = &c
			case op == opMul: // out_dtype
				c, d := convertTo(*a, out.DType), convertTo(*b, out.DType)
				a, b = &c, &d
			}
		}
		x, y, err := operands(out, a.Type, a, b)
		if err != nil {
			return Value{}, err
		}
		if !op.defined(a.Type) {
			return Value{}, unsupported(a.Type)
		}
		v := Make(out.DType, out.Shape)
		applyBinary(op, a.Type, v.Data, x, y)
		return v, nil
	})
}

// operands brings the elements of two operands of one type to the result's shape, or to a
// single one. The result has to be of the given type.
func operands(out Type, result DType, a, b *Value) (x, y []byte, err error) {
	if a.Type != b.Type {
		return nil, nil, fmt.Errorf("operands are %s and %s", a.Type, b.Type)
	}
	if out.DType != result {
		return nil, nil, mismatch(out, result, out.Shape)
	}
	if len(out.Shape) == 0 && len(a.Shape) == 0 && len(b.Shape) == 0 {
		return a.Data, b.Data, nil
	}
	x, ok := expand(a, out.Shape)
	y, good := expand(b, out.Shape)
	if !ok || !good {
		return nil, nil, fmt.Errorf("operands %s and %s do not give %s", describe(a.Type, a.Shape), describe(b.Type, b.Shape), out)
	}
	return x, y, nil
}

// expand repeats elements along the dimensions in which the extent of an operand is 1. A
// single element stays one.
func expand(v *Value, shape []int) ([]byte, bool) {
	if len(v.Shape) == 0 || sameShape(v.Shape, shape) {
		return v.Data, true
	}
	if len(v.Shape) != len(shape) {
		return nil, false
	}
	step := strides(v.Shape)
	for i, n := range v.Shape {
		switch {
		case n == shape[i]:
		case n == 1:
			step[i] = 0
		default:
			return nil, false
		}
	}
	if v.Len() == 1 {
		return v.Data, true
	}
	return pick(*v, shape, 0, step).Data, true
}

// fits reports whether an operand has the shape or is a scalar.
func fits(v Value, shape []int, n int) bool {
	return len(v.Shape) == 0 || v.Len() == n && slices.Equal(v.Shape, shape)
}

// compare is a comparison.
func compare(name string, op opcode) Primitive {
	return one(name, 2, func(_ *Params, out Type, in []Value) (Value, error) {
		x, y, err := operands(out, Bool, &in[0], &in[1])
		if err != nil {
			return Value{}, err
		}
		v := Make(Bool, out.Shape)
		applyCompare(op, in[0].Type, v.Data, x, y)
		return v, nil
	})
}

// applyBinary computes elements in memory. An operand of one element goes with all.
func applyBinary(op opcode, d DType, dst, a, b []byte) {
	switch d {
	case Bool:
		splat2(op, dst, a, b, boolBinary)
	case I8:
		splat2(op, view[int8](dst), view[int8](a), view[int8](b), intBinary[int8])
	case I16:
		splat2(op, view[int16](dst), view[int16](a), view[int16](b), intBinary[int16])
	case I32:
		splat2(op, view[int32](dst), view[int32](a), view[int32](b), intBinary[int32])
	case I64:
		splat2(op, view[int64](dst), view[int64](a), view[int64](b), intBinary[int64])
	case U8:
		splat2(op, dst, a, b, intBinary[uint8])
	case U16:
		splat2(op, view[uint16](dst), view[uint16](a), view[uint16](b), intBinary[uint16])
	case U32:
		splat2(op, view[uint32](dst), view[uint32](a), view[uint32](b), intBinary[uint32])
	case U64:
		splat2(op, view[uint64](dst), view[uint64](a), view[uint64](b), intBinary[uint64])
	case F32:
		splat2(op, view[float32](dst), view[float32](a), view[float32](b), floatBinary[float32])
	case F64:
		splat2(op, view[float64](dst), view[float64](a), view[float64](b), floatBinary[float64])
	case I2, I4:
		splat2(op, dst, a, b, func(op opcode, dst, a, b []byte) { nibbleBinary[int8](op, d, dst, a, b) })
	case U2, U4:
		splat2(op, dst, a, b, func(op opcode, dst, a, b []byte) { nibbleBinary[uint8](op, d, dst, a, b) })
	default:
		if op == opNextAfter {
			nextAfterNarrow(d, dst, a, b)
			return
		}
		narrowBinary(op, d, dst, a, b)
	}
}

// splat2 gives f operands as long as the result, by repeating a single element.
func splat2[D, T Element](op opcode, dst []D, a, b []T, f func(op opcode, dst []D, a, b []T)) {
	n := len(dst)
	if len(a) == n && len(b) == n {
		f(op, dst, a, b)
		return
	}
	var sa, sb []T
	if len(a) != n {
		sa = repeat(a[0], min(n, chunk))
	}
	if len(b) != n {
		sb = repeat(b[0], min(n, chunk))
	}
	for i := 0; i < n; i += chunk {
		m := min(n-i, chunk)
		x, y := sa, sb
		if x == nil {
			x = a[i : i+m]
		}
		if y == nil {
			y = b[i : i+m]
		}
		f(op, dst[i:i+m], x[:m], y[:m])
	}
}

// repeat is an element so many times.
func repeat[T any](x T, n int) []T {
	s := make([]T, n)
	fill(s, x)
	return s
}

// narrowBinary computes in float32 and rounds each result.
func narrowBinary(op opcode, d DType, dst, a, b []byte) {
	size := d.Size()
	n := len(dst) / size
	if n == 1 {
		var x, y, z [1]float32
		decodeFloats(d, x[:], a)
		decodeFloats(d, y[:], b)
		floatBinary(op, z[:], x[:], y[:])
		encodeFloats(d, dst, z[:])
		return
	}
	var x, y, z [chunk]float32
	onceA, onceB := len(a) == size, len(b) == size
	for i := 0; i < n; i += chunk {
		m := min(n-i, chunk)
		decodeOr(d, x[:m], a, i, onceA)
		decodeOr(d, y[:m], b, i, onceB)
		floatBinary(op, z[:m], x[:m], y[:m])
		encodeFloats(d, dst[i*size:], z[:m])
	}
}

// decodeOr decodes elements from i on, or for the first chunk the single one for all.
func decodeOr(d DType, dst []float32, src []byte, i int, once bool) {
	switch {
	case !once:
		decodeFloats(d, dst, src[i*d.Size():])
	case i == 0:
		decodeFloats(d, dst[:1], src)
		fill(dst, dst[0])
	}
}

// nibbleBinary computes in bytes and keeps the bits of the type.
func nibbleBinary[T int8 | uint8](op opcode, d DType, dst, a, b []byte) {
	var x, y, z [chunk]T
	for i := 0; i < len(dst); i += chunk {
		m := min(len(dst)-i, chunk)
		widen(d, x[:m], a[i:])
		widen(d, y[:m], b[i:])
		intBinary(op, z[:m], x[:m], y[:m])
		if op >= opShl && op <= opSar {
			shiftNibbles(op, d, z[:m], x[:m], y[:m])
		}
		for j, e := range z[:m] {
			dst[i+j] = uint8(d.wrap(int64(e)))
		}
	}
}

// widen extends stored elements of a type below a byte.
func widen[T int8 | uint8](d DType, dst []T, src []byte) {
	for i := range dst {
		dst[i] = T(d.extend(uint64(src[i])))
	}
}

// applyCompare computes booleans from elements in memory.
func applyCompare(op opcode, d DType, dst, a, b []byte) {
	switch d {
	case Bool, U8, U2, U4:
		splat2(op, dst, a, b, compareLoop[uint8])
	case I8:
		splat2(op, dst, view[int8](a), view[int8](b), compareLoop[int8])
	case I16:
		splat2(op, dst, view[int16](a), view[int16](b), compareLoop[int16])
	case I32:
		splat2(op, dst, view[int32](a), view[int32](b), compareLoop[int32])
	case I64:
		splat2(op, dst, view[int64](a), view[int64](b), compareLoop[int64])
	case U16:
		splat2(op, dst, view[uint16](a), view[uint16](b), compareLoop[uint16])
	case U32:
		splat2(op, dst, view[uint32](a), view[uint32](b), compareLoop[uint32])
	case U64:
		splat2(op, dst, view[uint64](a), view[uint64](b), compareLoop[uint64])
	case F32:
		splat2(op, dst, view[float32](a), view[float32](b), compareLoop[float32])
	case F64:
		splat2(op, dst, view[float64](a), view[float64](b), compareLoop[float64])
	case I2, I4:
		splat2(op, dst, a, b, func(op opcode, dst, a, b []byte) {
			x, y := make([]int8, len(a)), make([]int8, len(b))
			widen(d, x, a)
			widen(d, y, b)
			compareLoop(op, dst, x, y)
		})
	default:
		narrowCompare(op, d, dst, a, b)
	}
}

func narrowCompare(op opcode, d DType, dst, a, b []byte) {
	size := d.Size()
	var x, y [chunk]float32
	onceA, onceB := len(a) == size && len(dst) != 1, len(b) == size && len(dst) != 1
	for i := 0; i < len(dst); i += chunk {
		m := min(len(dst)-i, chunk)
		decodeOr(d, x[:m], a, i, onceA)
		decodeOr(d, y[:m], b, i, onceB)
		compareLoop(op, dst[i:i+m], x[:m], y[:m])
	}
}
