package launch

import (
	"math"
	"testing"
)

// TestSmallFloatsRoundTrip decodes and encodes every code of the small formats.
func TestSmallFloatsRoundTrip(t *testing.T) {
	for _, name := range []string{"f16", "bf16", "e4m3", "e5m2"} {
		d, err := findDType(name)
		if err != nil {
			t.Fatal(err)
		}
		for v := uint64(0); v < 1<<d.bits(); v++ {
			f := d.decode(v)
			got := d.encode(f)
			if math.IsNaN(f) {
				if !math.IsNaN(d.decode(got)) {
					t.Fatalf("%s: NaN %#x became %#x", name, v, got)
				}
			} else if got != v {
				t.Fatalf("%s: %#x is %g, which encodes to %#x", name, v, f, got)
			}
		}
	}
}

// TestSmallFloatsRound checks rounding to nearest even, subnormals and overflow. The
// values are those of the PTX ISA's "Alternate Floating-Point Data Formats" and IEEE 754.
func TestSmallFloatsRound(t *testing.T) {
	for _, c := range []struct {
		dtype string
		f     float64
		want  uint64
	}{
		{"f16", 1, 0x3c00}, {"f16", -2, 0xc000}, {"f16", 65504, 0x7bff}, {"f16", 65519, 0x7bff}, {"f16", 65520, 0x7c00},
		{"f16", 0x1p-24, 1}, {"f16", 0x1p-25, 0}, {"f16", 0x1.8p-25, 1}, {"f16", 0x1p-14, 0x400}, {"f16", 0x1.ff8p-15, 0x3ff}, {"f16", 0x1.ffcp-15, 0x400},
		{"f16", 1 + 0x1p-11, 0x3c00}, {"f16", 1 + 0x1.8p-10, 0x3c02}, {"f16", math.Inf(-1), 0xfc00}, {"f16", math.Copysign(0, -1), 0x8000},
		{"bf16", 1, 0x3f80}, {"bf16", 1 + 0x1p-8, 0x3f80}, {"bf16", 1 + 0x1.8p-7, 0x3f82}, {"bf16", math.MaxFloat32, 0x7f80}, {"bf16", 0x1p-133, 1},
		{"e4m3", 448, 0x7e}, {"e4m3", 464, 0x7e}, {"e4m3", 465, 0x7f}, {"e4m3", 0x1p-9, 1}, {"e4m3", 1, 0x38}, {"e4m3", -0.4375, 0xae},
		{"e5m2", 57344, 0x7b}, {"e5m2", 61440, 0x7c}, {"e5m2", 0x1p-16, 1}, {"e5m2", 1.25, 0x3d},
	} {
		d, err := findDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.encode(c.f); got != c.want {
			t.Errorf("%s of %g = %#x, want %#x", c.dtype, c.f, got, c.want)
		}
	}
}

func TestParseValue(t *testing.T) {
	for _, c := range []struct {
		dtype, text string
		want        uint64
		err         string
	}{
		{"i8", "-128", 0x80, ""}, {"i8", "128", 0, "128 does not fit i8 (-128 to 127)"}, {"u8", "-1", 0, "-1 does not fit u8 (0 to 255)"},
		{"u8", "0xff", 0xff, ""}, {"u8", "0o17", 15, ""}, {"i32", "010", 10, ""}, {"i32", "1e3", 1000, ""}, {"i32", "1.5", 0, `"1.5" is not an integer`},
		{"u64", "18446744073709551615", math.MaxUint64, ""}, {"u64", "18446744073709551616", 0, "18446744073709551616 does not fit u64 (0 to 18446744073709551615)"},
		{"i64", "-9223372036854775808", 1 << 63, ""}, {"b32", "0x3f800000", 0x3f800000, ""}, {"b32", "-1", 0xffffffff, ""},
		{"f32", "1.5", 0x3fc00000, ""}, {"f32", "-0", 0x80000000, ""}, {"f32", ".inf", 0x7f800000, ""}, {"f32", "-.Inf", 0xff800000, ""},
		{"f32", "1e39", 0, "1e39 does not fit f32"}, {"f16", "70000", 0, "70000 does not fit f16"}, {"e4m3", "1000", 0, "1000 does not fit e4m3"},
		{"f64", "0x10", 0x4030000000000000, ""}, {"f32", "one", 0, `"one" is not a number`}, {"f32", "", 0, `"" is not a number`},
		{"i32", "--1", 0, `"--1" is not an integer`}, {"i32", "0x-1", 0, `"0x-1" is not an integer`}, {"i32", "1_000", 0, `"1_000" is not an integer`},
		{"f32", "infinity", 0, `"infinity" is not a number`}, {"f32", "0x1p3", 0, `"0x1p3" is not a number`},
	} {
		d, err := findDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.parse(c.text)
		if message := text(err); message != c.err || err == nil && got != c.want {
			t.Errorf("%s %q = %#x %q, want %#x %q", c.dtype, c.text, got, message, c.want, c.err)
		}
	}
	if _, err := findDType("u33"); text(err) == "" {
		t.Error("u33 is a type")
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		dtype string
		v     uint64
		want  string
	}{{"i8", 0xff, "-1"}, {"u8", 0xff, "255"}, {"b16", 0xff, "0x00ff"}, {"f32", 0x3dcccccd, "0.1"}, {"f64", 0x3fb999999999999a, "0.1"}, {"f16", 0x7e00, "NaN"}} {
		d, _ := findDType(c.dtype)
		if got := d.format(c.v); got != c.want {
			t.Errorf("%s %#x = %s, want %s", c.dtype, c.v, got, c.want)
		}
	}
}

func TestEqual(t *testing.T) {
	f32, _ := findDType("f32")
	i64, _ := findDType("i64")
	for _, c := range []struct {
		d          DType
		a, b       string
		atol, rtol float64
		want       bool
	}{
		{f32, "1", "1", 0, 0, true}, {f32, "1", "1.1", 0, 0, false}, {f32, "1", "1.1", 0.2, 0, true}, {f32, "99", "100", 0, 0.01, true},
		{f32, "98.9", "100", 0, 0.01, false}, {f32, "nan", "nan", 0, 0, true}, {f32, "nan", "1", 9, 9, false}, {f32, "0", "-0", 0, 0, true},
		{f32, "inf", "inf", 0, 0, true}, {f32, "inf", "-inf", 1, 0, false},
		{i64, "9007199254740993", "9007199254740992", 0, 0, false}, {i64, "5", "7", 2, 0, true},
	} {
		a, errA := c.d.parse(c.a)
		b, errB := c.d.parse(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := equal(c.d, a, b, c.atol, c.rtol); got != c.want {
			t.Errorf("equal(%s, %s, %g, %g) = %v", c.a, c.b, c.atol, c.rtol, got)
		}
	}
}
