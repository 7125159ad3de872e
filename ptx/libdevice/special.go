package libdevice

import "math"

const twoOverSqrtPi = 1.12837916709551257390

// erfinv starts from the library's value and corrects it once.
func erfinv(y float64) float64 {
	if math.Abs(y) > 0.5 {
		return math.Copysign(erfcinv(1-math.Abs(y)), y) // 1 - |y| is exact
	}
	x := math.Erfinv(y)
	if y == 0 || x != x {
		return x
	}
	return x - (math.Erf(x)-y)/(twoOverSqrtPi*math.Exp(-x*x))
}

func erfcinv(y float64) float64 {
	switch {
	case y != y || y < 0 || y > 2:
		return math.NaN()
	case y == 0:
		return math.Inf(1)
	case y == 2:
		return math.Inf(-1)
	case y >= 0.5 && y <= 1.5:
		return erfinv(1 - y) // exact
	case y > 1.5:
		return -erfcinv(2 - y) // exact
	}
	var x float64
	if y > 1e-3 {
		x = math.Erfinv(1 - y)
	} else {
		l := -math.Log(y)
		x = math.Sqrt(l - math.Log(math.Pi*l)/2) // leading terms of the asymptotic expansion
	}
	for range 4 { // Halley, on the ratio, which is smooth where erfc falls by hundreds of orders
		r := erfcxRatio(x, y)
		x += r / (1 + x*r)
	}
	return x
}

// erfcxRatio is (erfc(x) - y) / |erfc'(x)|.
func erfcxRatio(x, y float64) float64 {
	p := product(x, x)
	e := erfcx(x) - y*expOf(p) // both times exp(x^2)
	return e / twoOverSqrtPi
}

// erfcx is exp(x^2) erfc(x).
func erfcx(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -27:
		return math.Inf(1)
	case x < 12:
		p := product(x, x)
		m, n := expDD(p)
		return m.times(math.Erfc(x)).scale(n)
	case x > 1e10:
		return twoOverSqrtPi / 2 / x
	}
	t, s := 1.0, 0.0
	h := 2 * x * x
	for k := 1.0; k < 40; k += 2 {
		t *= -k / h
		s += t
		if math.Abs(t) < 1e-18 {
			break
		}
	}
	return twoOverSqrtPi / 2 / x * (1 + s)
}

// normcdf is erfc(-x / sqrt 2) / 2; the argument's rounding error is taken into account.
func normcdf(x float64) float64 {
	if x > 40 || x < -40 || x != x {
		return math.Erfc(-x/math.Sqrt2) / 2
	}
	z := dd{-x, 0}.div(ddSqrt2)
	return (math.Erfc(z.hi) - twoOverSqrtPi*math.Exp(-z.hi*z.hi)*z.lo) / 2
}

func normcdfinv(y float64) float64 { return 0 - math.Sqrt2*erfcinv(2*y) }

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// tgamma is Stirling's series in double-double, for arguments moved up to 20 or more.
func tgamma(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1) || x == 0 || math.IsInf(x, -1) || x < 0 && x == math.Trunc(x):
		if x == 0 {
			return math.Copysign(math.Inf(1), x)
		}
		if x > 0 {
			return x
		}
		return math.NaN()
	case x > 172:
		return math.Inf(1)
	case x < -185:
		s := 0.0
		if math.Mod(math.Floor(x), 2) != 0 {
			s = math.Copysign(0, -1)
		}
		return s
	case x < 0.5 && x > -1e-17 && x < 1e-17:
		return 1 / x
	case x < 0.5: // reflection; 1 - x is kept exactly
		m, n := gammaDD(sum(1, -x))
		d := m.times(sinpi(x))
		return ddPi.div(d).scale(-n)
	}
	m, n := gammaDD(dd{x, 0})
	return m.scale(n)
}

// gammaDD is the gamma function of x >= 1/2, as a number and a power of two.
func gammaDD(x dd) (dd, int) {
	down := dd{1, 0}
	for x.hi < 20 {
		down = down.mul(x)
		x = x.add(dd{1, 0})
	}
	l := logDD(x).mul(x.add(dd{-0.5, 0})).add(x.neg()).add(ddHalf2P)
	z := 1 / x.value()
	w := z * z
	series := z * (1.0/12 + w*(-1.0/360+w*(1.0/1260+w*(-1.0/1680+w*(1.0/1188+w*(-691.0/360360+w*(1.0/156+w*(-3617.0/122400))))))))
	m, n := expDD(l.add(dd{series, 0}))
	return m.div(down), n
}

func besselI0(x float64) float64 { return besselI(0, x) }

func besselI1(x float64) float64 { return math.Copysign(besselI(1, x), x) }

// besselI is the modified Bessel function of the first kind of order 0 or 1 and |x|: all
// terms of its power series are positive. Large arguments take the asymptotic expansion.
func besselI(order int, x float64) float64 {
	x = math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x > 714:
		return math.Inf(1)
	case x > 40:
		mu := float64(4 * order * order)
		t, s := dd{1, 0}, dd{1, 0}
		for k := 1.0; k < 60; k++ {
			t = t.times(-(mu - (2*k-1)*(2*k-1))).div(product(8*k, x))
			s = s.add(t)
			if math.Abs(t.hi) < 1e-25 {
				break
			}
		}
		m, n := expDD(dd{x, 0})
		r := math.Sqrt(2 * math.Pi * x)
		d := ddPi.times(2).times(x).add(product(r, r).neg())
		return m.mul(s).div(quickSum(r, d.value()/(2*r))).scale(n)
	}
	q := product(x/2, x/2)
	t := dd{1, 0}
	if order == 1 {
		t = dd{x / 2, 0}
	}
	s := t
	for k := 1; k < 200; k++ {
		t = t.mul(q).div(dd{float64(k * (k + order)), 0})
		s = s.add(t)
		if t.hi < s.hi*1e-20 {
			break
		}
	}
	return s.value()
}

// besselJ is the Bessel function of the first kind of order 0 or 1. Up to 8 its power series
// is summed in double-double: near a zero the library's value has few correct bits.
func besselJ(order int, x float64) float64 {
	if math.Abs(x) > 8 || x != x {
		return math.Jn(order, x)
	}
	q := product(x/2, x/2)
	t := dd{1, 0}
	if order == 1 {
		t = dd{x / 2, 0}
	}
	s := t
	for k := 1; k < 60; k++ {
		t = t.mul(q).div(dd{-float64(k * (k + order)), 0})
		s = s.add(t)
	}
	return s.value()
}

func besselJ0(x float64) float64 { return besselJ(0, x) }
func besselJ1(x float64) float64 { return besselJ(1, x) }

// besselY is the Bessel function of the second kind of order 0 or 1, up to 8 by its series
// around the logarithm, in double-double (NIST DLMF 10.8.1, 10.8.2).
func besselY(order int, x float64) float64 {
	if !(x > 0) || x > 8 || x < 1e-280 {
		return math.Yn(order, x)
	}
	q := product(x/2, x/2)
	l := logDD(dd{x / 2, 0}).add(ddEuler)
	t, s := dd{1, 0}, dd{}                 // the term of J, and the sum with its factors
	h, next := dd{}, dd{float64(order), 0} // harmonic numbers of k and k + order
	if order == 1 {
		t = dd{x / 2, 0}
	}
	for k := 1; ; k++ {
		both := l.add(l).add(h.add(next).neg()) // 2 ln(x/2) - psi(k) - psi(k+order), with the rest of psi
		s = s.add(t.mul(both))
		if k == 60 {
			break
		}
		h = h.add(dd{1, 0}.div(dd{float64(k), 0}))
		next = next.add(dd{1, 0}.div(dd{float64(k + order), 0}))
		t = t.mul(q).div(dd{-float64(k * (k + order)), 0})
	}
	if order == 1 {
		s = s.add(dd{-2, 0}.div(dd{x, 0}))
	}
	return s.div(ddPi).value()
}

func besselY0(x float64) float64 { return besselY(0, x) }
func besselY1(x float64) float64 { return besselY(1, x) }
