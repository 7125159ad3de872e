package alu

import (
	"math"
	"math/rand/v2"
	"testing"
)

func bitsOf32(x float32) uint64 { return uint64(math.Float32bits(x)) }

func TestConversions(t *testing.T) {
	const cvt = "9.7.9 cvt"
	f, d := bitsOf32, math.Float64bits
	runRows(t, []row{
		// integers: extension by the source's sign, truncation, saturation
		{cvt, "cvt.s64.s32", in{all32}, all64},
		{cvt, "cvt.u64.u32", in{all32}, all32},
		{cvt, "cvt.u64.s32", in{all32}, all64},
		{cvt, "cvt.s32.u16", in{0xffff}, 0xffff},
		{cvt, "cvt.s32.s8", in{0x80}, 0xffffff80},
		{cvt, "cvt.s32.s8", in{0x1280}, 0xffffff80}, // a wider register: its low byte
		{cvt, "cvt.u8.u32", in{0x1ff}, 0xff},
		{cvt, "cvt.u16.s8", in{0x80}, 0xff80},
		{cvt, "cvt.sat.u8.s32", in{all32}, 0},
		{cvt, "cvt.sat.s8.s32", in{200}, 0x7f},
		{cvt, "cvt.sat.s8.s32", in{min32}, 0x80},
		{cvt, "cvt.sat.s32.u32", in{all32}, max32},
		{cvt, "cvt.sat.u64.s64", in{all64}, 0},
		{cvt, "cvt.sat.u32.u64", in{1 << 32}, all32},
		{cvt, "cvt.sat.s16.u64", in{all64}, 0x7fff},

		// float to integer: rounding, saturation, NaN
		{cvt, "cvt.rni.s32.f32", in{f(2.5)}, 2},
		{cvt, "cvt.rni.s32.f32", in{f(3.5)}, 4},
		{cvt, "cvt.rzi.s32.f32", in{f(-2.9)}, all32 - 1},
		{cvt, "cvt.rmi.s32.f32", in{f(-2.1)}, all32 - 2},
		{cvt, "cvt.rpi.s32.f32", in{f(2.1)}, 3},
		{cvt, "cvt.rzi.s32.f32", in{f(3e9)}, max32},
		{cvt, "cvt.rzi.s32.f32", in{f(-3e9)}, min32},
		{cvt, "cvt.rzi.u32.f32", in{f(-1)}, 0},
		{cvt, "cvt.rzi.u32.f32", in{f(1e20)}, all32},
		{cvt, "cvt.rzi.u32.f32", in{f(4294967040)}, 0xffffff00},
		{cvt, "cvt.rzi.u64.f64", in{d(1e30)}, all64},
		{cvt, "cvt.rzi.s64.f64", in{d(-1e30)}, min64},
		{cvt, "cvt.rzi.s64.f64", in{d(9223372036854774784)}, 9223372036854774784},
		{cvt, "cvt.rzi.u64.f32", in{inf32}, all64},
		{cvt, "cvt.rzi.s8.f32", in{f(300)}, 0x7f},
		{cvt, "cvt.rzi.s8.f32", in{f(-300)}, 0x80},
		{cvt, "cvt.rzi.u16.f16", in{0x7bff}, 65504},
		{cvt, "cvt.rzi.s32.f32", in{snan32}, 0},
		{cvt, "cvt.rzi.u32.f32", in{snan32}, 0},
		{cvt, "cvt.rzi.s64.f32", in{snan32}, min64},
		{cvt, "cvt.rzi.u64.f16", in{0x7e00}, min64},
		{cvt, "cvt.rzi.s32.f64", in{nan64a}, min32},
		{cvt, "cvt.rzi.u16.f64", in{nan64a}, 0x8000},
		{cvt, "cvt.rpi.s32.f32", in{sub32}, 1},
		{cvt, "cvt.rpi.ftz.s32.f32", in{sub32}, 0},

		// integer to float
		{cvt, "cvt.rn.f32.s32", in{all32}, 0xbf800000},
		{cvt, "cvt.rn.f32.u32", in{all32}, 0x4f800000},
		{cvt, "cvt.rz.f32.u32", in{all32}, 0x4f7fffff},
		{cvt, "cvt.rn.f32.u64", in{all64}, 0x5f800000},
		{cvt, "cvt.rn.f64.u64", in{all64}, 0x43f0000000000000},
		{cvt, "cvt.rn.f64.s64", in{min64}, 0xc3e0000000000000},
		{cvt, "cvt.rn.f16.u32", in{65520}, 0x7c00},
		{cvt, "cvt.rz.f16.u32", in{65520}, 0x7bff},
		{cvt, "cvt.rn.bf16.s32", in{all32}, 0xbf80},
		{cvt, "cvt.rn.sat.f32.s32", in{7}, one32},

		// float to float
		{cvt, "cvt.rn.f32.f64", in{d(1e300)}, inf32},
		{cvt, "cvt.rz.f32.f64", in{d(1e300)}, largest},
		{cvt, "cvt.rp.f32.f64", in{d(1e-300)}, sub32},
		{cvt, "cvt.rn.ftz.f32.f64", in{d(1e-40)}, 0},
		{cvt, "cvt.rn.f32.f64", in{0xfff8000020000000}, 0xffc00001},
		{cvt, "cvt.f64.f32", in{0xff800001}, 0xfff8000020000000},
		{cvt, "cvt.f64.f32", in{sub32}, d(0x1p-149)},
		{cvt, "cvt.ftz.f64.f32", in{sub32}, 0},
		{cvt, "cvt.sat.f32.f32", in{snan32}, 0},
		{cvt, "cvt.sat.f32.f32", in{f(-3)}, 0},
		{cvt, "cvt.sat.f32.f32", in{nzero32}, 0},
		{cvt, "cvt.f32.f32", in{snan32}, snan32},
		{cvt, "cvt.ftz.f32.f32", in{0x80000001}, nzero32},
		{cvt, "cvt.ftz.f32.f32", in{snan32}, nan32},
		{cvt, "cvt.rni.f32.f32", in{f(-0.5)}, nzero32},
		{cvt, "cvt.rmi.f32.f32", in{0x80000001}, 0xbf800000},
		{cvt, "cvt.rmi.ftz.f32.f32", in{0x80000001}, nzero32},
		{cvt, "cvt.rzi.f32.f32", in{snan32}, nan32},
		{cvt, "cvt.rpi.f64.f64", in{d(1.5)}, d(2)},
		{cvt, "cvt.rpi.f64.f64", in{snan64}, snan64 | quietBit64},
		{cvt, "cvt.rn.f16.f32", in{f(65520)}, 0x7c00},
		{cvt, "cvt.rn.f16.f32", in{f(65519)}, 0x7bff},
		{cvt, "cvt.rn.f16.f32", in{0xff800001}, 0x7fff},
		{cvt, "cvt.rn.satfinite.f16.f32", in{ninf32}, 0xfbff},
		{cvt, "cvt.rn.relu.f16.f32", in{f(-1)}, 0},
		{cvt, "cvt.rn.relu.f16.f32", in{0xff800001}, 0x7fff},
		{cvt, "cvt.f32.f16", in{0x0001}, f(0x1p-24)},
		{cvt, "cvt.f32.f16", in{0x8000}, nzero32},
		{cvt, "cvt.f32.bf16", in{0xbf80}, 0xbf800000},
		{cvt, "cvt.rn.bf16.f32", in{0x3f808000}, 0x3f80}, // tie to even
		{cvt, "cvt.rn.bf16.f32", in{0x3f818000}, 0x3f82},
		{cvt, "cvt.rz.bf16.f32", in{0x3f81ffff}, 0x3f81},
		{cvt, "cvt.rn.f16.bf16", in{0x4780}, 0x7c00},
		{cvt, "cvt.rp.bf16.f16", in{0x3c01}, 0x3f81},
		{cvt, "cvt.rni.bf16.bf16", in{0x3fc0}, 0x4000},

		// packed, tf32, fp8
		{cvt, "cvt.rn.f16x2.f32", in{f(1), f(2)}, 0x3c004000},
		{cvt, "cvt.rn.relu.bf16x2.f32", in{f(1), f(-2)}, 0x3f800000},
		{cvt, "cvt.rz.satfinite.f16x2.f32", in{inf32, ninf32}, 0x7bfffbff},
		{cvt, "cvt.rna.tf32.f32", in{0x3f801000}, 0x3f802000},
		{cvt, "cvt.rn.tf32.f32", in{0x3f801000}, 0x3f800000},
		{cvt, "cvt.rn.tf32.f32", in{0x3f803000}, 0x3f804000},
		{cvt, "cvt.rn.tf32.f32", in{0x3f801001}, 0x3f802000},
		{cvt, "cvt.rz.tf32.f32", in{0x3f803fff}, 0x3f802000},
		{cvt, "cvt.rna.tf32.f32", in{largest}, inf32},
		{cvt, "cvt.rna.satfinite.tf32.f32", in{inf32}, 0x7f7fe000},
		{cvt, "cvt.rn.relu.tf32.f32", in{f(-1)}, 0},
		{cvt, "cvt.rn.tf32.f32", in{0xffc00000}, 0x7fffe000},
		{cvt, "cvt.rn.satfinite.e4m3x2.f32", in{f(1), f(-448)}, 0x38fe},
		{cvt, "cvt.rn.satfinite.e4m3x2.f32", in{f(1000), inf32}, 0x7e7e},
		{cvt, "cvt.rn.satfinite.e4m3x2.f32", in{snan32, f(0x1p-9)}, 0x7f01},
		{cvt, "cvt.rn.satfinite.e4m3x2.f32", in{f(0x1p-10), f(0x1.8p-10)}, 0x0001},
		{cvt, "cvt.rn.satfinite.relu.e4m3x2.f32", in{f(-1), f(1.0625)}, 0x0038},
		{cvt, "cvt.rn.satfinite.e5m2x2.f32", in{f(57344), f(1e9)}, 0x7b7b},
		{cvt, "cvt.rn.satfinite.e5m2x2.f32", in{f(0x1p-16), nzero32}, 0x0180},
		{cvt, "cvt.rn.satfinite.e5m2x2.f16x2", in{0x3c00fc00}, 0x3cfb},
		{cvt, "cvt.rn.satfinite.e4m3x2.f16x2", in{0x3c007e00}, 0x387f},
		{cvt, "cvt.rn.f16x2.e4m3x2", in{0x3801}, 0x3c001800},
		{cvt, "cvt.rn.f16x2.e4m3x2", in{0xff7e}, 0x7fff5f00},
		{cvt, "cvt.rn.f16x2.e5m2x2", in{0x7cfd}, 0x7c007fff},
		{cvt, "cvt.rn.relu.f16x2.e5m2x2", in{0xbc3c}, 0x00003c00},

		{"9.7.9 cvt.pack", "cvt.pack.sat.s16.s32", in{100000, all32}, 0x7fffffff},
		{"9.7.9 cvt.pack", "cvt.pack.sat.u16.s32", in{100000, all32}, 0xffff0000},
		{"9.7.9 cvt.pack", "cvt.pack.sat.u8.s32.b32", in{300, 5, 0x12345678}, 0x5678ff05},
		{"9.7.9 cvt.pack", "cvt.pack.sat.s4.s32.b32", in{all32, 100, 1}, 0x000001f7},
		{"9.7.9 cvt.pack", "cvt.pack.sat.u2.s32.b32", in{3, all32, 1}, 0x1c},
	})
}

// TestFP8RoundTrip: every fp8 code comes back from f16, NaNs as the canonical one.
func TestFP8RoundTrip(t *testing.T) {
	for _, c := range []struct {
		name string
		inf  uint64
	}{{"e4m3x2", 0x80}, {"e5m2x2", 0x7c}} {
		up, down := mustLookup(t, "cvt.rn.f16x2."+c.name), mustLookup(t, "cvt.rn.satfinite."+c.name+".f16x2")
		for v := range uint64(256) {
			want := v
			switch code := v & 0x7f; {
			case c.name == "e5m2x2" && code > c.inf, c.name == "e4m3x2" && code == nan8:
				want = nan8
			case code == c.inf:
				want--
			}
			if got := down.Fn(up.Fn(v<<8|v, 0, 0, 0), 0, 0, 0); got != want<<8|want {
				t.Errorf("%s: %#x comes back as %#x, want %#x", c.name, v, got, want)
			}
		}
	}
}

// TestHalfRoundTrip: widening is exact, so narrowing restores every number.
func TestHalfRoundTrip(t *testing.T) {
	for _, typ := range []string{"f16", "bf16"} {
		fm, _ := types[typ].format()
		up32, up64 := mustLookup(t, "cvt.f32."+typ), mustLookup(t, "cvt.f64."+typ)
		down32, down64 := mustLookup(t, "cvt.rn."+typ+".f32"), mustLookup(t, "cvt.rn."+typ+".f64")
		for v := range uint64(1 << 16) {
			if fm.isNaN(v) {
				continue
			}
			if a, b := down32.Fn(up32.Fn(v, 0, 0, 0), 0, 0, 0), down64.Fn(up64.Fn(v, 0, 0, 0), 0, 0, 0); a != v || b != v {
				t.Fatalf("%s %#x: %#x through f32, %#x through f64", typ, v, a, b)
			}
		}
	}
}

// TestFloatToIntegerRandom derives every rounding from truncation, which is exact
// in int64 for |x| < 2^52.
func TestFloatToIntegerRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 2000 {
		x := (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(50))
		floor := int64(x)
		if x < 0 && float64(floor) != x {
			floor--
		}
		frac := x - float64(floor)
		nearest := floor
		if frac > 0.5 || frac == 0.5 && floor&1 != 0 {
			nearest++
		}
		for mode, want := range map[string]int64{"rmi": floor, "rni": nearest, "rzi": int64(x)} {
			if got := mustLookup(t, "cvt."+mode+".s64.f64").Fn(math.Float64bits(x), 0, 0, 0); got != uint64(want) {
				t.Fatalf("cvt.%s.s64.f64(%g) = %d, want %d", mode, x, int64(got), want)
			}
		}
	}
}
