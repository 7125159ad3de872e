package array

import (
	"encoding/binary"
	"math"
)

// DType is an element type.
type DType uint8

// The element types.
const (
	Bool DType = iota
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16
	BF16
	F32
	F64
)

type dtypeInfo struct {
	name  string
	size  int
	float bool
	signd bool
}

var dtypes = [...]dtypeInfo{
	{"bool", 1, false, false}, {"int8", 1, false, true}, {"int16", 2, false, true}, {"int32", 4, false, true}, {"int64", 8, false, true},
	{"uint8", 1, false, false}, {"uint16", 2, false, false}, {"uint32", 4, false, false}, {"uint64", 8, false, false},
	{"float16", 2, true, true}, {"bfloat16", 2, true, true}, {"float32", 4, true, true}, {"float64", 8, true, true},
}

// FindDType looks a type up by JAX's name.
func FindDType(name string) (DType, bool) {
	for i, d := range dtypes {
		if d.name == name {
			return DType(i), true
		}
	}
	return 0, false
}

func (d DType) String() string { return dtypes[d].name }

// Size is the number of bytes of an element.
func (d DType) Size() int { return dtypes[d].size }

// Float reports whether the type is a floating-point one.
func (d DType) Float() bool { return dtypes[d].float }

// Signed reports whether the type has negative values.
func (d DType) Signed() bool { return dtypes[d].signd }

// Round is the value of the type that is nearest to x, ties to even.
func (d DType) Round(x float64) float64 {
	switch d {
	case F32:
		return float64(float32(x))
	case F16:
		return roundTo(x, 10, -14, 65520)
	case BF16:
		return roundTo(x, 7, -126, math.Ldexp(2-0x1p-8, 127))
	}
	return x
}

// roundTo rounds to a format with so many explicit bits of fraction; magnitudes from
// overflow on become infinite.
func roundTo(x float64, fraction, minExp int, overflow float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	if math.Abs(x) >= overflow {
		return math.Inf(int(math.Copysign(1, x)))
	}
	_, e := math.Frexp(x) // x = f * 2^e with f in [0.5, 1)
	ulp := max(e-1, minExp) - fraction
	return math.Copysign(math.Ldexp(math.RoundToEven(math.Ldexp(x, -ulp)), ulp), x)
}

// Wrap reduces an integer to the type, modulo its range.
func (d DType) Wrap(x int64) int64 {
	switch d {
	case Bool:
		return x & 1
	case I8:
		return int64(int8(x))
	case I16:
		return int64(int16(x))
	case I32:
		return int64(int32(x))
	case U8:
		return int64(uint8(x))
	case U16:
		return int64(uint16(x))
	case U32:
		return int64(uint32(x))
	}
	return x
}

// bits is the representation in memory of an element.
func (d DType) bits(f float64, i int64) uint64 {
	switch d {
	case F64:
		return math.Float64bits(f)
	case F32:
		return uint64(math.Float32bits(float32(f)))
	case BF16:
		return uint64(math.Float32bits(float32(f)) >> 16)
	case F16:
		return uint64(halfBits(f))
	}
	return uint64(i)
}

// halfBits is the encoding of a number that f16 can represent.
func halfBits(f float64) uint16 {
	var sign uint16
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	switch {
	case math.IsNaN(f):
		return sign | 0x7E00
	case math.IsInf(f, 0):
		return sign | 0x7C00
	case f < 0x1p-14:
		return sign | uint16(f*0x1p24)
	}
	m, e := math.Frexp(f)
	return sign | uint16(e+14)<<10 | uint16(m*2048)&0x3FF
}

// floatOf and intOf are the value of an element in memory.
func (d DType) floatOf(b uint64) float64 {
	switch d {
	case F64:
		return math.Float64frombits(b)
	case F32:
		return float64(math.Float32frombits(uint32(b)))
	case BF16:
		return float64(math.Float32frombits(uint32(b) << 16))
	}
	m, e, sign := b&0x3FF, int(b>>10&31), 1.0
	if b>>15&1 != 0 {
		sign = -1
	}
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return math.Inf(int(sign))
	case e == 0:
		return sign * float64(m) * 0x1p-24
	}
	return sign * math.Ldexp(float64(m|0x400), e-25)
}

func (d DType) intOf(b uint64) int64 {
	if d == Bool {
		return int64(min(b&0xFF, 1))
	}
	return d.Wrap(int64(b))
}

// load reads an element's bits, store writes them.
func load(p []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(p))
	case 4:
		return uint64(binary.LittleEndian.Uint32(p))
	}
	return binary.LittleEndian.Uint64(p)
}

func store(p []byte, size int, b uint64) {
	switch size {
	case 1:
		p[0] = byte(b)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(b))
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(b))
	default:
		binary.LittleEndian.PutUint64(p, b)
	}
}

// undefined is what uninitialised memory holds, as JAX fills it: NaN, the greatest
// integer, true.
func (d DType) undefined() uint64 {
	switch {
	case d == Bool:
		return 1
	case d.Float():
		return d.bits(math.NaN(), 0)
	case d.Signed():
		return 1<<(8*d.Size()-1) - 1
	}
	return math.MaxUint64
}
