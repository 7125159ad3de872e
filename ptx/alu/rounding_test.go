package alu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The reference for rounding is exact rational arithmetic, sharing nothing with the
// package but the description of the formats.

var modes = map[string]rounding{"rn": nearestEven, "rz": towardZero, "rm": down, "rp": up}

func power2(e int) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), n)
	}
	return new(big.Rat).SetInt(n)
}

// refRound rounds a non-zero rational.
func refRound(x *big.Rat, f format, m rounding) uint64 {
	neg := x.Sign() < 0
	x = new(big.Rat).Abs(x)
	e := x.Num().BitLen() - x.Denom().BitLen() // 2^(e-1) < x < 2^(e+1)
	if x.Cmp(power2(e)) < 0 {
		e--
	}
	quantum := max(e, 1-f.bias) - int(f.fraction)
	scaled := new(big.Rat).Mul(x, power2(-quantum))
	n, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	tie := new(big.Int).Lsh(rest, 1).Cmp(scaled.Denom())
	up := false
	switch m {
	case nearestEven:
		up = tie > 0 || tie == 0 && n.Bit(0) == 1
	case nearestAway:
		up = tie >= 0
	case down:
		up = neg && rest.Sign() != 0
	case rounding(3):
		up = !neg && rest.Sign() != 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	var sign uint64
	if neg {
		sign = 1 << (f.fraction + f.exponent)
	}
	value := new(big.Rat).Mul(new(big.Rat).SetInt(n), power2(quantum))
	if value.Cmp(power2(f.bias+1)) >= 0 {
		v := f.inf()
		if m == towardZero || m == down && !neg || m == rounding(3) && neg {
			v--
		}
		return sign | v
	}
	code := n.Uint64()
	if code>>f.fraction != 0 { // normal; a carry has moved the exponent
		for code>>(f.fraction+1) != 0 {
			code >>= 1
			quantum++
		}
		code = code&(1<<f.fraction-1) | uint64(quantum+int(f.fraction)+f.bias)<<f.fraction
	}
	return sign | code
}

// refFlush is the .ftz variant: subnormal if below the smallest normal after
// rounding with an unbounded exponent.
func refFlush(x *big.Rat, f format, m rounding) uint64 {
	least := power2(1 - f.bias)
	if new(big.Rat).Abs(x).Cmp(least) >= 0 {
		return refRound(x, f, m)
	}
	scaled := refRound(new(big.Rat).Mul(x, power2(f.bias-1)), format{f.fraction, f.exponent, f.bias}, m)
	sign := scaled & f.signBit()
	if scaled&^f.signBit() >= f.one() { // rounded up to it
		return sign | f.minNormal()
	}
	return sign
}

// exact is a finite value as a rational.
func exact(load func(uint64) float64, v uint64) *big.Rat { return new(big.Rat).SetFloat64(load(v)) }

// refSqrt is a rational that rounds as the square root does.
func refSqrt(x *big.Rat) *big.Rat {
	const extra = 1200 // bits beyond any format's
	n := new(big.Int).Lsh(x.Num(), 2*extra)
	n.Quo(n, x.Denom()) // exact: denominators are powers of two below 2^1075
	s := new(big.Int).Sqrt(n)
	s.Lsh(s, 1)
	if new(big.Int).Mul(s, s).Cmp(n.Lsh(n, 2)) != 0 {
		s.Add(s, big.NewInt(1)) // sticky
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(s), power2(-extra-1))
}

// hardOperands draws finite operands whose results are near ties, cancellation,
// overflow and underflow more often than chance would have it.
func hardOperands(r *rand.Rand, f format) (v [3]uint64) {
	pick := func() uint64 {
		u := r.Uint64() & (f.signBit()<<1 - 1)
		switch r.IntN(4) {
		case 0: // few significant bits
			u &^= 1<<r.IntN(int(f.fraction)) - 1
		case 1: // all ones below a point
			u |= 1<<r.IntN(int(f.fraction)) - 1
		case 2: // small
			u &= f.signBit() | 1<<(f.fraction+1) - 1
		}
		if u&f.inf() == f.inf() {
			u ^= 1 << f.fraction
		}
		return u
	}
	v = [3]uint64{pick(), pick(), pick()}
	_, load := f.loader()
	switch r.IntN(3) {
	case 0: // c near -a*b
		p := f.round(load(v[0])*load(v[1]), nearestEven) ^ f.signBit()
		p += uint64(r.IntN(5)) - 2
		if p&f.inf() != f.inf() && p < f.signBit()<<1 {
			v[2] = p
		}
	case 1: // b near -a
		v[1] = v[0] ^ f.signBit()
		if d := v[1] + uint64(r.IntN(3)); d&f.inf() != f.inf() && d < f.signBit()<<1 {
			v[1] = d
		}
	}
	return v
}

// loader reads values of the format.
func (f format) loader() (format, func(uint64) float64) {
	switch f {
	case binary64:
		return types["f64"].format()
	case binary16:
		return types["f16"].format()
	case bfloat16:
		return types["bf16"].format()
	}
	return types["f32"].format()
}

// TestRoundingAgainstRationals compares every operation and rounding with exact
// arithmetic (PTX ISA 9.7.3: "IEEE 754 compliant rounding"; 9.7.3.6: "fused ... no
// loss of precision").
func TestRoundingAgainstRationals(t *testing.T) {
	zero := new(big.Rat)
	calc := map[string]func(x, y, z *big.Rat) *big.Rat{
		"add": func(x, y, _ *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) },
		"sub": func(x, y, _ *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) },
		"mul": func(x, y, _ *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) },
		"fma": func(x, y, z *big.Rat) *big.Rat { return new(big.Rat).Add(new(big.Rat).Mul(x, y), z) },
		"div": func(x, y, _ *big.Rat) *big.Rat {
			if y.Sign() == 0 {
				return zero
			}
			return new(big.Rat).Quo(x, y)
		},
		"rcp": func(x, _, _ *big.Rat) *big.Rat {
			if x.Sign() == 0 {
				return zero
			}
			return new(big.Rat).Inv(x)
		},
		"sqrt": func(x, _, _ *big.Rat) *big.Rat {
			if x.Sign() <= 0 {
				return zero
			}
			return refSqrt(x)
		},
	}
	forms := []struct {
		op, mods, typ string
		n             int
	}{
		{"{add,sub,mul,fma}", ".{rn,rz,rm,rp}{,.ftz}", "f32", 1500}, {"{div,rcp,sqrt}", ".{rn,rz,rm,rp}{,.ftz}", "f32", 800},
		{"{add,sub,mul,fma}", ".{rn,rz,rm,rp}", "f64", 1500}, {"{div,rcp,sqrt}", ".{rn,rz,rm,rp}", "f64", 600},
		{"{add,sub,mul,fma}", ".rn{,.ftz}", "f16", 1500}, {"{add,sub,mul,fma}", ".rn", "bf16", 1500},
		{"fma", ".rn", "f32", 10000}, {"fma", ".rn", "f64", 2000},
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, form := range forms {
		fm, load := types[form.typ].format()
		for _, op := range Expand(form.op) {
			for _, mods := range Expand(form.mods) {
				o := mustLookup(t, op+mods+"."+form.typ)
				m, ftz := modes[mods[1:3]], len(mods) > 3
				for range form.n {
					v := hardOperands(r, fm)
					var x [3]*big.Rat
					for i := range x {
						u := v[i]
						if ftz {
							u = fm.flush(u)
						}
						x[i] = exact(load, u)
					}
					sum := calc[op](x[0], x[1], x[2])
					if sum.Sign() == 0 { // zeros and poles have a table of their own
						continue
					}
					want := refRound(sum, fm, m)
					if ftz {
						want = refFlush(sum, fm, m)
					}
					if got := o.Fn(v[0], v[1], v[2], 0); got != want {
						t.Fatalf("%s(%#x): got %#x, want %#x", o.Name, v, got, want)
					}
				}
			}
		}
	}
}

// TestConvertAgainstRationals does the same for cvt from doubles and integers.
func TestConvertAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, to := range []string{"f16", "bf16", "f32", "f64"} {
		fm, _ := types[to].format()
		for name, m := range modes {
			if to != "f64" {
				o := mustLookup(t, "cvt."+name+"."+to+".f64")
				for range 1000 {
					x := math.Ldexp(r.Float64()+1, r.IntN(300)-160)
					if r.IntN(2) == 0 { // a value of the format, a half, or next to them
						x = math.Ldexp(float64(r.IntN(1<<12)), r.IntN(40)-25)
						x = math.Nextafter(x, []float64{x, 0, 1e300}[r.IntN(3)])
					}
					if r.IntN(2) == 0 {
						x = -x
					}
					if x == 0 {
						continue
					}
					want := refRound(new(big.Rat).SetFloat64(x), fm, m)
					if got := o.Fn(math.Float64bits(x), 0, 0, 0); got != want {
						t.Fatalf("%s(%g): got %#x, want %#x", o.Name, x, got, want)
					}
				}
			}
			for _, from := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
				o := mustLookup(t, "cvt."+name+"."+to+"."+from)
				for range 500 {
					v := r.Uint64() >> r.IntN(64)
					if r.IntN(2) == 0 {
						v = -v
					}
					v &= o.Args[0].Mask()
					n := new(big.Int).SetUint64(v)
					if types[from].family == signed && v>>(types[from].bits()-1) != 0 {
						n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(types[from].bits())))
					}
					want := uint64(0)
					if v != 0 {
						want = refRound(new(big.Rat).SetInt(n), fm, m)
					}
					if got := o.Fn(v, 0, 0, 0); got != want {
						t.Fatalf("%s(%#x): got %#x, want %#x", o.Name, v, got, want)
					}
				}
			}
		}
	}
}

// TestShiftRight: the lowest bit keeps what was shifted out.
func TestShiftRight(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for n := range 140 {
		for range 20 {
			hi, lo := operand(r, B64), operand(r, B64)
			v := new(big.Int).SetUint64(hi)
			v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(lo))
			want := new(big.Int).Rsh(v, uint(n))
			if new(big.Int).Lsh(want, uint(n)).Cmp(v) != 0 {
				want.SetBit(want, 0, 1)
			}
			gotHi, gotLo := shiftRight(hi, lo, n)
			got := new(big.Int).SetUint64(gotHi)
			if got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(gotLo)).Cmp(want) != 0 {
				t.Fatalf("shiftRight(%#x, %#x, %d) = %#x, want %#x", hi, lo, n, got, want)
			}
		}
	}
}
