package alu

import (
	"math"
	"math/rand/v2"
	"testing"
)

const (
	one32    = 0x3f800000
	inf32    = 0x7f800000
	ninf32   = 0xff800000
	nzero32  = 0x80000000
	snan32   = 0x7f800001
	sub32    = 0x00000001 // smallest subnormal
	least32  = 0x00800000 // smallest normal
	largest  = 0x7f7fffff
	one64    = 0x3ff0000000000000
	inf64    = 0x7ff0000000000000
	nan64a   = 0x7ff8000000001234
	snan64   = 0xfff0000000000001
	nzero64  = 1 << 63
	largestD = 0x7fefffffffffffff
)

func TestFloatSpecialValues(t *testing.T) {
	runRows(t, []row{
		// single precision: NaN is 0x7fffffff, subnormals live unless .ftz
		{"9.7.3.3", "add.rn.f32", in{snan32, one32}, nan32},
		{"9.7.3.3", "add.f32", in{inf32, ninf32}, nan32},
		{"9.7.3.3", "add.f32", in{sub32, sub32}, 2},
		{"9.7.3.3", "add.ftz.f32", in{sub32, sub32}, 0},
		{"9.7.3.3", "add.ftz.f32", in{nzero32 | sub32, nzero32 | sub32}, nzero32},
		{"9.7.3.3", "add.ftz.f32", in{least32 + 1, nzero32 | least32}, 0}, // a subnormal result
		{"9.7.3.3", "add.rn.f32", in{one32, nzero32 | one32}, 0},
		{"9.7.3.3", "add.rm.f32", in{one32, nzero32 | one32}, nzero32},
		{"9.7.3.3", "add.rm.f32", in{0, nzero32}, nzero32},
		{"9.7.3.3", "add.rm.f32", in{0, 0}, 0},
		{"9.7.3.4", "sub.rm.f32", in{one32, one32}, nzero32},
		{"9.7.3.3", "add.rp.f32", in{nzero32, nzero32}, nzero32},
		{"9.7.3.3", "add.rn.f32", in{largest, largest}, inf32},
		{"9.7.3.3", "add.rz.f32", in{largest, largest}, largest},
		{"9.7.3.3", "add.rm.f32", in{largest, largest}, largest},
		{"9.7.3.3", "add.rp.f32", in{one32, sub32}, one32 + 1},
		{"9.7.3.3", "add.sat.f32", in{one32, one32}, one32},
		{"9.7.3.3", "add.sat.f32", in{nzero32 | one32, 0}, 0},
		{"9.7.3.3", "add.sat.f32", in{inf32, ninf32}, 0},
		{"9.7.3.3", "add.sat.f32", in{inf32, 0}, one32},
		{"9.7.3.5", "mul.f32", in{0, inf32}, nan32},
		{"9.7.3.5", "mul.f32", in{nzero32, one32}, nzero32},
		{"9.7.3.5", "mul.ftz.f32", in{least32, 0x3f000000}, 0},
		{"9.7.3.5", "mul.f32", in{least32, 0x3f000000}, least32 >> 1},
		{"9.7.3.5", "mul.rp.ftz.f32", in{0x3f7fffff, least32}, 0}, // not the least normal: 24 bits hold it
		{"9.7.3.6", "fma.rn.f32", in{0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
		{"9.7.3.6", "fma.rn.f32", in{0, inf32, one32}, nan32},
		{"9.7.3.6", "fma.rm.f32", in{one32, one32, nzero32 | one32}, nzero32},
		{"9.7.3.6", "fma.rn.ftz.f32", in{sub32, inf32, 0}, nan32},                     // 0 * inf
		{"9.7.3.6", "fma.rn.f32", in{0x1a000001, 0x19fffffe, 0x00400001}, 0x00400001}, // just below a tie of subnormals
		{"9.7.3.7", "mad.rn.f32", in{0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
		{"9.7.3.8", "div.rn.f32", in{one32, nzero32}, ninf32},
		{"9.7.3.8", "div.rn.f32", in{0, 0}, nan32},
		{"9.7.3.8", "div.rm.f32", in{inf32, inf32}, nan32},
		{"9.7.3.8", "div.rz.f32", in{one32, 0}, inf32}, // exact: no rounding
		{"9.7.3.8", "div.approx.f32", in{one32, 0x7f000000}, 0},
		{"9.7.3.8", "div.approx.f32", in{one32, 0xff000000}, nzero32},
		{"9.7.3.8", "div.approx.f32", in{inf32, 0x7f000000}, nan32},
		{"9.7.3.8", "div.approx.f32", in{one32, 0x7e800000}, 0x00800000},
		{"9.7.3.8", "div.full.f32", in{one32, 0x7f000000}, 0x00400000},
		{"9.7.3.9", "abs.f32", in{0xff800000}, inf32},
		{"9.7.3.9", "abs.ftz.f32", in{0x80000001}, 0},
		{"9.7.3.9", "abs.f64", in{snan64}, snan64},
		{"9.7.3.9", "abs.f64", in{nzero64}, 0},
		{"9.7.3.10", "neg.f32", in{0}, nzero32},
		{"9.7.3.10", "neg.ftz.f32", in{sub32}, nzero32},
		{"9.7.3.11", "min.f32", in{nzero32, 0}, nzero32},
		{"9.7.3.11", "min.f32", in{0, nzero32}, nzero32},
		{"9.7.3.11", "min.f32", in{snan32, one32}, one32},
		{"9.7.3.11", "min.f32", in{one32, snan32}, one32},
		{"9.7.3.11", "min.f32", in{snan32, snan32}, nan32},
		{"9.7.3.11", "min.NaN.f32", in{one32, snan32}, nan32},
		{"9.7.3.11", "min.ftz.f32", in{0x80000001, one32}, nzero32},
		{"9.7.3.11", "min.xorsign.abs.f32", in{0xc0000000, one32}, 0xbf800000},
		{"9.7.3.11", "min.NaN.xorsign.abs.f32", in{0xc0000000, snan32}, nan32},
		{"9.7.3.11", "min.f64", in{nan64a, snan64}, nan64a},
		{"9.7.3.11", "min.f64", in{nan64a, one64}, one64},
		{"9.7.3.12", "max.f32", in{nzero32, 0}, 0},
		{"9.7.3.12", "max.f32", in{0xc0000000, 0xbf800000}, 0xbf800000},
		{"9.7.3.12", "max.f32", in{one32, 0x40000000}, 0x40000000},
		{"9.7.3.12", "max.f32", in{inf32, snan32}, inf32},
		{"9.7.3.12", "max.f64", in{nzero64, 0}, 0},
		{"9.7.3.12", "max.xorsign.abs.f32", in{0xc0000000, 0xbf800000}, 0x40000000},
		{"9.7.3.13", "rcp.rn.f32", in{nzero32}, ninf32},
		{"9.7.3.13", "rcp.approx.f32", in{ninf32}, nzero32},
		{"9.7.3.13", "rcp.approx.ftz.f32", in{sub32}, inf32},
		{"9.7.3.13", "rcp.approx.ftz.f32", in{largest}, 0},
		{"9.7.3.15", "sqrt.rn.f32", in{nzero32}, nzero32},
		{"9.7.3.15", "sqrt.rn.f32", in{0xbf800000}, nan32},
		{"9.7.3.15", "sqrt.approx.f32", in{inf32}, inf32},
		{"9.7.3.15", "sqrt.approx.ftz.f32", in{0x80000001}, nzero32},
		{"9.7.3.15", "sqrt.rp.f32", in{0x40000000}, 0x3fb504f4},
		{"9.7.3.15", "sqrt.rm.f32", in{0x40000000}, 0x3fb504f3},
		{"9.7.3.2", "copysign.f32", in{nzero32, snan32}, nzero32 | snan32},
		{"9.7.3.2", "copysign.f64", in{one64, nzero64 | one64}, one64},

		// double precision: payloads are kept, the first NaN wins
		{"9.7.3", "add.rn.f64", in{one64, snan64}, snan64 | quietBit64},
		{"9.7.3", "add.rp.f64", in{nan64a, snan64}, nan64a},
		{"9.7.3", "sub.f64", in{inf64, inf64}, invalid64},
		{"9.7.3", "mul.rz.f64", in{0, inf64}, invalid64},
		{"9.7.3", "fma.rn.f64", in{one64, nan64a, snan64}, nan64a},
		{"9.7.3", "fma.rm.f64", in{one64, one64, nzero64 | one64}, nzero64},
		{"9.7.3", "fma.rm.f64", in{one64, 0, 0}, 0},
		{"9.7.3", "fma.rp.f64", in{one64, nzero64, one64}, one64},
		{"9.7.3", "add.rm.f64", in{one64, nzero64 | one64}, nzero64},
		{"9.7.3", "add.rz.f64", in{largestD, largestD}, largestD},
		{"9.7.3", "add.rn.f64", in{largestD, largestD}, inf64},
		{"9.7.3", "mul.rp.f64", in{1, 1}, 1},
		{"9.7.3", "mul.rm.f64", in{1, nzero64 | 1}, nzero64 | 1},
		{"9.7.3", "mul.rn.f64", in{1, 1}, 0},
		{"9.7.3", "div.rn.f64", in{one64, 0}, inf64},
		{"9.7.3", "sqrt.rz.f64", in{nzero64 | one64}, invalid64},
		{"9.7.3", "rcp.rn.f64", in{0x4000000000000000}, 0x3fe0000000000000},
		{"9.7.3.14", "rcp.approx.ftz.f64", in{0x4000000012345678}, 0x3fe0000000000000},
		{"9.7.3.14", "rcp.approx.ftz.f64", in{nzero64 | 1<<40}, nzero64 | inf64},
		{"9.7.3.14", "rcp.approx.ftz.f64", in{snan64}, nzero64}, // the upper word is that of -inf
		{"9.7.3.14", "rcp.approx.ftz.f64", in{0xfff8000000000000}, 0x7fffffff00000000},
		{"9.7.3.17", "rsqrt.approx.ftz.f64", in{nzero64 | one64}, 0x7fffffff00000000},
		{"9.7.3.17", "rsqrt.approx.ftz.f64", in{0x4010000000000000}, 0x3fe0000000000000},
		{"9.7.3.16", "rsqrt.approx.f64", in{nzero64}, nzero64 | inf64},

		// the tables of the approximations
		{"9.7.3.16", "rsqrt.approx.f32", in{nzero32}, ninf32},
		{"9.7.3.16", "rsqrt.approx.f32", in{inf32}, 0},
		{"9.7.3.16", "rsqrt.approx.f32", in{0xbf800000}, nan32},
		{"9.7.3.16", "rsqrt.approx.ftz.f32", in{0x80000001}, ninf32},
		{"9.7.3.18", "sin.approx.f32", in{nzero32}, nzero32},
		{"9.7.3.18", "sin.approx.f32", in{inf32}, nan32},
		{"9.7.3.18", "sin.approx.f32", in{sub32}, sub32},
		{"9.7.3.18", "sin.approx.ftz.f32", in{sub32}, 0},
		{"9.7.3.19", "cos.approx.f32", in{nzero32}, one32},
		{"9.7.3.19", "cos.approx.f32", in{ninf32}, nan32},
		{"9.7.3.20", "lg2.approx.f32", in{nzero32}, ninf32},
		{"9.7.3.20", "lg2.approx.f32", in{0xbf800000}, nan32},
		{"9.7.3.20", "lg2.approx.f32", in{sub32}, 0xc3150000}, // -149
		{"9.7.3.20", "lg2.approx.ftz.f32", in{sub32}, ninf32},
		{"9.7.3.20", "lg2.approx.f32", in{inf32}, inf32},
		{"9.7.3.21", "ex2.approx.f32", in{ninf32}, 0},
		{"9.7.3.21", "ex2.approx.f32", in{nzero32}, one32},
		{"9.7.3.21", "ex2.approx.f32", in{0xc3150000}, sub32},
		{"9.7.3.21", "ex2.approx.ftz.f32", in{0xc3150000}, 0},
		{"9.7.3.21", "ex2.approx.f32", in{0x43000000}, inf32},
		{"9.7.3.22", "tanh.approx.f32", in{ninf32}, 0xbf800000},
		{"9.7.3.22", "tanh.approx.f32", in{nzero32}, nzero32},
		{"9.7.3.22", "tanh.approx.f32", in{sub32}, sub32},
		{"9.7.3.22", "tanh.approx.f32", in{snan32}, nan32},

		{"9.7.3.1", "testp.normal.f32", in{nzero32}, 1},
		{"9.7.3.1", "testp.normal.f32", in{sub32}, 0},
		{"9.7.3.1", "testp.subnormal.f64", in{1}, 1},
		{"9.7.3.1", "testp.subnormal.f64", in{0}, 0},
		{"9.7.3.1", "testp.finite.f64", in{inf64}, 0},
		{"9.7.3.1", "testp.infinite.f32", in{ninf32}, 1},
		{"9.7.3.1", "testp.number.f32", in{inf32}, 1},
		{"9.7.3.1", "testp.notanumber.f64", in{snan64}, 1},
	})
}

func TestHalfSpecialValues(t *testing.T) {
	runRows(t, []row{
		{"9.7.4.1", "add.f16", in{0x3c00, 0x3c00}, 0x4000},
		{"9.7.4.1", "add.f16", in{0x7c00, 0xfc00}, 0x7fff},
		{"9.7.4.1", "add.f16", in{0x7bff, 0x7bff}, 0x7c00},
		{"9.7.4.1", "add.f16", in{1, 1}, 2},
		{"9.7.4.1", "add.ftz.f16", in{1, 1}, 0},
		{"9.7.4.1", "add.sat.f16", in{0x3c00, 0x3c00}, 0x3c00},
		{"9.7.4.1", "add.sat.f16", in{0x7e00, 0x3c00}, 0},
		{"9.7.4.1", "add.f16x2", in{0x3c004000, 0x3c00c000}, 0x40000000},
		{"9.7.4.1", "add.bf16", in{0x3f80, 0x3f80}, 0x4000},
		{"9.7.4.1", "add.bf16", in{0x7f80, 0xff80}, 0x7fff},
		{"9.7.4.4", "fma.rn.f16", in{0x3c01, 0x3c01, 0xbc02}, 0x0010},
		{"9.7.4.4", "fma.rn.relu.f16", in{0xbc00, 0x3c00, 0}, 0},
		{"9.7.4.4", "fma.rn.relu.f16x2", in{0xbc007e00, 0x3c003c00, 0}, 0x00007fff},
		{"9.7.4.4", "fma.rn.relu.bf16", in{0x3f80, 0x3f80, 0x3f80}, 0x4000},
		{"9.7.4.5", "neg.f16x2", in{0x3c00bc00}, 0xbc003c00},
		{"9.7.4.6", "abs.bf16x2", in{0xbf803f80}, 0x3f803f80},
		{"9.7.4.7", "min.f16", in{0x8000, 0}, 0x8000},
		{"9.7.4.7", "min.f16", in{0x7e00, 0x3c00}, 0x3c00},
		{"9.7.4.7", "min.NaN.bf16", in{0x7fc0, 0x3f80}, 0x7fff},
		{"9.7.4.8", "max.f16x2", in{0x3c004000, 0x4000bc00}, 0x40004000},
		{"9.7.4.8", "max.xorsign.abs.bf16", in{0xbf80, 0x3f00}, 0xbf80},
		{"9.7.4.9", "tanh.approx.f16", in{0xfc00}, 0xbc00},
		{"9.7.4.9", "tanh.approx.f16x2", in{0x7c008000}, 0x3c008000},
		{"9.7.4.10", "ex2.approx.f16", in{0x4900}, 0x6400},
		{"9.7.4.10", "ex2.approx.ftz.bf16", in{0x8001}, 0x3f80},
		{"9.7.7 setp", "setp.lt.f16", in{0x8001, 0x8000}, 1},
		{"9.7.7 setp", "setp.lt.ftz.f16", in{0x8001, 0x8000}, 2},
		{"9.7.7 setp", "setp.eq.f16x2", in{0x3c004000, 0x3c003c00}, 2}, // p low, q high
		{"9.7.7 setp", "setp.eq.and.f16x2", in{0x3c004000, 0x3c004000, 1}, 3},
		{"9.7.7 setp", "setp.nan.bf16", in{0x7fc0, 0}, 1},
		{"9.7.7 set", "set.gt.f16.f16", in{0x4000, 0x3c00}, 0x3c00},
		{"9.7.7 set", "set.gt.u32.f16x2", in{0x40004000, 0x3c004000}, 0xffff0000},
		{"9.7.7 set", "set.gt.bf16x2.bf16x2", in{0x40004000, 0x3f804000}, 0x3f800000},
		{"9.7.7 set", "set.gt.s16.bf16", in{0x4000, 0x3f80}, 0xffff},
	})
}

// TestFloatComparison: ordered comparisons with NaN are false, those in u true
// (9.7.6 setp).
func TestFloatComparison(t *testing.T) {
	pairs := []struct{ a, b float64 }{
		{1, 2}, {2, 1}, {1, 1}, {0, math.Copysign(0, -1)}, {math.NaN(), 1}, {1, math.NaN()},
		{math.NaN(), math.NaN()}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0},
	}
	for _, c := range pairs {
		lt, eq, gt := c.a < c.b, c.a == c.b, c.a > c.b
		nan := !lt && !eq && !gt
		want := map[string]bool{
			"eq": eq, "ne": lt || gt, "lt": lt, "le": lt || eq, "gt": gt, "ge": gt || eq,
			"equ": eq || nan, "neu": !eq, "ltu": lt || nan, "leu": !gt, "gtu": gt || nan, "geu": !lt,
			"num": !nan, "nan": nan,
		}
		for cmp, holds := range want {
			p32 := mustLookup(t, "setp."+cmp+".f32").Fn(uint64(math.Float32bits(float32(c.a))), uint64(math.Float32bits(float32(c.b))), 0, 0)
			ftz := mustLookup(t, "setp."+cmp+".ftz.f32").Fn(uint64(math.Float32bits(float32(c.a))), uint64(math.Float32bits(float32(c.b))), 0, 0)
			p64 := mustLookup(t, "setp."+cmp+".f64").Fn(math.Float64bits(c.a), math.Float64bits(c.b), 0, 0)
			if w := verdict(holds); p32 != w || p64 != w || ftz != w {
				t.Errorf("setp.%s(%g, %g): f32 %d, ftz %d, f64 %d, want %d", cmp, c.a, c.b, p32, ftz, p64, w)
			}
		}
	}
	runRows(t, []row{
		{"9.7.6 setp", "setp.gt.f32", in{sub32, 0}, 1},
		{"9.7.6 setp", "setp.gt.ftz.f32", in{sub32, 0}, 2},
		{"9.7.6 set", "set.geu.u32.f64", in{nan64a, 0}, all32},
		{"9.7.6 set", "set.lt.and.f32.f32", in{0, one32, 1}, one32},
	})
}

// TestApproximationErrors checks the ISA's bounds against double precision.
func TestApproximationErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	ulp := func(x float64) float64 {
		_, e := math.Frexp(x)
		return math.Ldexp(1, max(e-24, -149))
	}
	relative := func(bound float64) func(x, _ float64) float64 {
		return func(want, _ float64) float64 { return math.Abs(want) * bound }
	}
	for _, c := range []struct {
		op       string
		exact    func(x float64) float64
		lo, hi   float64
		allowed  func(want, x float64) float64
		exponent bool // draw over all exponents
	}{
		{"rcp.approx.f32", func(x float64) float64 { return 1 / x }, 0, 0, func(w, _ float64) float64 { return ulp(w) }, true},
		{"sqrt.approx.f32", math.Sqrt, 0, 0, relative(0x1p-23), true},
		{"rsqrt.approx.f32", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 0, relative(math.Pow(2, -22.9)), true},
		{"sin.approx.f32", math.Sin, -2 * math.Pi, 2 * math.Pi, func(_, _ float64) float64 { return math.Pow(2, -20.5) }, false},
		{"cos.approx.f32", math.Cos, -300, 300, func(_, _ float64) float64 { return math.Pow(2, -14.7) }, false},
		{"lg2.approx.f32", math.Log2, 0.5, 2, func(_, _ float64) float64 { return 0x1p-22 }, false},
		{"lg2.approx.f32", math.Log2, 2, 1e30, relative(0x1p-22), false},
		{"ex2.approx.f32", math.Exp2, -140, 127, func(w, _ float64) float64 { return 2 * ulp(w) }, false},
		{"tanh.approx.f32", math.Tanh, -10, 10, relative(0x1p-11), false},
	} {
		o := mustLookup(t, c.op)
		for range 500 {
			x := float32(c.lo + r.Float64()*(c.hi-c.lo))
			if c.exponent {
				x = float32(math.Ldexp(1+r.Float64(), r.IntN(240)-120))
			}
			want := c.exact(float64(x))
			got := float64(f32(o.Fn(uint64(math.Float32bits(x)), 0, 0, 0)))
			if e := math.Abs(got - want); e > c.allowed(want, float64(x)) {
				t.Errorf("%s(%g) = %g, want %g: off by %g", c.op, x, got, want, e)
			}
		}
	}
}
