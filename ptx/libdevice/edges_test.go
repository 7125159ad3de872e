package libdevice

import (
	"math"
	"testing"
)

// Edge values of the functions of doubles, from C's annex F and the CUDA Math API.
func TestEdges(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name string
		x, y float64
		want float64
	}{
		{"sinpi", 1e300, 0, 0}, {"sinpi", -3, 0, zero}, {"sinpi", inf, 0, nan}, {"cospi", 2.5, 0, 0}, {"cospi", -3, 0, -1}, {"sinpi", 0.5, 0, 1}, {"sinpi", 1.5, 0, -1},
		{"exp2", -1074, 0, 5e-324}, {"exp2", -1076, 0, 0}, {"exp2", inf, 0, inf}, {"exp10", 309, 0, inf}, {"exp10", -400, 0, 0}, {"exp10", 3, 0, 1000}, {"exp10", -inf, 0, 0},
		{"log2", 8, 0, 3}, {"log2", 5e-324, 0, -1074}, {"log10", 1000, 0, 3}, {"log10", 0, 0, -inf}, {"log", -1, 0, nan}, {"log", 0, 0, -inf},
		{"asin", 1, 0, math.Pi / 2}, {"asin", 1.5, 0, nan}, {"acos", -1, 0, math.Pi}, {"acos", 1, 0, 0}, {"asin", zero, 0, zero},
		{"sinh", zero, 0, zero}, {"sinh", -800, 0, -inf}, {"cosh", -800, 0, inf}, {"tanh", -800, 0, -1},
		{"pow", 0, -1, inf}, {"pow", -2, 3, -8}, {"pow", -2, 0.5, nan}, {"pow", -1, inf, 1}, {"pow", nan, 0, 1}, {"pow", 1, nan, 1}, {"pow", -10, 401, -inf}, {"pow", -10, -401, zero},
		{"hypot", inf, nan, inf}, {"hypot", 3e300, 4e300, 5e300}, {"hypot", 0, zero, 0}, {"rhypot", 0, 0, inf},
		{"tgamma", 5, 0, 24}, {"tgamma", 0.5, 0, 1.772453850905516027}, {"tgamma", zero, 0, -inf}, {"tgamma", -3, 0, nan}, {"tgamma", 172, 0, inf}, {"tgamma", 171, 0, 7.257415615307998967e306},
		{"erfinv", 1, 0, inf}, {"erfinv", -1, 0, -inf}, {"erfinv", 2, 0, nan}, {"erfcinv", 0, 0, inf}, {"erfcinv", 2, 0, -inf}, {"erfcinv", 1, 0, 0}, {"erfcx", 1e200, 0, 5.641895835477563e-201},
		{"normcdf", inf, 0, 1}, {"normcdf", -inf, 0, 0}, {"normcdf", 0, 0, 0.5}, {"normcdfinv", 0.5, 0, 0}, {"normcdfinv", 0, 0, -inf},
		{"cyl_bessel_i0", 0, 0, 1}, {"cyl_bessel_i1", zero, 0, zero}, {"cyl_bessel_i0", 800, 0, inf}, {"j1", 0, 0, 0}, {"y0", 0, 0, -inf},
		{"logb", 0, 0, -inf}, {"logb", 5e-324, 0, -1074}, {"logb", inf, 0, inf}, {"fdim", 3, 5, 0}, {"fdim", 5, 3, 2}, {"fmod", -7, 3, -1}, {"remainder", 5, 2, 1}, {"remainder", 7, 2, -1},
		{"rint", 2.5, 0, 2}, {"round", 2.5, 0, 3}, {"round", -2.5, 0, -3}, {"trunc", -2.5, 0, -2}, {"fmax", nan, 1, 1}, {"nextafter", 0, 1, 5e-324}, {"rsqrt", 0, 0, inf},
	} {
		f, ok := Lookup("__nv_" + c.name)
		if !ok {
			t.Fatal(c.name)
		}
		got := f64(f.Fn(b64(c.x), b64(c.y), 0, 0))
		if got != c.want && (got == got || c.want == c.want) || got == 0 && math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%s(%v, %v) = %v, want %v", c.name, c.x, c.y, got, c.want)
		}
	}
}

// Integers, bits and conversions are exact.
func TestIntegers(t *testing.T) {
	neg := func(x int32) uint64 { return uint64(uint32(x)) }
	for _, c := range []struct {
		name    string
		a, b, c uint64
		want    uint64
	}{
		{"ffs", 0, 0, 0, 0}, {"ffs", 8, 0, 0, 4}, {"ffsll", 1 << 63, 0, 0, 64}, {"clz", 0, 0, 0, 32}, {"clzll", 1, 0, 0, 63}, {"popcll", ^uint64(0), 0, 0, 64}, {"brev", 1, 0, 0, 1 << 31},
		{"hadd", neg(-3), neg(-4), 0, neg(-4)}, {"rhadd", neg(-3), neg(-4), 0, neg(-3)}, {"uhadd", 0xFFFFFFFF, 0xFFFFFFFE, 0, 0xFFFFFFFE}, {"urhadd", 0xFFFFFFFF, 0xFFFFFFFE, 0, 0xFFFFFFFF},
		{"mul24", neg(-2), 3, 0, neg(-6)}, {"mulhi", neg(-1), neg(-1), 0, 0}, {"umulhi", neg(-1), neg(-1), 0, 0xFFFFFFFE}, {"mul64hi", ^uint64(0), 2, 0, ^uint64(0)}, {"sad", neg(-5), 5, 1, 11},
		{"byte_perm", 0x33221100, 0x77665544, 0x7531, 0x77553311}, {"abs", neg(math.MinInt32), 0, 0, 1 << 31},
		{"float2int_rn", b32(2.5), 0, 0, 2}, {"float2int_rz", b32(-2.9), 0, 0, neg(-2)}, {"float2int_ru", b32(2.1), 0, 0, 3}, {"float2int_rd", b32(-2.1), 0, 0, neg(-3)}, {"double2uint_rz", b64(-1), 0, 0, 0},
		{"double2int_rz", b64(1e300), 0, 0, math.MaxInt32}, {"llrint", b64(1e300), 0, 0, math.MaxInt64}, {"llround", b64(-2.5), 0, 0, ^uint64(0) - 2}, {"int2float_rn", 16777217, 0, 0, b32(16777216)},
		{"int2float_ru", 16777217, 0, 0, b32(16777218)}, {"dadd_ru", b64(1), b64(1e-30), 0, b64(math.Nextafter(1, 2))}, {"dadd_rd", b64(1), b64(1e-30), 0, b64(1)}, {"fdiv_rz", b32(1), b32(3), 0, 0x3EAAAAAA},
		{"double2hiint", b64(-2), 0, 0, 0xC0000000}, {"hiloint2double", 0xC0000000, 0, 0, b64(-2)}, {"float2half_rn", b32(65520), 0, 0, 0x7C00}, {"half2float", 0x3C00, 0, 0, b32(1)},
		{"ilogb", b64(0), 0, 0, 1 << 31}, {"ilogbf", b32(0.75), 0, 0, neg(-1)}, {"isinfd", b64(math.Inf(-1)), 0, 0, 1}, {"signbitf", b32(-1), 0, 0, 1}, {"finitef", b32(1e38), 0, 0, 1},
		{"ldexp", b64(3), neg(-2), 0, b64(0.75)}, {"powif", b32(-2), neg(3), 0, b32(-8)}, {"powi", b64(2), neg(-1074), 0, 1}, {"fast_exp10f", b32(0), 0, 0, b32(1)}, {"fast_fdividef", b32(6), b32(3), 0, b32(2)},
		{"vadd2", 0xFFFF0001, 0x00010001, 0, 2}, {"vaddss2", 0x7FFF8000, 0x0001FFFF, 0, 0x7FFF8000}, {"vaddus4", 0xFF010203, 0x01010101, 0, 0xFF020304}, {"vsubus4", 0x00050505, 0x01010506, 0, 0x00040000},
		{"vabs4", 0x80FF017F, 0, 0, 0x8001017F}, {"vabsss4", 0x80FF017F, 0, 0, 0x7F01017F}, {"vnegss2", 0x80000001, 0, 0, 0x7FFFFFFF}, {"vabsdiffs2", 0x7FFF0000, 0x80000003, 0, 0xFFFF0003},
		{"vsads2", 0x7FFF0000, 0x80000003, 0, 65535 + 3}, {"vsadu4", 0x01020304, 0x04030201, 0, 8}, {"vcmpgts4", 0x00FF7F80, 0xFF000000, 0, 0xFF00FF00}, {"vsetgtu4", 0x00FF7F80, 0xFF000000, 0, 0x00010101},
		{"vavgu4", 0x00010203, 0x01010101, 0, 0x01010202}, {"vhaddu4", 0x00010203, 0x01010101, 0, 0x00010102}, {"vmaxs2", 0x8000FFFF, 0x00000000, 0, 0}, {"vminu2", 0x8000FFFF, 0x00010002, 0, 0x00010002},
	} {
		f, ok := Lookup("__nv_" + c.name)
		if !ok {
			t.Fatal(c.name)
		}
		if got := f.Fn(c.a, c.b, c.c, 0); got != c.want {
			t.Errorf("%s(%#x, %#x, %#x) = %#x, want %#x", c.name, c.a, c.b, c.c, got, c.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y float64
		want []uint64
	}{
		{"frexp", 6, 0, []uint64{3}}, {"modf", -2.75, 0, []uint64{b64(-2)}}, {"remquo", 7, 2, []uint64{4}}, {"remquo", -7, 2, []uint64{uint64(uint32(0xFFFFFFFC))}}, {"remquo", 5, 2, []uint64{2}},
		{"sincospi", 0.5, 0, []uint64{b64(1), b64(0)}}, {"sincos", 0, 0, []uint64{b64(0), b64(1)}},
	} {
		f, _ := Lookup("__nv_" + c.name)
		for i, want := range c.want {
			if got := f.Out[i].Fn(b64(c.x), b64(c.y), 0, 0); got != want {
				t.Errorf("%s(%v, %v) stores %#x, want %#x", c.name, c.x, c.y, got, want)
			}
		}
	}
}
