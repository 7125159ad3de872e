package tensor

import (
	"fmt"
	"math"
	"slices"
)

// convert is convert_element_type. Floating-point numbers are truncated to integers, those
// out of range saturate and NaN becomes 0; integers are wrapped.
func convert(_ *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, out.DType, a.Shape)
	}
	return convertTo(a, out.DType), nil
}

// convertTo is the array in another type, the same one if it has that already.
func convertTo(v Value, d DType) Value {
	if v.Type == d {
		return v
	}
	w := Make(d, v.Shape)
	if len(w.Data) > 0 {
		convertBytes(d, v.Type, w.Data, v.Data)
	}
	return w
}

// convertBytes converts elements in memory.
func convertBytes(to, from DType, dst, src []byte) {
	n := len(src) / from.Size()
	switch dtypes[from].kind {
	case narrowFloat:
		if to == F32 {
			decodeFloats(from, view[float32](dst), src)
			return
		}
		if n == 1 {
			var x [1]float32
			decodeFloats(from, x[:], src)
			convertBytes(to, F32, dst, raw(x[:]))
			return
		}
		var x [chunk]float32
		for i := 0; i < n; i += chunk {
			s := x[:min(n-i, chunk)]
			decodeFloats(from, s, src[i*from.Size():])
			convertBytes(to, F32, dst[i*to.Size():(i+len(s))*to.Size()], raw(s))
		}
		return
	case narrowInt:
		x := make([]int8, n)
		widen(from, x, src)
		convertBytes(to, I8, dst, raw(x))
		return
	}
	switch dtypes[to].kind {
	case narrowFloat:
		if from == F32 {
			encodeFloats(to, dst, view[float32](src))
			return
		}
		x := make([]float32, n)
		convertBytes(F32, from, raw(x), src)
		encodeFloats(to, dst, x)
		return
	case narrowInt:
		narrowToInt(to, from, dst, src)
		return
	}
	switch from {
	case Bool, U8:
		fromInts(to, dst, src)
	case I8:
		fromInts(to, dst, view[int8](src))
	case I16:
		fromInts(to, dst, view[int16](src))
	case I32:
		fromInts(to, dst, view[int32](src))
	case I64:
		fromInts(to, dst, view[int64](src))
	case U16:
		fromInts(to, dst, view[uint16](src))
	case U32:
		fromInts(to, dst, view[uint32](src))
	case U64:
		fromInts(to, dst, view[uint64](src))
	case F32:
		fromFloats(to, dst, view[float32](src))
	case F64:
		fromFloats(to, dst, view[float64](src))
	}
}

// narrowToInt converts to a type below a byte.
func narrowToInt(to, from DType, dst, src []byte) {
	v := Value{Type: from, Data: src}
	for i := range dst {
		if from.Float() {
			dst[i] = uint8(to.encode(v.Float(i)))
		} else {
			dst[i] = uint8(to.wrap(v.Int(i)))
		}
	}
}

func fromInts[S integer](to DType, dst []byte, src []S) {
	switch to {
	case Bool:
		for i, x := range src {
			dst[i] = truth(x != 0)
		}
	case I8, U8:
		cast(dst, src)
	case I16, U16:
		cast(view[uint16](dst), src)
	case I32, U32:
		cast(view[uint32](dst), src)
	case I64, U64:
		cast(view[uint64](dst), src)
	case F32:
		cast(view[float32](dst), src)
	case F64:
		cast(view[float64](dst), src)
	}
}

func cast[D, S Element](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = D(x)
	}
}

func fromFloats[S float](to DType, dst []byte, src []S) {
	switch to {
	case Bool:
		for i, x := range src {
			dst[i] = truth(x != 0)
		}
	case I8:
		clip(view[int8](dst), src, math.MinInt8, math.MaxInt8)
	case I16:
		clip(view[int16](dst), src, math.MinInt16, math.MaxInt16)
	case I32:
		clip(view[int32](dst), src, math.MinInt32, math.MaxInt32)
	case I64:
		clip(view[int64](dst), src, math.MinInt64, math.MaxInt64)
	case U8:
		clip(dst, src, 0, math.MaxUint8)
	case U16:
		clip(view[uint16](dst), src, 0, math.MaxUint16)
	case U32:
		clip(view[uint32](dst), src, 0, math.MaxUint32)
	case U64:
		clip(view[uint64](dst), src, 0, math.MaxUint64)
	case F32:
		cast(view[float32](dst), src)
	case F64:
		cast(view[float64](dst), src)
	}
}

// clip truncates. The limits are compared as float64, in which the greatest 64-bit integers
// are the power of two above them.
func clip[D integer, S float](dst []D, src []S, low, high D) {
	lo, hi := float64(low), float64(high)
	dst = dst[:len(src)]
	for i, x := range src {
		switch y := float64(x); {
		case y > lo && y < hi:
			dst[i] = D(y)
		case y >= hi:
			dst[i] = high
		case y <= lo:
			dst[i] = low
		default: // NaN
			dst[i] = 0
		}
	}
}

// bitcast is bitcast_convert_type. To a smaller type it adds a dimension for the parts of
// each element, to a larger one it takes that away. The parts of a byte that types below it
// take are its low bits first.
func bitcast(_ *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	from, to := a.Type.Bits(), out.DType.Bits()
	if a.Type == Bool || out.DType == Bool {
		from, to = 8*a.Type.Size(), 8*out.DType.Size()
	}
	shape := slices.Clone(a.Shape)
	switch {
	case from > to && from%to == 0:
		shape = append(shape, from/to)
	case from < to && to%from == 0:
		if len(shape) == 0 || shape[len(shape)-1] != to/from {
			return Value{}, fmt.Errorf("%s has no last dimension of %d", describe(a.Type, a.Shape), to/from)
		}
		shape = shape[:len(shape)-1]
	case from != to:
		return Value{}, fmt.Errorf("%s does not divide %s", a.Type, out.DType)
	}
	if !sameShape(shape, out.Shape) {
		return Value{}, mismatch(out, out.DType, shape)
	}
	if from >= 8 && to >= 8 || from == to {
		return Value{Type: out.DType, Shape: out.Shape, Data: a.Data}, nil
	}
	v := Make(out.DType, out.Shape)
	repack(v, a, from, to)
	return v, nil
}

// repack splits the bits of elements, or joins them.
func repack(dst, src Value, from, to int) {
	if from > to {
		k := from / to
		for i := range dst.Len() {
			dst.setBits(i, src.bits(i/k)>>(i%k*to)&(1<<to-1))
		}
		return
	}
	k := to / from
	for i := range dst.Len() {
		var b uint64
		for j := range k {
			b |= src.bits(i*k+j) & (1<<from - 1) << (j * from)
		}
		dst.setBits(i, b)
	}
}
