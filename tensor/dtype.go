package tensor

// DType is an element type.
type DType uint8

// The element types. Types below a byte take one byte an element, in the low bits, as in
// ml_dtypes.
const (
	Bool DType = iota
	I2
	I4
	I8
	I16
	I32
	I64
	U2
	U4
	U8
	U16
	U32
	U64
	F16
	BF16
	F32
	F64
	F8E4M3FN
	F8E5M2
	F8E8M0FNU
	F4E2M1FN
	F8E4M3
	F8E3M4
	F8E4M3B11FNUZ
	F8E4M3FNUZ
	F8E5M2FNUZ
	dtypeCount
)

// kind groups the element types by the type that computes with them.
type kind uint8

const (
	native      kind = iota // a Go type computes with them as they are
	narrowInt               // int8 or uint8 does, and the result is reduced to the bits
	narrowFloat             // float32 does, and the result is rounded
)

type dtypeInfo struct {
	name   string
	size   int
	bits   int
	float  bool
	signed bool
	kind   kind
}

var dtypes = [dtypeCount]dtypeInfo{
	Bool:          {"bool", 1, 1, false, false, native},
	I2:            {"int2", 1, 2, false, true, narrowInt},
	I4:            {"int4", 1, 4, false, true, narrowInt},
	I8:            {"int8", 1, 8, false, true, native},
	I16:           {"int16", 2, 16, false, true, native},
	I32:           {"int32", 4, 32, false, true, native},
	I64:           {"int64", 8, 64, false, true, native},
	U2:            {"uint2", 1, 2, false, false, narrowInt},
	U4:            {"uint4", 1, 4, false, false, narrowInt},
	U8:            {"uint8", 1, 8, false, false, native},
	U16:           {"uint16", 2, 16, false, false, native},
	U32:           {"uint32", 4, 32, false, false, native},
	U64:           {"uint64", 8, 64, false, false, native},
	F16:           {"float16", 2, 16, true, true, narrowFloat},
	BF16:          {"bfloat16", 2, 16, true, true, narrowFloat},
	F32:           {"float32", 4, 32, true, true, native},
	F64:           {"float64", 8, 64, true, true, native},
	F8E4M3FN:      {"float8_e4m3fn", 1, 8, true, true, narrowFloat},
	F8E5M2:        {"float8_e5m2", 1, 8, true, true, narrowFloat},
	F8E8M0FNU:     {"float8_e8m0fnu", 1, 8, true, false, narrowFloat},
	F4E2M1FN:      {"float4_e2m1fn", 1, 4, true, true, narrowFloat},
	F8E4M3:        {"float8_e4m3", 1, 8, true, true, narrowFloat},
	F8E3M4:        {"float8_e3m4", 1, 8, true, true, narrowFloat},
	F8E4M3B11FNUZ: {"float8_e4m3b11fnuz", 1, 8, true, true, narrowFloat},
	F8E4M3FNUZ:    {"float8_e4m3fnuz", 1, 8, true, true, narrowFloat},
	F8E5M2FNUZ:    {"float8_e5m2fnuz", 1, 8, true, true, narrowFloat},
}

// FindDType looks a type up by JAX's name.
func FindDType(name string) (DType, bool) {
	for i := range dtypes {
		if dtypes[i].name == name {
			return DType(i), true
		}
	}
	return 0, false
}

// valid reports whether d is a type of the table.
func (d DType) valid() bool { return d < dtypeCount }

func (d DType) String() string {
	if !d.valid() {
		return "invalid"
	}
	return dtypes[d].name
}

// Size is the number of bytes that an element takes in a Value and in memory.
func (d DType) Size() int { return dtypes[d].size }

// Bits is the number of bits of an element, which is below eight times its size for the
// types below a byte and for bool.
func (d DType) Bits() int { return dtypes[d].bits }

// Float reports whether the type is a floating-point one.
func (d DType) Float() bool { return dtypes[d].float }

// Signed reports whether the type has negative values.
func (d DType) Signed() bool { return dtypes[d].signed }

// integer reports whether the type is an integer and not a boolean.
func (d DType) integer() bool { return d != Bool && !d.Float() }

// wrap reduces an integer to the bits of the type, as they are stored: without sign above
// them.
func (d DType) wrap(x int64) uint64 {
	if d == Bool {
		if x != 0 {
			return 1
		}
		return 0
	}
	n := 64 - d.Bits()
	return uint64(x) << n >> n
}

// extend is the integer that stored bits stand for.
func (d DType) extend(b uint64) int64 {
	if d == Bool {
		return int64(min(b&0xFF, 1))
	}
	n := 64 - d.Bits()
	if d.Signed() {
		return int64(b<<n) >> n
	}
	return int64(b << n >> n)
}
