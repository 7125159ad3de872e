package tensor

import (
	"math"
	"math/bits"
)

// unop names an elementwise operation of one operand.
type unop uint8

const (
	opNeg unop = iota
	opSign
	opAbs
	opSquare
	opOneMinusSquare
	opReciprocal
	opSqrt
	opRsqrt
	opFloor
	opCeil
	opRound
	opRoundEven
	opNot
	opClz
	opPopcount
	opExp
	opExp2
	opTanh
	opLogistic
	opCall // of a function on float64
)

// unary is an elementwise primitive of one operand.
func unary(name string, op unop, f func(float64) float64) Primitive {
	return one(name, 1, func(p *Params, out Type, in []Value) (Value, error) {
		a := in[0]
		if out.DType != a.Type || !sameShape(out.Shape, a.Shape) {
			return Value{}, mismatch(out, a.Type, a.Shape)
		}
		op := op
		if op == opRound && p.Y == 1 {
			op = opRoundEven
		}
		if !op.defined(a.Type) {
			return Value{}, unsupported(a.Type)
		}
		v := Make(a.Type, out.Shape)
		applyUnary(op, f, a.Type, v.Data, a.Data)
		return v, nil
	})
}

func (op unop) defined(d DType) bool {
	switch {
	case d == Bool:
		return op == opNot
	case d.Float():
		return op != opNot && op != opClz && op != opPopcount
	}
	switch op {
	case opNeg, opSign, opAbs, opSquare, opNot, opClz, opPopcount:
		return true
	}
	return false
}

// applyUnary computes elements in memory.
func applyUnary(op unop, f func(float64) float64, d DType, dst, a []byte) {
	switch d {
	case Bool:
		for i, x := range a {
			dst[i] = x ^ 1
		}
	case I8:
		intUnary(op, view[int8](dst), view[int8](a))
	case I16:
		intUnary(op, view[int16](dst), view[int16](a))
	case I32:
		intUnary(op, view[int32](dst), view[int32](a))
	case I64:
		intUnary(op, view[int64](dst), view[int64](a))
	case U8:
		intUnary(op, dst, a)
	case U16:
		intUnary(op, view[uint16](dst), view[uint16](a))
	case U32:
		intUnary(op, view[uint32](dst), view[uint32](a))
	case U64:
		intUnary(op, view[uint64](dst), view[uint64](a))
	case F32:
		floatUnary(op, f, view[float32](dst), view[float32](a))
	case F64:
		floatUnary(op, f, view[float64](dst), view[float64](a))
	case I2, I4:
		nibbleUnary[int8](op, d, dst, a)
	case U2, U4:
		nibbleUnary[uint8](op, d, dst, a)
	case F16, BF16:
		if op == opNeg || op == opAbs {
			signUnary(op, view[uint16](dst), view[uint16](a))
			return
		}
		narrowUnary(op, f, d, dst, a)
	default:
		narrowUnary(op, f, d, dst, a)
	}
}

func narrowUnary(op unop, f func(float64) float64, d DType, dst, a []byte) {
	size := d.Size()
	n := len(dst) / size
	var x [chunk]float32
	for i := 0; i < n; i += chunk {
		s := x[:min(n-i, chunk)]
		decodeFloats(d, s, a[i*size:])
		floatUnary(op, f, s, s)
		encodeFloats(d, dst[i*size:], s)
	}
}

func nibbleUnary[T int8 | uint8](op unop, d DType, dst, a []byte) {
	x, y := make([]T, len(a)), make([]T, len(a))
	widen(d, x, a)
	intUnary(op, y, x)
	for i, e := range y {
		switch op {
		case opClz:
			e = T(bits.LeadingZeros8(a[i]) - 8 + d.Bits())
		case opPopcount:
			e = T(bits.OnesCount8(a[i]))
		}
		dst[i] = uint8(d.wrap(int64(e)))
	}
}

// signUnary changes the sign bit alone, of NaN too.
func signUnary(op unop, dst, a []uint16) {
	for i, x := range a {
		if op == opNeg {
			dst[i] = x ^ 0x8000
		} else {
			dst[i] = x &^ 0x8000
		}
	}
}

func intUnary[T integer](op unop, dst, a []T) {
	dst = dst[:len(a)]
	switch op {
	case opNeg:
		for i, x := range a {
			dst[i] = -x
		}
	case opSign:
		for i, x := range a {
			switch {
			case x < 0:
				dst[i] = ^T(0)
			case x == 0:
				dst[i] = 0
			default:
				dst[i] = 1
			}
		}
	case opAbs:
		for i, x := range a {
			if x < 0 {
				x = -x
			}
			dst[i] = x
		}
	case opSquare:
		for i, x := range a {
			dst[i] = x * x
		}
	case opNot:
		for i, x := range a {
			dst[i] = ^x
		}
	case opClz, opPopcount:
		n := bitsOf[T]()
		for i, x := range a {
			b := uint64(x) << (64 - n)
			if op == opPopcount {
				dst[i] = T(bits.OnesCount64(b))
			} else {
				dst[i] = T(min(bits.LeadingZeros64(b), n))
			}
		}
	}
}

func floatUnary[T float](op unop, f func(float64) float64, dst, a []T) {
	dst = dst[:len(a)]
	switch op {
	case opNeg:
		for i, x := range a {
			dst[i] = -x
		}
	case opSign:
		for i, x := range a {
			switch {
			case x > 0:
				x = 1
			case x < 0:
				x = -1
			}
			dst[i] = x
		}
	case opAbs:
		for i, x := range a {
			dst[i] = T(math.Abs(float64(x)))
		}
	case opSquare:
		for i, x := range a {
			dst[i] = x * x
		}
	case opOneMinusSquare:
		for i, x := range a {
			dst[i] = (1 - x) * (1 + x)
		}
	case opReciprocal:
		for i, x := range a {
			dst[i] = 1 / x
		}
	case opSqrt:
		for i, x := range a {
			dst[i] = T(math.Sqrt(float64(x)))
		}
	case opRsqrt:
		for i, x := range a {
			dst[i] = T(1 / math.Sqrt(float64(x)))
		}
	case opFloor:
		for i, x := range a {
			dst[i] = T(math.Floor(float64(x)))
		}
	case opCeil:
		for i, x := range a {
			dst[i] = T(math.Ceil(float64(x)))
		}
	case opRound:
		for i, x := range a {
			dst[i] = T(math.Round(float64(x)))
		}
	case opRoundEven:
		for i, x := range a {
			dst[i] = T(math.RoundToEven(float64(x)))
		}
	default:
		if !short(op, dst, a) {
			for i, x := range a {
				dst[i] = T(f(float64(x)))
			}
		}
	}
}

// short computes the functions of float32 that there is a shorter way to.
func short[T float](op unop, dst, a []T) bool {
	d, ok := any(dst).([]float32)
	if !ok {
		return false
	}
	s := any(a).([]float32)
	switch op {
	case opExp:
		exps(d, s)
	case opExp2:
		exp2s(d, s)
	case opTanh:
		tanhs(d, s)
	case opLogistic:
		logistics(d, s)
	default:
		return false
	}
	return true
}

// lgamma is the logarithm of the magnitude of the gamma function.
func lgamma(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Inf(1)
	}
	y, _ := math.Lgamma(x)
	return y
}
