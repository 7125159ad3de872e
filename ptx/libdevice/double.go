package libdevice

import "math"

// dd is a number as the unevaluated sum of two doubles, about 106 bits: functions whose
// last step would magnify the rounding of a double are computed in it.
type dd struct{ hi, lo float64 }

func quickSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func sum(a, b float64) dd {
	s := a + b
	v := s - a
	return dd{s, (a - (s - v)) + (b - v)}
}

func product(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := sum(a.hi, b.hi), sum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) mul(b dd) dd {
	p := product(a.hi, b.hi)
	return quickSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a dd) times(b float64) dd { return a.mul(dd{b, 0}) }

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.add(b.times(q).neg())
	q2 := r.hi / b.hi
	r = r.add(b.times(q2).neg())
	return quickSum(q, q2).add(dd{r.hi / b.hi, 0})
}

func (a dd) value() float64 { return a.hi + a.lo }

// scale multiplies by a power of two.
func (a dd) scale(n int) float64 {
	s := quickSum(a.hi, a.lo)
	return math.Ldexp(s.hi, n) // lo is below half a unit
}

var (
	ddLn2    = dd{6.93147180559945286227e-01, 2.31904681384629955842e-17}
	ddLn10   = dd{2.30258509299404590109e+00, -2.17075622338224935628e-16}
	ddPi     = dd{3.14159265358979311600e+00, 1.22464679914735320717e-16}
	ddSqrt2  = dd{1.41421356237309514547e+00, -9.66729331345291345105e-17}
	ddEuler  = dd{5.77215664901532865549e-01, -4.94291515243064487e-18}
	ddHalf2P = dd{9.18938533204672780563e-01, -3.87829415806724144985e-17} // ln(2*pi)/2
)

// expDD is the exponential, as a number near 1 and a power of two.
func expDD(x dd) (m dd, n int) {
	k := math.RoundToEven(x.hi / ddLn2.hi)
	r := x.add(ddLn2.times(-k))
	const steps = 8 // squarings: the series runs on r / 256
	r = dd{r.hi / (1 << steps), r.lo / (1 << steps)}
	t, s := r, r
	for i := 2; i <= 9; i++ {
		t = t.mul(r)
		t = t.div(dd{float64(i), 0})
		s = s.add(t)
	}
	for range steps { // (1+s)^2 - 1 = 2s + s^2
		s = s.add(s).add(s.mul(s))
	}
	return s.add(dd{1, 0}), int(k)
}

// logDD is the logarithm of a positive finite number.
func logDD(x dd) dd {
	f, e := math.Frexp(x.hi)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	m := dd{f, math.Ldexp(x.lo, -e)}
	y := dd{math.Log(m.value()), 0}
	for range 2 { // Newton on exp(y) = m
		ex, n := expDD(y.neg())
		ex = dd{math.Ldexp(ex.hi, n), math.Ldexp(ex.lo, n)}
		y = y.add(m.mul(ex).add(dd{-1, 0}))
	}
	return y.add(ddLn2.times(float64(e)))
}

// expOf is the exponential of x, rounded.
func expOf(x dd) float64 {
	switch {
	case x.hi > 710:
		return math.Inf(1)
	case x.hi < -746:
		return 0
	}
	m, n := expDD(x)
	return m.scale(n)
}
