package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// class is the arithmetic of an element type.
type class uint8

const (
	unsigned class = iota // also the untyped b8 to b64
	signed
	floating
)

// DType is the element type of a buffer or the type of a scalar argument.
type DType struct {
	Name  string
	Size  int // bytes
	class class
	float *floatFormat
}

// DTypes lists every type by its name in launch files.
var DTypes = []DType{
	{"i8", 1, signed, nil}, {"u8", 1, unsigned, nil}, {"i16", 2, signed, nil}, {"u16", 2, unsigned, nil},
	{"i32", 4, signed, nil}, {"u32", 4, unsigned, nil}, {"i64", 8, signed, nil}, {"u64", 8, unsigned, nil},
	{"f16", 2, floating, &f16}, {"bf16", 2, floating, &bf16}, {"f32", 4, floating, nil}, {"f64", 8, floating, nil},
	{"b8", 1, unsigned, nil}, {"b16", 2, unsigned, nil}, {"b32", 4, unsigned, nil}, {"b64", 8, unsigned, nil},
	{"e4m3", 1, floating, &e4m3}, {"e5m2", 1, floating, &e5m2},
}

func dtypeNames() []string {
	names := make([]string, len(DTypes))
	for i, d := range DTypes {
		names[i] = d.Name
	}
	return names
}

// findDType looks a type up by its name.
func findDType(name string) (DType, error) {
	for _, d := range DTypes {
		if d.Name == name {
			return d, nil
		}
	}
	return DType{}, fmt.Errorf("unknown type %q%s; known: %s", name, nearest(name, dtypeNames()), strings.Join(dtypeNames(), " "))
}

func (d DType) bits() int { return 8 * d.Size }

// untyped reports whether the type is one of b8 to b64: bits without arithmetic.
func (d DType) untyped() bool { return d.Name[0] == 'b' && d.class == unsigned }

// isF32 picks the type that most buffers have, for faster loops.
func (d DType) isF32() bool { return d.class == floating && d.float == nil && d.Size == 4 }

// get reads one element's bits; put writes them. All memory is little-endian.
func (d DType) get(b []byte) uint64 {
	switch d.Size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (d DType) put(b []byte, v uint64) {
	switch d.Size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// encode rounds a number to the floating-point type, to nearest even.
func (d DType) encode(f float64) uint64 {
	switch {
	case d.float != nil:
		return d.float.encode(f)
	case d.Size == 4:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// decode is the value of an element of any type as a float64 (64-bit integers are rounded).
func (d DType) decode(v uint64) float64 {
	switch {
	case d.class == unsigned:
		return float64(v)
	case d.class == signed:
		return float64(d.signExtend(v))
	case d.float != nil:
		return d.float.decode(v)
	case d.Size == 4:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func (d DType) signExtend(v uint64) int64 {
	s := 64 - d.bits()
	return int64(v<<s) >> s
}

// format is an element as a report shows it.
func (d DType) format(v uint64) string {
	switch {
	case d.untyped():
		return fmt.Sprintf("0x%0*x", 2*d.Size, v)
	case d.class == unsigned:
		return strconv.FormatUint(v, 10)
	case d.class == signed:
		return strconv.FormatInt(d.signExtend(v), 10)
	case d.Size == 8:
		return strconv.FormatFloat(d.decode(v), 'g', -1, 64)
	}
	return strconv.FormatFloat(d.decode(v), 'g', -1, 32)
}

// parse reads a value of the type; one that the type cannot hold is an error.
func (d DType) parse(text string) (uint64, error) {
	if d.class == floating {
		f, err := parseFloat(text)
		if err != nil {
			return 0, err
		}
		v := d.encode(f)
		if r := d.decode(v); !math.IsInf(f, 0) && !math.IsNaN(f) && (math.IsInf(r, 0) || math.IsNaN(r)) {
			return 0, fmt.Errorf("%s does not fit %s", text, d.Name)
		}
		return v, nil
	}
	i, err := parseInt(text)
	if err != nil {
		return 0, err
	}
	low, high := d.limits()
	if i.Cmp(low) < 0 || i.Cmp(high) > 0 {
		return 0, fmt.Errorf("%s does not fit %s (%v to %v)", text, d.Name, low, high)
	}
	return wrap(i) & (math.MaxUint64 >> (64 - d.bits())), nil
}

// limits are the least and the greatest value of an integer type. The untyped ones also
// take negative numbers, whose bits are meant.
func (d DType) limits() (low, high *big.Int) {
	one := big.NewInt(1)
	if d.class == signed {
		high = new(big.Int).Lsh(one, uint(d.bits()-1))
		return new(big.Int).Neg(high), high.Sub(high, one)
	}
	high = new(big.Int).Lsh(one, uint(d.bits()))
	high.Sub(high, one)
	if d.untyped() {
		return new(big.Int).Neg(new(big.Int).Lsh(one, uint(d.bits()-1))), high
	}
	return new(big.Int), high
}

// wrap is the two's complement of a number, modulo 2^64.
func wrap(i *big.Int) uint64 {
	low := new(big.Int).And(i, new(big.Int).SetUint64(math.MaxUint64))
	return low.Uint64()
}

// parseInt reads an integer as YAML 1.2 writes it (decimal, 0o17, 0x1f), or a number
// like 1e3 or 2.0 with an integer value.
func parseInt(text string) (*big.Int, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(text, "+")
	}
	base := 10
	if rest, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = rest, 16
	} else if rest, ok := strings.CutPrefix(digits, "0o"); ok {
		digits, base = rest, 8
	}
	if digits != "" && len(digits) <= 64 && digits[0] != '-' && digits[0] != '+' {
		if i, ok := new(big.Int).SetString(digits, base); ok {
			if negative {
				i.Neg(i)
			}
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "_pP") || f != math.Trunc(f) || math.Abs(f) > 1<<63 {
		return nil, fmt.Errorf("%q is not an integer", text)
	}
	i, _ := big.NewFloat(f).Int(nil)
	return i, nil
}

// parseFloat reads a number as YAML 1.2 writes it: 1, 1.5e3, 0x10, .inf, -.inf, .nan; the
// dot before inf and nan may be missing.
func parseFloat(text string) (float64, error) {
	if i, err := parseInt(text); err == nil {
		f, _ := new(big.Float).SetInt(i).Float64()
		if f == 0 && strings.HasPrefix(text, "-") {
			f = math.Copysign(0, -1)
		}
		return f, nil
	}
	t := strings.ToLower(text)
	switch strings.Replace(t, ".", "", 1) {
	case "inf", "+inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	case "nan":
		return math.NaN(), nil
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || strings.ContainsAny(t, "_pni") {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return f, nil
}
