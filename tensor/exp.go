package tensor

import "math"

// Exponential functions of float32, computed in float64 with fewer terms than package math
// takes: their error is below a hundredth of a unit of the last place before they are rounded.

// power2 is 2 to the x, for x within -1000 and 1000.
func power2(x float64) float64 {
	const shift = 0x3p51 // adding it rounds to an integer
	k := x + shift       // its low bits are the integer
	r := (x - (k - shift)) * math.Ln2
	s := r * r
	return (1 + r + s*(1./2+r*(1./6)+s*(1./24+r*(1./120)+s*(1./720+r*(1./5040)+s*(1./40320))))) * math.Float64frombits((math.Float64bits(k)+1023)<<52)
}

// exp2of is power2 with the limits beyond which a float32 is infinite or zero.
func exp2of(x float64) float32 {
	switch {
	case x > -151 && x < 129:
		return float32(power2(x))
	case x >= 129:
		return float32(math.Inf(1))
	case x <= -151:
		return 0
	}
	return float32(x)
}

func exp2s(dst, a []float32) {
	for i, x := range a {
		dst[i] = exp2of(float64(x))
	}
}

func exps(dst, a []float32) {
	for i, x := range a {
		dst[i] = exp2of(float64(x) * math.Log2E)
	}
}

func logistics(dst, a []float32) {
	for i, x := range a {
		switch t := -float64(x) * math.Log2E; {
		case t < 200: // from -200 on the sum is one
			dst[i] = float32(1 / (1 + power2(max(t, -200))))
		case x != x:
			dst[i] = x
		default:
			dst[i] = 0
		}
	}
}

func tanhs(dst, a []float32) {
	for i, x := range a {
		switch y := math.Abs(float64(x)); {
		case y < 0.3:
			t, s := float64(x), y*y
			dst[i] = float32(t - t*s*(1./3-s*(2./15-s*(17./315-s*(62./2835-s*(1382./155925))))))
		case y < 20:
			dst[i] = float32(math.Copysign(1-2/(power2(y*(2*math.Log2E))+1), float64(x)))
		case x != x:
			dst[i] = x
		default:
			dst[i] = float32(math.Copysign(1, float64(x)))
		}
	}
}
