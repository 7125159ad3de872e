package tensor

import (
	"math"
	"unsafe"
)

// Value is an array, or a scalar if its shape is empty. Elements are in row-major order and
// little-endian, len(Data) is Count(Shape)*Type.Size(). Values are not changed once made, so
// that several may share their data.
type Value struct {
	Type  DType
	Shape []int
	Data  []byte
}

// Element is what a Value's data can be viewed as.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// As is the data of v as elements of a Go type. It must have the size of v's elements; it is
// uint8 for bool and for the types below a byte, uint16 for float16 and bfloat16.
func As[T Element](v Value) []T { return view[T](v.Data) }

// view is bytes as elements. The machine is taken to be little-endian, as all that run this
// are.
func view[T Element](b []byte) []T {
	var e T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(e)))
}

// raw is elements as bytes.
func raw[T Element](s []T) []byte {
	var e T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(e)))
}

// alloc is zeroed memory, aligned to eight bytes.
func alloc(n int) []byte {
	if n == 0 {
		return nil
	}
	return raw(make([]uint64, (n+7)/8))[:n:n]
}

// Count is the number of elements of a shape.
func Count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Make is an array of zeros (for float8_e8m0fnu, which has no zero, of its least number).
func Make(d DType, shape []int) Value {
	return Value{Type: d, Shape: shape, Data: alloc(Count(shape) * d.Size())}
}

// Int is a scalar of any type: an integer is wrapped, a floating-point number rounded.
func Int(d DType, x int64) Value {
	if d.Float() {
		return Float(d, float64(x))
	}
	v := Make(d, nil)
	v.setBits(0, d.wrap(x))
	return v
}

// Float is a scalar of any type: a floating-point number is rounded, an integer truncated
// and saturated.
func Float(d DType, x float64) Value {
	v := Make(d, nil)
	v.setBits(0, d.encode(x))
	return v
}

// encode is the bits of the number of type d that convert_element_type makes of x.
func (d DType) encode(x float64) uint64 {
	switch {
	case d == F64:
		return math.Float64bits(x)
	case d == F32:
		return uint64(math.Float32bits(float32(x)))
	case d == BF16:
		return uint64(toBF16(float32(x)))
	case d == F16:
		return uint64(toF16(float32(x)))
	case d.Float():
		return uint64(formats[d].encode(float32(x)))
	case d == Bool:
		if x != 0 {
			return 1
		}
		return 0
	}
	return d.wrap(saturate(d, x))
}

// saturate truncates to an integer of the type, NaN to 0.
func saturate(d DType, x float64) int64 {
	if x != x {
		return 0
	}
	n := d.Bits()
	if d.Signed() {
		limit := math.Ldexp(1, n-1)
		switch {
		case x >= limit:
			return math.MaxInt64 >> (64 - n)
		case x < -limit:
			return math.MinInt64 >> (64 - n)
		}
		return int64(x)
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, n):
		return -1
	}
	return int64(uint64(x))
}

// Len is the number of elements.
func (v Value) Len() int { return len(v.Data) / v.Type.Size() }

// bits is the representation of element i.
func (v Value) bits(i int) uint64 {
	switch v.Type.Size() {
	case 1:
		return uint64(v.Data[i])
	case 2:
		return uint64(view[uint16](v.Data)[i])
	case 4:
		return uint64(view[uint32](v.Data)[i])
	}
	return view[uint64](v.Data)[i]
}

// setBits is for arrays that are being made.
func (v Value) setBits(i int, b uint64) {
	switch v.Type.Size() {
	case 1:
		v.Data[i] = byte(b)
	case 2:
		view[uint16](v.Data)[i] = uint16(b)
	case 4:
		view[uint32](v.Data)[i] = uint32(b)
	default:
		view[uint64](v.Data)[i] = b
	}
}

// Int is element i as an integer: a floating-point number is truncated and saturated, a
// uint64 keeps its bits.
func (v Value) Int(i int) int64 {
	if v.Type.Float() {
		return saturate(I64, v.Float(i))
	}
	return v.Type.extend(v.bits(i))
}

// Float is element i as a number.
func (v Value) Float(i int) float64 {
	b := v.bits(i)
	switch {
	case v.Type == F64:
		return math.Float64frombits(b)
	case v.Type == F32:
		return float64(math.Float32frombits(uint32(b)))
	case v.Type == BF16:
		return float64(fromBF16(uint16(b)))
	case v.Type == F16:
		return float64(fromF16(uint16(b)))
	case v.Type.Float():
		return float64(formats[v.Type].decode[uint8(b)])
	case v.Type == U64:
		return float64(b)
	}
	return float64(v.Type.extend(b))
}

// Scalar is the first element as an integer, 0 if there is none.
func (v Value) Scalar() int64 {
	if len(v.Data) < v.Type.Size() {
		return 0
	}
	return v.Int(0)
}

// WithShape is the same elements with another shape of as many elements.
func (v Value) WithShape(shape []int) Value {
	v.Shape = shape
	return v
}

// Undefined fills memory as JAX fills what is uninitialised: with NaN (with minus zero in
// float4_e2m1fn, which has none), the greatest integer, or true.
func Undefined(d DType, p []byte) {
	n := d.Size()
	if len(p) < n {
		return
	}
	Value{Type: d, Data: p}.setBits(0, d.undefined())
	for n < len(p) {
		n += copy(p[n:], p[:n])
	}
}

func (d DType) undefined() uint64 {
	switch {
	case d == Bool:
		return 1
	case d.Float():
		return d.encode(math.NaN())
	case d.Signed():
		return 1<<(d.Bits()-1) - 1
	}
	return d.wrap(-1)
}
