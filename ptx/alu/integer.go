package alu

import (
	"math"
	mathbits "math/bits"
)

// Integer arithmetic: PTX ISA 9.7.1.

type signedInt interface{ int8 | int16 | int32 | int64 }
type unsignedInt interface {
	uint8 | uint16 | uint32 | uint64
}

// perType chooses among the functions for .u16 .u32 .u64 .s16 .s32 .s64.
func perType(t typ, u16, u32, u64, s16, s32, s64 Fn) Fn {
	fns := [2][3]Fn{{u16, u32, u64}, {s16, s32, s64}}
	row := 0
	if t.family == signed {
		row = 1
	}
	switch t.kind {
	case B16:
		return fns[row][0]
	case B64:
		return fns[row][2]
	}
	return fns[row][1]
}

// perWidth chooses among the functions for 16, 32 and 64 bits.
func perWidth(t typ, w16, w32, w64 Fn) Fn { return perType(t, w16, w32, w64, w16, w32, w64) }

var integerTypes = []string{"u16", "u32", "u64", "s16", "s32", "s64"}

// 9.7.1.1 add, 9.7.2.1 add.cc
func buildAdd(f *form) *Op {
	if f.flag("cc") {
		return carryOp(f, true, false)
	}
	if f.flag("sat") {
		return same(f.typ("s32"), 2, addSat)
	}
	t := f.typ(append(integerTypes, "u16x2", "s16x2")...)
	if t.family == pairs {
		return same(t, 2, addPairs)
	}
	return same(t, 2, perWidth(t, add[uint16], add[uint32], add[uint64])).with(Ascending)
}

func add[T unsignedInt](a, b, _, _ uint64) uint64 { return uint64(T(a) + T(b)) }
func sub[T unsignedInt](a, b, _, _ uint64) uint64 { return uint64(T(a) - T(b)) }

func addPairs(a, b, _, _ uint64) uint64 {
	return uint64(uint16(a)+uint16(b)) | uint64(uint16(a>>16)+uint16(b>>16))<<16
}

// clamp32 saturates to the range of .s32.
func clamp32(v int64) uint64 {
	return uint64(uint32(max(math.MinInt32, min(v, math.MaxInt32))))
}

func addSat(a, b, _, _ uint64) uint64 { return clamp32(int64(int32(a)) + int64(int32(b))) }
func subSat(a, b, _, _ uint64) uint64 { return clamp32(int64(int32(a)) - int64(int32(b))) }

// 9.7.1.2 sub, 9.7.2.3 sub.cc
func buildSub(f *form) *Op {
	if f.flag("cc") {
		return carryOp(f, true, false)
	}
	if f.flag("sat") {
		return same(f.typ("s32"), 2, subSat)
	}
	t := f.typ(integerTypes...)
	return same(t, 2, perWidth(t, sub[uint16], sub[uint32], sub[uint64])).with(Ascending)
}

// 9.7.1.3 mul
func buildMul(f *form) *Op {
	mode := f.need("lo", "hi", "wide")
	t := f.typ(integerTypes...)
	o := same(t, 2, mulFn(mode, t))
	o.Result = mulResult(f, mode, t)
	if mode == "lo" {
		o.with(Ascending)
	}
	return o
}

// mulFn is the product, its upper half or its full width.
func mulFn(mode string, t typ) Fn {
	switch mode {
	case "hi":
		return perType(t, mulHi[uint16], mulHi[uint32], mulHiU64, mulHiS[int16, uint16], mulHiS[int32, uint32], mulHiS64)
	case "wide":
		return perType(t, mulWide[uint16], mulWide[uint32], nil, mulWideS[int16, uint32], mulWideS[int32, uint64], nil)
	}
	return perWidth(t, mulLo[uint16], mulLo[uint32], mulLo[uint64])
}

// mulResult is the destination class of a multiplication; .wide doubles it, which
// 64-bit types have no room for.
func mulResult(f *form, mode string, t typ) Kind {
	switch {
	case mode != "wide":
		return t.kind
	case t.kind == B16:
		return B32
	case t.kind == B64:
		f.fail(".wide needs a 16-bit or 32-bit type")
	}
	return B64
}

func mulLo[T unsignedInt](a, b, _, _ uint64) uint64   { return uint64(T(a) * T(b)) }
func mulWide[T unsignedInt](a, b, _, _ uint64) uint64 { return uint64(T(a)) * uint64(T(b)) }
func mulWideS[S signedInt, W unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(W(int64(S(a)) * int64(S(b))))
}

func mulHi[T unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(T(uint64(T(a)) * uint64(T(b)) >> width[T]()))
}

func mulHiS[S signedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(U(int64(S(a)) * int64(S(b)) >> width[U]()))
}

func mulHiU64(a, b, _, _ uint64) uint64 {
	hi, _ := mathbits.Mul64(a, b)
	return hi
}

func mulHiS64(a, b, _, _ uint64) uint64 {
	hi, _ := mathbits.Mul64(a, b)
	return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

// width is the number of bits of T.
func width[T unsignedInt]() uint { return uint(mathbits.Len64(uint64(^T(0)))) }

// 9.7.1.4 mad, 9.7.2.5 mad.cc
func buildMad(f *form) *Op {
	mode := f.need("lo", "hi", "wide")
	if mode == "hi" && f.flag("sat") {
		return same(f.typ("s32"), 3, madHiSat)
	}
	if mode != "wide" && f.flag("cc") {
		return madCarryOp(f, mode, true, false)
	}
	t := f.typ(integerTypes...)
	o := same(t, 3, nil)
	o.Result = mulResult(f, mode, t)
	o.Args[2] = o.Result
	switch mode {
	case "lo":
		o.Fn = perWidth(t, madLo[uint16], madLo[uint32], madLo[uint64])
		o.with(Ascending)
	case "hi":
		o.Fn = perType(t, madHi[uint16], madHi[uint32], madHiU64, madHiS[int16, uint16], madHiS[int32, uint32], madHiS64)
	case "wide":
		o.Fn = perType(t, madWide[uint16, uint32], madWide[uint32, uint64], nil,
			madWideS[int16, uint32], madWideS[int32, uint64], nil)
	}
	return o
}

func madLo[T unsignedInt](a, b, c, _ uint64) uint64 { return uint64(T(a)*T(b) + T(c)) }
func madHi[T unsignedInt](a, b, c, _ uint64) uint64 { return uint64(T(mulHi[T](a, b, 0, 0)) + T(c)) }
func madHiS[S signedInt, U unsignedInt](a, b, c, _ uint64) uint64 {
	return uint64(U(mulHiS[S, U](a, b, 0, 0)) + U(c))
}
func madHiU64(a, b, c, _ uint64) uint64 { return mulHiU64(a, b, 0, 0) + c }
func madHiS64(a, b, c, _ uint64) uint64 { return mulHiS64(a, b, 0, 0) + c }
func madWide[T, W unsignedInt](a, b, c, _ uint64) uint64 {
	return uint64(W(uint64(T(a))*uint64(T(b)) + c))
}
func madWideS[S signedInt, W unsignedInt](a, b, c, _ uint64) uint64 {
	return uint64(W(uint64(int64(S(a))*int64(S(b))) + c))
}
func madHiSat(a, b, c, _ uint64) uint64 {
	return clamp32(int64(int32(a))*int64(int32(b))>>32 + int64(int32(c)))
}

// 9.7.1.5 mul24, 9.7.1.6 mad24
func buildMul24(f *form) *Op {
	mode := f.need("lo", "hi")
	if f.op == "mad24" && mode == "hi" && f.flag("sat") {
		return same(f.typ("s32"), 3, func(a, b, c, _ uint64) uint64 {
			return clamp32(int64(int32(product24(a, b)>>16)) + int64(int32(c)))
		})
	}
	t := f.typ("u32", "s32")
	shift := uint(0)
	if mode == "hi" {
		shift = 16
	}
	n := 2
	if f.op == "mad24" {
		n = 3
	}
	mul := func(a, b uint64) uint64 { return (a & 0xffffff) * (b & 0xffffff) }
	if t.family == signed {
		mul = product24
	}
	return same(t, n, func(a, b, c, _ uint64) uint64 { // c is 0 for mul24
		return uint64(uint32(mul(a, b)>>shift) + uint32(c))
	})
}

// product24 is the product of the signed low 24 bits.
func product24(a, b uint64) uint64 {
	return uint64((int64(a) << 40 >> 40) * (int64(b) << 40 >> 40))
}

// 9.7.1.7 sad
func buildSad(f *form) *Op {
	t := f.typ(integerTypes...)
	return same(t, 3, perType(t, sad[uint16, uint16], sad[uint32, uint32], sad[uint64, uint64],
		sad[int16, uint16], sad[int32, uint32], sad[int64, uint64]))
}

func sad[T signedInt | unsignedInt, U unsignedInt](a, b, c, _ uint64) uint64 {
	x, y := T(a), T(b)
	if x < y {
		return uint64(U(y-x) + U(c))
	}
	return uint64(U(x-y) + U(c))
}

// 9.7.1.8 div, 9.7.1.9 rem. Division by zero yields "an unspecified,
// machine-specific value": all ones here, quotient and remainder, as the code
// that NVIDIA's assembler generates gives. The most negative value divided by -1
// wraps around, its remainder is 0.
func buildDivRem(f *form) *Op {
	t := f.typ(integerTypes...)
	if f.op == "rem" {
		return same(t, 2, perType(t, rem[uint16, uint16], rem[uint32, uint32], rem[uint64, uint64],
			rem[int16, uint16], rem[int32, uint32], rem[int64, uint64]))
	}
	return same(t, 2, perType(t, div[uint16, uint16], div[uint32, uint32], div[uint64, uint64],
		div[int16, uint16], div[int32, uint32], div[int64, uint64]))
}

func div[T signedInt | unsignedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(^U(0))
	}
	return uint64(U(T(a) / T(b))) // Go defines MinInt / -1 as MinInt
}

func rem[T signedInt | unsignedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(^U(0))
	}
	return uint64(U(T(a) % T(b)))
}

// 9.7.1.10 abs, 9.7.1.11 neg
func buildAbsNeg(f *form) *Op {
	t := f.typ("s16", "s32", "s64")
	if f.op == "neg" {
		return same(t, 1, perWidth(t, neg[uint16], neg[uint32], neg[uint64])).with(Ascending)
	}
	return same(t, 1, perWidth(t, abs[int16, uint16], abs[int32, uint32], abs[int64, uint64]))
}

func neg[T unsignedInt](a, _, _, _ uint64) uint64 { return uint64(-T(a)) }
func abs[S signedInt, U unsignedInt](a, _, _, _ uint64) uint64 {
	if x := S(a); x < 0 {
		return uint64(U(-x))
	}
	return uint64(U(a))
}

// 9.7.1.12 min, 9.7.1.13 max
func buildMinMax(f *form) *Op {
	if f.flag("relu") {
		t := f.typ("s32", "s16x2")
		lane := minimum[int32, uint32]
		switch {
		case f.op == "max" && t.family == pairs:
			lane = maximum[int16, uint16]
		case f.op == "max":
			lane = maximum[int32, uint32]
		case t.family == pairs:
			lane = minimum[int16, uint16]
		}
		if t.family == pairs {
			return same(t, 2, eachHalf(func(a, b, _, _ uint64) uint64 {
				return maximum[int16, uint16](lane(a, b, 0, 0), 0, 0, 0)
			}))
		}
		return same(t, 2, func(a, b, _, _ uint64) uint64 {
			return maximum[int32, uint32](lane(a, b, 0, 0), 0, 0, 0)
		})
	}
	t := f.typ(append(integerTypes, "u16x2", "s16x2")...)
	lane := t
	if t.family == pairs {
		lane = types[t.name[:3]]
	}
	fn := perType(lane, minimum[uint16, uint16], minimum[uint32, uint32], minimum[uint64, uint64],
		minimum[int16, uint16], minimum[int32, uint32], minimum[int64, uint64])
	if f.op == "max" {
		fn = perType(lane, maximum[uint16, uint16], maximum[uint32, uint32], maximum[uint64, uint64],
			maximum[int16, uint16], maximum[int32, uint32], maximum[int64, uint64])
	}
	if t.family == pairs {
		fn = eachHalf(fn)
	}
	return same(t, 2, fn)
}

func minimum[T signedInt | unsignedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(U(min(T(a), T(b))))
}

func maximum[T signedInt | unsignedInt, U unsignedInt](a, b, _, _ uint64) uint64 {
	return uint64(U(max(T(a), T(b))))
}

// eachHalf applies a 16-bit operation to both halves of packed operands.
func eachHalf(fn Fn) Fn {
	return func(a, b, c, d uint64) uint64 {
		low := fn(a&0xffff, b&0xffff, c&0xffff, d&0xffff)
		high := fn(a>>16&0xffff, b>>16&0xffff, c>>16&0xffff, d>>16&0xffff)
		return low | high<<16
	}
}

// 9.7.1.23 dp4a, 9.7.1.24 dp2a
func buildDot(f *form) *Op {
	offset := 0
	if f.op == "dp2a" && f.need("lo", "hi") == "hi" {
		offset = 16
	}
	signA := f.typ("u32", "s32").family == signed
	t := f.typ("u32", "s32")
	signB := t.family == signed
	lanes, wide := 4, uint(8)
	if f.op == "dp2a" {
		lanes, wide = 2, 16
	}
	o := same(t, 3, func(a, b, c, _ uint64) uint64 {
		b >>= offset
		sum := c
		for i := range lanes {
			sum += field(a, uint(i)*wide, wide, signA) * field(b, uint(i)*8, 8, signB)
		}
		return uint64(uint32(sum))
	})
	o.Signed = signA || signB
	return o
}

// field extracts n bits from position pos, sign-extended on demand.
func field(v uint64, pos, n uint, sign bool) uint64 {
	v = v >> pos << (64 - n)
	if sign {
		return uint64(int64(v) >> (64 - n))
	}
	return v >> (64 - n)
}
