// Package lanes computes on the 32 lane values of a warp register at once.
//
// Every operation has a plain Go form; on amd64 most have a second one in AVX2 assembly,
// three to eight times faster, which is used when the processor has AVX2 and FMA. Both
// give the same bits; a test compares them. The assembly is written by generate.go.
package lanes

//lint:file-ignore U1000 the assembly falls back to these forms

import (
	"math"
	"unsafe"
)

//go:generate go run generate.go

type (
	// V holds a 32-bit register of all lanes (narrower ones too, zero-extended).
	V = [32]uint32
	// D holds a 64-bit register of all lanes.
	D = [32]uint64
	// Half is half a V.
	Half = [16]uint32
)

func f32v(v *V) *[32]float32 { return (*[32]float32)(unsafe.Pointer(v)) }
func f64v(v *D) *[32]float64 { return (*[32]float64)(unsafe.Pointer(v)) }

// canon gives every NaN the payload of PTX's canonical one.
func canon(f float32) uint32 {
	if f != f {
		return 0x7FFFFFFF
	}
	return math.Float32bits(f)
}

func fma32(d, a, b, c *V) {
	x, y, z := f32v(a), f32v(b), f32v(c)
	for i := range d {
		// The product is exact in float64; the sum is right unless it lies exactly halfway
		// between two float32 values or is tiny or not finite.
		p := float64(x[i]) * float64(y[i])
		s := p + float64(z[i])
		u := math.Float64bits(s)
		if e := (u >> 52) & 0x7FF; u&0x1FFFFFFF != 0x10000000 && e > 1023-126 && e != 0x7FF {
			d[i] = math.Float32bits(float32(s))
		} else {
			d[i] = canon(fmaRare(p, float64(z[i]), s))
		}
	}
}

// fmaRare rounds p + c, whose float64 sum is s, to float32 once: the float64 sum is
// forced to odd when it was not exact, so that the second rounding cannot go wrong.
func fmaRare(p, c, s float64) float32 {
	if s == 0 || math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	bb := s - p
	err := (p - (s - bb)) + (c - bb)
	if err != 0 {
		u := math.Float64bits(s)
		if u&1 == 0 {
			if (err > 0) == (s > 0) {
				u |= 1
			} else {
				u--
			}
			s = math.Float64frombits(u)
		}
	}
	return float32(s)
}

// AddF64, MulF64 and FmaF64 keep the NaN that the hardware's scalar instructions give.

// AddF64 is add.rn.f64.
func AddF64(d, a, b *D) {
	x, y, z := f64v(a), f64v(b), f64v(d)
	for i := range d {
		z[i] = x[i] + y[i]
	}
}

// MulF64 is mul.rn.f64.
func MulF64(d, a, b *D) {
	x, y, z := f64v(a), f64v(b), f64v(d)
	for i := range d {
		z[i] = x[i] * y[i]
	}
}

// FmaF64 is fma.rn.f64.
func FmaF64(d, a, b, c *D) {
	x, y, z, w := f64v(a), f64v(b), f64v(c), f64v(d)
	for i := range d {
		w[i] = math.FMA(x[i], y[i], z[i])
	}
}

// Mul64 is mul.lo.u64.
func Mul64(d, a, b *D) {
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

// ShrS64 is shr.s64.
func ShrS64(d, a *D, b *V) {
	for i := range d {
		d[i] = uint64(int64(a[i]) >> b[i])
	}
}

func bit(c bool) uint32 {
	if c {
		return 1
	}
	return 0
}

func select32(d, a, b *V, p uint32) {
	for i := range d {
		if p>>uint(i)&1 != 0 {
			d[i] = a[i]
		} else {
			d[i] = b[i]
		}
	}
}

func select64(d, a, b *D, p uint32) {
	for i := range d {
		if p>>uint(i)&1 != 0 {
			d[i] = a[i]
		} else {
			d[i] = b[i]
		}
	}
}

// copy32 moves 128 bytes by words; runtime memmove costs more than the loop.
func copy32(d, s *V) {
	x, y := (*[16]uint64)(unsafe.Pointer(d)), (*[16]uint64)(unsafe.Pointer(s))
	for i := 0; i < 16; i += 4 {
		a, b, c, e := y[i], y[i+1], y[i+2], y[i+3]
		x[i], x[i+1], x[i+2], x[i+3] = a, b, c, e
	}
}

func copyHalf(d, s *Half) {
	x, y := (*[8]uint64)(unsafe.Pointer(d)), (*[8]uint64)(unsafe.Pointer(s))
	for i := range x {
		x[i] = y[i]
	}
}

func splatHalf(d *Half, v uint32) {
	x := (*[8]uint64)(unsafe.Pointer(d))
	u := uint64(v)<<32 | uint64(v)
	for i := range x {
		x[i] = u
	}
}

func splat32(d *V, v uint32) {
	for i := range d {
		d[i] = v
	}
}

func splat64(d *D, v uint64) {
	for i := range d {
		d[i] = v
	}
}

// matches compares all 32 addresses relative to the first one, without a branch a lane.
func matches(a, rel *D) bool {
	b := a[0]
	var acc uint64
	for i := 0; i < 32; i += 4 {
		acc |= ((a[i] - b) ^ rel[i]) | ((a[i+1] - b) ^ rel[i+1]) | ((a[i+2] - b) ^ rel[i+2]) | ((a[i+3] - b) ^ rel[i+3])
	}
	return acc == 0
}
