package array

// Value is an array in registers, or a scalar if its shape is empty. Elements are in row
// major order, in F for floating-point types (rounded to the type) and in I for others
// (wrapped to the type). Values are not changed once made.
type Value struct {
	Type  DType
	Shape []int
	F     []float64
	I     []int64
}

// Count is the number of elements of a shape.
func Count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Make is an array of zeros.
func Make(d DType, shape []int) Value {
	v := Value{Type: d, Shape: shape}
	if d.Float() {
		v.F = make([]float64, Count(shape))
	} else {
		v.I = make([]int64, Count(shape))
	}
	return v
}

// Int is an integer scalar.
func Int(d DType, x int64) Value { return Value{Type: d, I: []int64{d.Wrap(x)}} }

// Float is a floating-point scalar.
func Float(d DType, x float64) Value { return Value{Type: d, F: []float64{d.Round(x)}} }

// Len is the number of elements.
func (v Value) Len() int { return len(v.F) + len(v.I) }

// Scalar is the value of an integer or boolean with one element.
func (v Value) Scalar() int64 {
	if v.F != nil {
		return int64(v.F[0])
	}
	return v.I[0]
}

// WithShape is the same elements with another shape.
func (v Value) WithShape(shape []int) Value {
	v.Shape = shape
	return v
}

// Take is a new array of the given shape whose element i is element from[i] of v.
func (v Value) Take(shape []int, from func(i int) int) Value {
	out := Make(v.Type, shape)
	if v.F != nil {
		for i := range out.F {
			out.F[i] = v.F[from(i)]
		}
		return out
	}
	for i := range out.I {
		out.I[i] = v.I[from(i)]
	}
	return out
}

// Bits is the representation of element i in memory.
func (v Value) Bits(i int) uint64 {
	if v.F != nil {
		return v.Type.bits(v.F[i], 0)
	}
	return v.Type.bits(0, v.I[i])
}

// SetBits gives element i of an array that is being made the value with these bits.
func (v Value) SetBits(i int, b uint64) {
	if v.F != nil {
		v.F[i] = v.Type.floatOf(b)
	} else {
		v.I[i] = v.Type.intOf(b)
	}
}

// Decode is the array with these elements in memory.
func Decode(d DType, shape []int, data []byte) Value {
	v := Make(d, shape)
	for i := range v.Len() {
		v.SetBits(i, load(data[i*d.Size():], d.Size()))
	}
	return v
}
