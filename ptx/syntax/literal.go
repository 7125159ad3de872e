package syntax

import (
	"math"
	"strconv"
	"strings"
)

// constant is the value of a constant expression: a 64-bit integer, signed or unsigned, or a
// double (PTX ISA, Constant Expressions). A 0f literal keeps its exact single-precision bits and
// takes no part in expressions.
type constant struct {
	kind     constKind
	unsigned bool
	int      uint64
	float    float64
	single   uint32
}

type constKind uint8

const (
	constInt constKind = iota
	constDouble
	constSingle
)

// intLiteral reads an integer literal (PTX ISA, Integer Constants); the cause is empty if it is right.
func intLiteral(text string) (c constant, cause string) {
	digits, isUnsigned := strings.CutSuffix(text, "U")
	base := 10
	switch {
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x':
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'b':
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		if numErr, ok := err.(*strconv.NumError); ok && numErr.Err == strconv.ErrRange {
			return c, "integer " + text + " does not fit in 64 bits"
		}
		return c, "malformed integer " + text
	}
	return constant{kind: constInt, int: v, unsigned: isUnsigned || v > math.MaxInt64}, ""
}

// floatLiteral reads a floating-point literal (PTX ISA, Floating-Point Constants).
func floatLiteral(text string) (c constant, cause string) {
	if len(text) > 1 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'f':
			v, err := strconv.ParseUint(text[2:], 16, 32)
			if err != nil || len(text) != 10 {
				return c, "malformed constant " + text + ": 0f takes 8 hexadecimal digits"
			}
			return constant{kind: constSingle, single: uint32(v)}, ""
		case 'd':
			v, err := strconv.ParseUint(text[2:], 16, 64)
			if err != nil || len(text) != 18 {
				return c, "malformed constant " + text + ": 0d takes 16 hexadecimal digits"
			}
			return constant{kind: constDouble, float: math.Float64frombits(v)}, ""
		}
	}
	for i := 0; i < len(text); i++ {
		if ch := text[i]; !is(ch, classDigit) && ch != '.' && ch|0x20 != 'e' && ch != '+' && ch != '-' {
			return c, "malformed floating-point constant " + text
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if numErr, ok := err.(*strconv.NumError); err != nil && (!ok || numErr.Err != strconv.ErrRange) {
		return c, "malformed floating-point constant " + text
	}
	return constant{kind: constDouble, float: v}, ""
}

// bits converts the constant for a variable's element of type t; the cause is empty if it fits.
func (c constant) bits(t Type) (v uint64, cause string) {
	switch {
	case c.kind == constInt && t == F32:
		return uint64(math.Float32bits(float32(c.asFloat()))), ""
	case c.kind == constInt && t == F64:
		return math.Float64bits(c.asFloat()), ""
	case t == F16 || t == F16x2 || t == BF16 || t == BF16x2 || t == Pred:
		return 0, "a variable of type ." + t.String() + " takes no initialiser"
	case c.kind == constInt:
		return c.int, ""
	case t.Size() == 4 && (t == F32 || t == B32):
		if c.kind == constSingle {
			return uint64(c.single), ""
		}
		return uint64(math.Float32bits(float32(c.float))), ""
	case t.Size() == 8 && (t == F64 || t == B64):
		if c.kind == constSingle {
			return math.Float64bits(float64(math.Float32frombits(c.single))), ""
		}
		return math.Float64bits(c.float), ""
	}
	return 0, "a floating-point value in a variable of type ." + t.String()
}

func (c constant) asFloat() float64 {
	switch {
	case c.kind == constDouble:
		return c.float
	case c.unsigned:
		return float64(c.int)
	}
	return float64(int64(c.int))
}
