package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The shorter functions differ from those of package math, rounded, by a unit of the last
// place at the most, and rarely.
func TestShortExponentialsAreRight(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 88.8, -88, 104, -104, 127.99, 128, -149, -149.5, -150, -151, 1e-45, -1e-38, 0.3, -0.3, 19.9, 20, 1e30, -1e30,
		math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	r := rand.New(rand.NewPCG(8, 8))
	for len(special) < 200000 {
		special = append(special, float32(r.NormFloat64()*30), float32(r.NormFloat64()), math.Float32frombits(r.Uint32()))
	}
	for _, c := range []struct {
		name  string
		short func(dst, a []float32)
		long  func(float64) float64
	}{
		{"exp", exps, math.Exp},
		{"exp2", exp2s, math.Exp2},
		{"tanh", tanhs, math.Tanh},
		{"logistic", logistics, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	} {
		got := Make(F32, []int{len(special)})
		want := Make(F32, []int{len(special)})
		c.short(As[float32](got), special)
		for i, x := range special {
			As[float32](want)[i] = float32(c.long(float64(x)))
		}
		off := 0
		for i, x := range special {
			switch d := distance(got, want, i); {
			case d == 1:
				off++
			case d > 1:
				t.Errorf("%s of %v is %v, want %v", c.name, x, got.Float(i), want.Float(i))
			}
		}
		if off > len(special)/1000 {
			t.Errorf("%s: %d of %d are off by one", c.name, off, len(special))
		}
		t.Logf("%s: %d of %d are off by one", c.name, off, len(special))
	}
}
