package tensor

import (
	"math"
	"unsafe"
)

// opcode names an elementwise operation.
type opcode uint8

const (
	opAdd opcode = iota
	opSub
	opMul
	opDiv
	opRem
	opMax
	opMin
	opPow
	opAnd
	opOr
	opXor
	opShl
	opShr
	opSar
	opAtan2
	opNextAfter
	opCopySign
	opLogAddExp
	opSet // of a scatter: the new element takes the place of the old one
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
)

// defined reports whether elements of a type have the operation.
func (op opcode) defined(d DType) bool {
	switch op {
	case opAnd, opOr, opXor:
		return !d.Float()
	case opShl, opShr, opSar:
		return d.integer()
	case opAtan2, opNextAfter, opCopySign, opLogAddExp:
		return d.Float()
	case opSub, opDiv, opRem, opPow:
		return d != Bool
	}
	return true
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type float interface{ ~float32 | ~float64 }

// intBinary has a loop for each operation on integers. What has no result has XLA's: minus
// one for a division by zero, the dividend as its remainder.
func intBinary[T integer](op opcode, dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch op {
	case opAdd:
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	case opSub:
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	case opMul:
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	case opMax:
		for i := range dst {
			dst[i] = max(a[i], b[i])
		}
	case opMin:
		for i := range dst {
			dst[i] = min(a[i], b[i])
		}
	case opAnd:
		for i := range dst {
			dst[i] = a[i] & b[i]
		}
	case opOr:
		for i := range dst {
			dst[i] = a[i] | b[i]
		}
	case opXor:
		for i := range dst {
			dst[i] = a[i] ^ b[i]
		}
	case opDiv:
		for i := range dst {
			if b[i] == 0 {
				dst[i] = ^T(0)
			} else {
				dst[i] = a[i] / b[i]
			}
		}
	case opRem:
		for i := range dst {
			if b[i] == 0 {
				dst[i] = a[i]
			} else {
				dst[i] = a[i] % b[i]
			}
		}
	case opPow:
		for i := range dst {
			dst[i] = intPow(a[i], b[i])
		}
	default:
		intShift(op, dst, a, b)
	}
}

// intShift shifts by amounts without sign; those from the width on shift everything out.
func intShift[T integer](op opcode, dst, a, b []T) {
	width := uint64(bitsOf[T]())
	mask := ^uint64(0) >> (64 - width)
	switch op {
	case opShl:
		for i := range dst {
			dst[i] = 0
			if n := uint64(b[i]) & mask; n < width {
				dst[i] = a[i] << n
			}
		}
	case opShr:
		for i := range dst {
			dst[i] = 0
			if n := uint64(b[i]) & mask; n < width {
				dst[i] = T(uint64(a[i]) & mask >> n)
			}
		}
	case opSar:
		up := 64 - width
		for i := range dst {
			n := min(uint64(b[i])&mask, width-1)
			dst[i] = T(int64(uint64(a[i])<<up) >> up >> n)
		}
	}
}

// shiftNibbles shifts elements narrower than the type they are held in.
func shiftNibbles[T int8 | uint8](op opcode, d DType, dst, a, b []T) {
	width := uint64(d.Bits())
	for i := range dst {
		n, x := d.wrap(int64(b[i])), d.wrap(int64(a[i]))
		switch {
		case op == opSar:
			up := 64 - width
			dst[i] = T(int64(x<<up) >> up >> min(n, width-1))
		case n >= width:
			dst[i] = 0
		case op == opShl:
			dst[i] = T(x << n)
		default:
			dst[i] = T(x >> n)
		}
	}
}

// bitsOf is the width of a type.
func bitsOf[T integer]() int {
	var x T
	return int(8 * unsafe.Sizeof(x))
}

// intPow raises to a power; the inverse of a number is 0 unless that is one or minus one.
func intPow[T integer](x, y T) T {
	if y < 0 {
		switch {
		case x == 1:
			return 1
		case x == ^T(0) && y&1 == 0:
			return 1
		case x == ^T(0):
			return x
		}
		return 0
	}
	p := T(1)
	for n := uint64(y); n != 0; n >>= 1 {
		if n&1 != 0 {
			p *= x
		}
		x *= x
	}
	return p
}

// boolBinary is arithmetic on booleans, in which addition is or and multiplication and.
func boolBinary(op opcode, dst, a, b []uint8) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch op {
	case opAdd, opMax, opOr:
		for i := range dst {
			dst[i] = a[i] | b[i]
		}
	case opMul, opMin, opAnd:
		for i := range dst {
			dst[i] = a[i] & b[i]
		}
	case opXor:
		for i := range dst {
			dst[i] = a[i] ^ b[i]
		}
	}
}

// floatBinary has a loop for each operation on floating-point numbers. The greater and the
// lesser of two numbers is NaN if one is, and zeros are ordered by their sign.
func floatBinary[T float](op opcode, dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch op {
	case opAdd:
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	case opSub:
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	case opMul:
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	case opDiv:
		for i := range dst {
			dst[i] = a[i] / b[i]
		}
	case opMax:
		for i := range dst {
			dst[i] = max(a[i], b[i])
		}
	case opMin:
		for i := range dst {
			dst[i] = min(a[i], b[i])
		}
	case opRem:
		for i := range dst {
			dst[i] = T(math.Mod(float64(a[i]), float64(b[i])))
		}
	case opPow:
		for i := range dst {
			dst[i] = T(math.Pow(float64(a[i]), float64(b[i])))
		}
	case opAtan2:
		for i := range dst {
			// math.Atan2 loses the sign of a quotient that underflows.
			y := float64(a[i])
			dst[i] = T(math.Copysign(math.Atan2(y, float64(b[i])), y))
		}
	case opCopySign:
		for i := range dst {
			dst[i] = T(math.Copysign(float64(a[i]), float64(b[i])))
		}
	case opLogAddExp:
		for i := range dst {
			dst[i] = T(logAddExp(float64(a[i]), float64(b[i])))
		}
	case opNextAfter:
		for i := range dst {
			dst[i] = nextAfter(a[i], b[i])
		}
	}
}

func nextAfter[T float](x, y T) T {
	if x == y {
		return y
	}
	switch x := any(x).(type) {
	case float32:
		return T(math.Nextafter32(x, float32(y)))
	case float64:
		return T(math.Nextafter(x, float64(y)))
	}
	return x
}

// nextAfterNarrow steps in the codes of a type that has a sign.
func nextAfterNarrow(d DType, dst, a, b []byte) {
	out, x, y := Value{d, nil, dst}, Value{d, nil, a}, Value{d, nil, b}
	sign := uint64(1) << (d.Bits() - 1)
	for i := range out.Len() {
		j, k := min(i, x.Len()-1), min(i, y.Len()-1)
		p, q, c := x.Float(j), y.Float(k), x.bits(j)
		switch {
		case p != p || q != q:
			c = d.encode(math.NaN())
		case p == q:
			c = y.bits(k)
		case p == 0:
			c = 1
			if q < 0 {
				c |= sign
			}
		case (q > p) == (p > 0):
			c++
		default:
			c--
		}
		out.setBits(i, c)
	}
}

// compareLoop has a loop for each comparison. A NaN is unequal to everything.
func compareLoop[T Element](op opcode, dst []uint8, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch op {
	case opEq:
		for i := range dst {
			dst[i] = truth(a[i] == b[i])
		}
	case opNe:
		for i := range dst {
			dst[i] = truth(a[i] != b[i])
		}
	case opLt:
		for i := range dst {
			dst[i] = truth(a[i] < b[i])
		}
	case opLe:
		for i := range dst {
			dst[i] = truth(a[i] <= b[i])
		}
	case opGt:
		for i := range dst {
			dst[i] = truth(a[i] > b[i])
		}
	case opGe:
		for i := range dst {
			dst[i] = truth(a[i] >= b[i])
		}
	}
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
