package alu

import (
	"math"
	mathbits "math/bits"
	"slices"
)

// MMA (one for each instruction: it keeps its scratch memory) is the arithmetic of matrix multiply-accumulate, d = a*b + c, on matrices of raw
// element bits (PTX ISA 9.7.14, "Warp-Level Matrix Multiply-Accumulate Instructions").
//
// The ISA leaves the order of the additions open, and their precision except for a minimum
// of single (for a .f16 result: half). Here the products are exact; they are added to c in
// double precision in ascending order of k, and the sum is rounded once to d, to nearest
// even. For .f64 each step is one fused multiply-add with the instruction's rounding, in
// ascending order of k. Integer sums are exact and wrap, or saturate with .satfinite, at
// the end.
type MMA struct {
	// Bits is the width of an element of a and of b in a register. Single bits (.b1) are
	// computed 32 at a time: an element is a word, and k counts words.
	Bits int
	run  func(a, b, c, d []uint64, m, n, k int)
}

// Run computes d[m][n] = sum over k of a[m][k]*b[n][k], plus c[m][n]. Note that b is given
// by columns. Matrices are row after row without gaps.
func (o *MMA) Run(a, b, c, d []uint64, m, n, k int) { o.run(a, b, c, d, m, n, k) }

// tensorElement is a type of the matrices a and b.
type tensorElement struct {
	bits  int
	real  func(uint64) float64 // floating-point types
	whole func(uint64) int64   // integers
}

var tensorElements = map[string]tensorElement{
	"f16":  {bits: 16, real: half64},
	"bf16": {bits: 16, real: bfloat64},
	// The lower 13 bits of a .tf32 register are ignored.
	"tf32": {bits: 32, real: func(v uint64) float64 { return float64(f32(v &^ 0x1fff)) }},
	"e4m3": {bits: 8, real: func(v uint64) float64 { return half64(e4m3Half(v)) }},
	"e5m2": {bits: 8, real: func(v uint64) float64 { return half64(e5m2Half(v)) }},
	"u8":   {bits: 8, whole: func(v uint64) int64 { return int64(uint8(v)) }},
	"s8":   {bits: 8, whole: func(v uint64) int64 { return int64(int8(v)) }},
	"u4":   {bits: 4, whole: func(v uint64) int64 { return int64(v & 15) }},
	"s4":   {bits: 4, whole: func(v uint64) int64 { return int64(int8(v<<4)) >> 4 }},
}

// LookupMMA finds the arithmetic for the types of d, a, b and c. flags are the modifiers
// that change it: satfinite, the rounding of .f64, the xor or and of .b1.
func LookupMMA(d, a, b, c string, flags ...string) (*MMA, error) {
	form := &form{op: "mma", mods: []string{d, a, b, c}}
	flag := ""
	if len(flags) > 0 {
		flag = flags[0]
	}
	x, okA := tensorElements[a]
	y, okB := tensorElements[b]
	switch {
	case len(flags) > 1:
		form.fail("at most one of .satfinite, a rounding and a bit operation is possible")
	case a == "f64" && b == "f64" && c == "f64" && d == "f64":
		if flag == "" {
			flag = "rn"
		}
		fma, err := Lookup("fma", []string{flag, "f64"})
		if err != nil {
			return nil, err
		}
		return &MMA{64, chain(fma.Fn)}, nil
	case a == "b1" && b == "b1" && c == "s32" && d == "s32":
		if flag == "xor" || flag == "and" {
			return &MMA{32, bitProduct(flag == "xor")}, nil
		}
		form.fail(".b1 needs .xor.popc or .and.popc")
	case !okA || !okB || x.bits != y.bits:
		form.fail(".%s does not multiply by .%s", a, b)
	case x.whole != nil && y.whole != nil:
		if c != "s32" || d != "s32" || flag != "" && flag != "satfinite" {
			form.fail("integers are accumulated in .s32, with .satfinite or without")
			break
		}
		return &MMA{x.bits, integerProduct(x.whole, y.whole, flag != "")}, nil
	case x.real == nil || y.real == nil || x.bits != 8 && a != b:
		form.fail(".%s does not multiply by .%s", a, b)
	case !slices.Contains([]string{"f16", "f32"}, c) || !slices.Contains([]string{"f16", "f32"}, d) || (a == "bf16" || a == "tf32") && (c != "f32" || d != "f32"):
		form.fail(".%s cannot be accumulated in .%s and .%s", a, c, d)
	case flag != "" && !(flag == "satfinite" && a == "f16"):
		form.fail(".%s does not go with .%s", flag, a)
	default:
		return &MMA{x.bits, realProduct(x.real, y.real, types[c], types[d], flag != "")}, nil
	}
	err := form.err.(*UnknownFormError)
	err.Form = form.name()
	return nil, err
}

func realProduct(x, y func(uint64) float64, c, d typ, satfinite bool) func(a, b, c, d []uint64, m, n, k int) {
	_, load := c.format()
	out, _ := d.format()
	var p, q []float64
	return func(a, b, c, d []uint64, m, n, k int) {
		p, q = slices.Grow(p[:0], len(a))[:len(a)], slices.Grow(q[:0], len(b))[:len(b)]
		for i, v := range a {
			p[i] = x(v)
		}
		for i, v := range b {
			q[i] = y(v)
		}
		for i := range m {
			row := p[i*k : i*k+k]
			for j := range n {
				sum := load(c[i*n+j])
				column := q[j*k : j*k+k]
				for l, v := range row {
					sum += float64(v * column[l]) // exact: no fused multiply-add differs
				}
				v := out.round(sum, nearestEven)
				if satfinite { // NaN becomes +0, what is beyond the largest number that number
					if out.isNaN(v) {
						v = 0
					} else if v&^out.signBit() == out.inf() {
						v--
					}
				}
				d[i*n+j] = v
			}
		}
	}
}

func integerProduct(x, y func(uint64) int64, satfinite bool) func(a, b, c, d []uint64, m, n, k int) {
	return func(a, b, c, d []uint64, m, n, k int) {
		for i := range m {
			for j := range n {
				sum := int64(int32(c[i*n+j]))
				for l := range k {
					sum += x(a[i*k+l]) * y(b[j*k+l])
				}
				if satfinite {
					sum = max(math.MinInt32, min(sum, math.MaxInt32))
				}
				d[i*n+j] = uint64(uint32(sum))
			}
		}
	}
}

// bitProduct counts the bits of a xor b, or a and b.
func bitProduct(xor bool) func(a, b, c, d []uint64, m, n, k int) {
	return func(a, b, c, d []uint64, m, n, k int) {
		for i := range m {
			for j := range n {
				sum := uint32(c[i*n+j])
				for l := range k {
					v := a[i*k+l] & b[j*k+l]
					if xor {
						v = a[i*k+l] ^ b[j*k+l]
					}
					sum += uint32(mathbits.OnesCount32(uint32(v)))
				}
				d[i*n+j] = uint64(sum)
			}
		}
	}
}

// chain is a sum of fused multiply-adds.
func chain(fma Fn) func(a, b, c, d []uint64, m, n, k int) {
	return func(a, b, c, d []uint64, m, n, k int) {
		for i := range m {
			for j := range n {
				sum := c[i*n+j]
				for l := range k {
					sum = fma(a[i*k+l], b[j*k+l], sum, 0)
				}
				d[i*n+j] = sum
			}
		}
	}
}
