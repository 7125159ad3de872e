package alu

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// lookup splits a spelling; lop3 gets the table of a ? b : c.
func lookup(name string) (*Op, error) {
	parts := strings.Split(name, ".")
	if parts[0] == "lop3" {
		return Lookup(parts[0], parts[1:], 0xca)
	}
	return Lookup(parts[0], parts[1:])
}

func mustLookup(t testing.TB, name string) *Op {
	t.Helper()
	o, err := lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// interesting bit patterns to mix with random ones.
var edges = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7c00, 0x7f80, 0x3c00,
	0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x3f800000, 0x00800000, 0x007fffff, 0x7f800001,
	1<<63 - 1, 1 << 63, ^uint64(0), 0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 1 << 52, 1<<52 - 1,
}

func operand(r *rand.Rand, k Kind) uint64 {
	v := r.Uint64()
	if r.IntN(2) == 0 {
		v = edges[r.IntN(len(edges))]
	}
	return v & k.Mask()
}

// TestLegalForms: every legal form is found, complete, and total on any bits.
func TestLegalForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, pattern := range Syntax {
		for _, name := range Expand(pattern) {
			count++
			o, err := lookup(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if o.Name != name || o.Fn == nil || o.Result == None || len(o.Args) == 0 || len(o.Args) > 4 {
				t.Errorf("%s: incomplete: %+v", name, o)
				continue
			}
			limit := o.Result.Mask()
			if o.Pred2 {
				limit = map[Kind]uint64{Pred: 3, B32: 1<<33 - 1}[o.Result]
			}
			if n := testing.AllocsPerRun(2, func() { o.Fn(3, 2, 1, 0) }); n != 0 {
				t.Errorf("%s allocates", name)
			}
			for range 40 {
				var v [4]uint64
				for i, k := range o.Args {
					v[i] = operand(r, k)
				}
				if o.ReadsCC {
					v[len(o.Args)] = r.Uint64() & 1
				}
				if d := o.Fn(v[0], v[1], v[2], v[3]); d > limit {
					t.Errorf("%s(%#x): %#x is wider than the destination", name, v, d)
				}
				if o.Carry != nil {
					if c := o.Carry(v[0], v[1], v[2], v[3]); c > 1 {
						t.Errorf("%s(%#x): carry %#x", name, v, c)
					}
				}
			}
		}
	}
	if count < 3000 {
		t.Errorf("only %d forms tried", count)
	}
}

func TestUnknownForms(t *testing.T) {
	for _, c := range []struct{ name, reason string }{
		{"add.sat.u32", "unexpected .u32, expected .s32"},
		{"add.s32.sat", "unexpected .sat"},
		{"add.rn.s32", "unexpected .rn"},
		{"add.ftz.f64", ".f64 has neither .ftz nor .sat"},
		{"add", "a modifier is missing"},
		{"mul.s32", "expected .lo .hi .wide"},
		{"mul.wide.u64", ".wide needs"},
		{"fma.f32", "expected .rn .rz .rm .rp"},
		{"and.u32", "unexpected .u32"},
		{"setp.lt.b32", "untyped operands"},
		{"setp.lo.s32", "unsigned type"},
		{"setp.ltu.u32", "floating-point type"},
		{"cvt.u32.f32", "needs .rni"},
		{"cvt.f32.s32", "needs .rn"},
		{"cvt.rn.s32.u32", "only for conversions that lose precision"},
		{"cvt.rn.e4m3x2.f32", "needs .rn.satfinite"},
		{"cvt.rna.f16.f32", ".tf32 only"},
		{"cvt.rn.sat.bf16.f32", ".bf16 has no .sat"},
		{"lop3.xor.b32", "unexpected .xor"},
		{"set.lt.u16.f32", "set has no .u16 from .f32"},
	} {
		_, err := lookup(c.name)
		var unknown *UnknownFormError
		if !errors.As(err, &unknown) || unknown.Form != c.name || !strings.Contains(unknown.Reason, c.reason) {
			t.Errorf("%s: got %v, want an UnknownFormError with %q", c.name, err, c.reason)
		}
	}
	if _, err := Lookup("lop3", []string{"b32"}); err == nil {
		t.Error("lop3 without a table was accepted")
	}
	for _, name := range []string{"fma.rn.f32x2", "fma.rn.oob.f16", "add.rn.f32.bf16", "cvt.rs.f16x2.f32", "cvt.rn.satfinite.e2m1x2.f32", "vadd4.u32.u32.u32"} {
		_, err := lookup(name)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Form != name {
			t.Errorf("%s: got %v, want an UnsupportedError", name, err)
		}
	}
}
