package tensor

import (
	"fmt"
	"math/bits"
)

// layouts of the types that reduce_precision takes: bits of mantissa and exponent.
var layouts = map[DType][2]int{F16: {10, 5}, BF16: {7, 8}, F32: {23, 8}, F64: {52, 11}}

// reducePrecision rounds to a format with fewer bits. What is below its normal numbers
// becomes zero, as in XLA.
func reducePrecision(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type || !sameShape(out.Shape, a.Shape) {
		return Value{}, mismatch(out, a.Type, a.Shape)
	}
	l, ok := layouts[a.Type]
	if !ok {
		return Value{}, unsupported(a.Type)
	}
	if p.Exponent < 1 || p.Mantissa < 0 || p.Exponent > 62 {
		return Value{}, fmt.Errorf("%d bits of exponent and %d of mantissa", p.Exponent, p.Mantissa)
	}
	v := Make(a.Type, out.Shape)
	for i := range v.Len() {
		v.setBits(i, reduceBits(a.bits(i), l[0], l[1], p.Mantissa, p.Exponent))
	}
	return v, nil
}

// reduceBits rounds a number of m and e bits of mantissa and exponent to fewer.
func reduceBits(b uint64, m, e, toM, toE int) uint64 {
	infinity := uint64(1<<e-1) << m
	sign := b & (1 << (m + e))
	x := b &^ sign
	if x > infinity {
		return b
	}
	if n := m - toM; n > 0 {
		x += x>>n&1 + 1<<(n-1) - 1
		x &^= 1<<n - 1
	}
	if toE < e {
		bias, reach := 1<<(e-1)-1, 1<<(toE-1)-1
		switch exponent := int(x >> m); {
		case exponent > bias+reach:
			x = infinity
		case exponent <= bias-reach:
			x = 0
		}
	}
	return sign | x
}

// mulHigh is the upper half of the product of integers.
func mulHigh(_ *Params, out Type, in []Value) (Value, error) {
	xs, ys, err := operands(out, in[0].Type, &in[0], &in[1])
	if err != nil {
		return Value{}, err
	}
	a, b := Value{Type: out.DType, Data: xs}, Value{Type: out.DType, Data: ys}
	if !a.Type.integer() {
		return Value{}, unsupported(a.Type)
	}
	v := Make(a.Type, out.Shape)
	n := a.Type.Bits()
	for i := range v.Len() {
		x, y := a.Int(min(i, a.Len()-1)), b.Int(min(i, b.Len()-1))
		if n < 64 {
			v.setBits(i, a.Type.wrap(x*y>>n))
			continue
		}
		high, _ := bits.Mul64(uint64(x), uint64(y))
		if a.Type.Signed() {
			high -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
		}
		v.setBits(i, high)
	}
	return v, nil
}

// threefry is the block cipher of JAX's random numbers: operands are two words of the key
// and two of the counter, results two words.
func threefry(_ *Params, out []Type, in []Value) ([]Value, error) {
	n := Count(out[0].Shape)
	for i, v := range in {
		if v.Type != U32 || !fits(v, out[0].Shape, n) {
			return nil, fmt.Errorf("operand %d is %s", i, describe(v.Type, v.Shape))
		}
	}
	for _, t := range out {
		if t.DType != U32 || !sameShape(t.Shape, out[0].Shape) {
			return nil, mismatch(t, U32, out[0].Shape)
		}
	}
	v, w := Make(U32, out[0].Shape), Make(U32, out[0].Shape)
	k0, k1, x0, x1 := whole[uint32](in[0], n), whole[uint32](in[1], n), whole[uint32](in[2], n), whole[uint32](in[3], n)
	y, z := As[uint32](v), As[uint32](w)
	for i := range y {
		y[i], z[i] = threefryBlock(k0[i], k1[i], x0[i], x1[i])
	}
	return []Value{v, w}, nil
}

func threefryBlock(k0, k1, x, y uint32) (uint32, uint32) {
	rotations := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	keys := [3]uint32{k0, k1, k0 ^ k1 ^ 0x1BD11BDA}
	x, y = x+k0, y+k1
	for round := range 5 {
		for _, r := range rotations[round%2] {
			x += y
			y = bits.RotateLeft32(y, r) ^ x
		}
		x += keys[(round+1)%3]
		y += keys[(round+2)%3] + uint32(round) + 1
	}
	return x, y
}
