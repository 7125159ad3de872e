package syntax

import (
	"math"
	"testing"
)

// TestConstantExpressions goes through the rules of the PTX ISA, Constant Expressions.
func TestConstantExpressions(t *testing.T) {
	const minusOne = math.MaxUint64
	for _, tt := range []struct {
		expr string
		want uint64
	}{
		// Integer Constants.
		{"42", 42}, {"0x1F", 31}, {"0X1fU", 31}, {"017", 15}, {"0b101", 5}, {"0B11U", 3}, {"0", 0}, {"0U", 0},
		{"18446744073709551615", minusOne}, {"WARP_SZ", 32},
		// Unary operators.
		{"-1", minusOne}, {"+5", 5}, {"-(-42)", 42}, {"!0", 1}, {"!7", 0}, {"~0", minusOne}, {"!!3", 1}, {"- -3", 3},
		// Precedence and associativity.
		{"1+2*3", 7}, {"(1+2)*3", 9}, {"10-3-2", 5}, {"100/10/5", 2}, {"1<<2+1", 8}, {"1|6&3^1", 3},
		{"1|2==2", 1}, {"0||1&&0", 0}, {"2*3%4", 2}, {"1<2==1", 1}, {"4|1<<1", 6},
		// Signed and unsigned division, comparison and shifts.
		{"-7/2", minusOne - 2}, {"-7/2U", (minusOne - 6) / 2}, {"-1 < 0", 1}, {"-1 < 0U", 0}, {"-1 > 1U", 1},
		{"-8 >> 1", minusOne - 3}, {"-8U >> 1", (minusOne - 7) / 2}, {"(.u64) -8 >> 60", 15}, {"(.s64) 0xffffffffffffffff >> 8", minusOne},
		{"1 << 64", 0}, {"-1 >> 200", minusOne}, {"1 << -1", 0}, {"~0 > 1", 1},
		{"0x8000000000000000 / -1", 0}, {"(.s64) 0x8000000000000000 / -1", 1 << 63},
		// The remainder takes its operands as unsigned.
		{"-7 % 4", 1}, {"7 % 4", 3}, {"-1 % 10", 5},
		// Comparisons and logic yield 0 or 1, signed.
		{"3 == 3", 1}, {"3 != 3", 0}, {"2 <= 2", 1}, {"3 >= 4", 0}, {"5 && 2", 1}, {"0 || 0", 0}, {"(2 > 1) - 2 < 0", 1},
		{"1.5 < 2.5", 1}, {"2.0 == 2.0", 1}, {"1.0 >= 2.0", 0}, {"1.0 != 2.0", 1},
		{"0d7ff8000000000000 == 0d7ff8000000000000", 0}, {"0d7ff8000000000000 != 1.0", 1},
		// The conditional operator.
		{"1 ? 2 : 3", 2}, {"0 ? 2 : 1 ? 4 : 5", 4}, {"(1 ? -1 : 0U) > 0", 1},
	} {
		if got := initialValue(t, ".s64", tt.expr); got != tt.want {
			t.Errorf("%s = %#x, want %#x", tt.expr, got, tt.want)
		}
	}
}

// TestFloatConstants checks literals and how they fit the type of a variable.
func TestFloatConstants(t *testing.T) {
	for _, tt := range []struct {
		typ, expr string
		want      uint64
	}{
		{".f64", "1.5", math.Float64bits(1.5)}, {".f64", "1e3", math.Float64bits(1000)}, {".f64", "1.E+2", math.Float64bits(100)},
		{".f64", ".25", 0x3fd0000000000000}, {".f64", "-0.0", 1 << 63}, {".f64", "1e999", math.Float64bits(math.Inf(1))},
		{".f64", "1.0+2.0*3.0-4.0/8.0", math.Float64bits(6.5)}, {".f64", "3", math.Float64bits(3)},
		{".f64", "18446744073709551615U", math.Float64bits(0x1p64)}, {".f64", "-3", math.Float64bits(-3)},
		{".f64", "0d7ff8000000000001", 0x7ff8000000000001}, {".f64", "0f3fc00000", math.Float64bits(1.5)}, {".b64", "2.0", 0x4000000000000000},
		{".f32", "0f7fc00001", 0x7fc00001}, {".f32", "0F80000000", 0x80000000}, {".f32", "-0f3f800000", 0xbf800000},
		{".f32", "0.1", 0x3dcccccd}, {".f32", "0d3FF8000000000000", 0x3fc00000}, {".f32", "7", 0x40e00000}, {".b32", "0f3f800000", 0x3f800000},
		{".f64", "0 ? 1.0 : 2.0", 0x4000000000000000},
	} {
		if got := initialValue(t, tt.typ, tt.expr); got != tt.want {
			t.Errorf("%s %s = %#x, want %#x", tt.typ, tt.expr, got, tt.want)
		}
	}
}

func initialValue(t *testing.T, typ, expr string) uint64 {
	t.Helper()
	m, err := Parse("expr.ptx", []byte(prologue+".global "+typ+" x = "+expr+";"))
	if err != nil {
		t.Error(err)
		return 0
	}
	return m.Var("x").Init[0].Bits
}
