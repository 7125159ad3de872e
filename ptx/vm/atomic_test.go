package vm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	. "gpusim/internal/ptxtest"
)

func f32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64(x float64) uint64 { return math.Float64bits(x) }

const (
	minS32 = 1 << 31
	minS64 = 1 << 63
	maxU64 = math.MaxUint64
)

// TestAtomics: every operation and type with edge values, in each space, with and without
// the old value as a result (PTX ISA, "atom", "red").
func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op, typ        string
		old, x, y, new uint64
	}{
		{"add", "u32", math.MaxUint32, 1, 0, 0},
		{"add", "s32", minS32, math.MaxUint32, 0, math.MaxInt32},
		{"add", "u64", maxU64, 2, 0, 1},
		{"min", "u32", 5, math.MaxUint32, 0, 5},
		{"min", "s32", 5, math.MaxUint32, 0, math.MaxUint32},
		{"max", "u32", 5, math.MaxUint32, 0, math.MaxUint32},
		{"max", "s32", 5, minS32, 0, 5},
		{"min", "u64", minS64, 3, 0, 3},
		{"min", "s64", minS64, 3, 0, minS64},
		{"max", "u64", minS64, 3, 0, minS64},
		{"max", "s64", minS64, 3, 0, 3},
		{"inc", "u32", 4, 5, 0, 5},
		{"inc", "u32", 5, 5, 0, 0},
		{"inc", "u32", 6, 5, 0, 0},
		{"inc", "u32", math.MaxUint32, math.MaxUint32, 0, 0},
		{"inc", "u32", 0, 0, 0, 0},
		{"dec", "u32", 5, 5, 0, 4},
		{"dec", "u32", 0, 5, 0, 5},
		{"dec", "u32", 6, 5, 0, 5},
		{"dec", "u32", 0, 0, 0, 0},
		{"and", "b32", 0xF0F0, 0xFF00, 0, 0xF000},
		{"or", "b32", 0xF0F0, 0x0F00, 0, 0xFFF0},
		{"xor", "b32", 0xF0F0, 0xFFFF, 0, 0x0F0F},
		{"and", "b64", maxU64, 1 << 63, 0, 1 << 63},
		{"or", "b64", 1, 1 << 63, 0, 1<<63 | 1},
		{"xor", "b64", maxU64, 1 << 63, 0, maxU64 >> 1},
		{"exch", "b32", 1, 0xFFFFFFFF, 0, 0xFFFFFFFF},
		{"exch", "b64", 1, maxU64, 0, maxU64},
		{"cas", "b32", 7, 7, 9, 9},
		{"cas", "b32", 8, 7, 9, 8},
		{"cas", "b64", 1 << 40, 1 << 40, maxU64, maxU64},
		{"cas", "b64", 1<<40 + 1, 1 << 40, maxU64, 1<<40 + 1},
		{"cas", "b16", 0x8001, 0x8001, 0xFFFF, 0xFFFF},
		{"cas", "b16", 0x8002, 0x8001, 0xFFFF, 0x8002},
		{"add", "f32", f32(1.5), f32(2.25), 0, f32(3.75)},
		{"add", "f32", f32(1), f32(1e-8), 0, f32(1)},
		{"add", "f32", f32(float32(math.Inf(1))), f32(float32(math.Inf(-1))), 0, 0x7FFFFFFF},
		{"add", "f64", f64(0.1), f64(0.2), 0, f64(math.Nextafter(0.3, 1))},
		{"add.noftz", "f16", 0x3C00, 0x3C00, 0, 0x4000},
		{"add.noftz", "f16x2", 0x3C00_4000, 0x3C00_BC00, 0, 0x4000_3C00},
		{"add.noftz", "bf16", 0x3F80, 0x3F80, 0, 0x4000},
		{"add.noftz", "bf16x2", 0x3F80_4000, 0x3F80_BF80, 0, 0x4000_3F80},
	} {
		bits := 32
		switch {
		case strings.HasSuffix(c.typ, "64"):
			bits = 64
		case strings.HasSuffix(c.typ, "16"):
			bits = 16
		}
		for _, space := range []string{".global", ".shared", ""} {
			for _, op := range []string{"atom", "red"} {
				if op == "red" && (c.op == "cas" || c.op == "exch") {
					continue
				}
				operands, dst := "%x", ""
				if c.op == "cas" {
					operands += ", %y"
				}
				if op == "atom" {
					dst = "%d, "
				}
				at := "%o"
				if space == ".shared" {
					at = "s"
				}
				inst := fmt.Sprintf("%s%s.%s.%s %s[%s], %s;", op, space, c.op, c.typ, dst, at, operands)
				if strings.Contains(c.op, "noftz") { // the modifier stands behind the operation
					inst = fmt.Sprintf("%s%s.add.noftz.%s %s[%s], %s;", op, space, c.typ, dst, at, operands)
				}
				out := []uint64{c.old, 0}
				Run{PTX: fmt.Sprintf(`.shared .align 8 .b64 s;
.visible .entry k(.param .u64 out, .param .u64 x, .param .u64 y) {
	.reg .u64 %%o, %%v; .reg .b%[1]d %%d, %%x, %%y;
	ld.param.u64 %%o, [out];
	ld.param.b%[1]d %%x, [x];
	ld.param.b%[1]d %%y, [y];
	ld.global.u64 %%v, [%%o];
	st.shared.u64 [s], %%v;
	mov.b%[1]d %%d, 0;
	%[2]s
	%[3]s
	st.global.b%[1]d [%%o+8], %%d;
	ret;
}`, bits, inst, map[bool]string{true: "ld.shared.u64 %v, [s]; st.global.u64 [%o], %v;"}[space == ".shared"]), Block: 1, Args: []any{out, c.x, c.y}}.Clean(t)
				old := c.old
				if op == "red" {
					old = 0
				}
				if out[0] != c.new || out[1] != old {
					t.Errorf("%s on %#x with %#x, %#x: %#x and result %#x, want %#x and %#x", inst, c.old, c.x, c.y, out[0], out[1], c.new, old)
				}
			}
		}
	}
}

// Subnormal results of atom.add.f32 are flushed in global memory and kept in shared memory
// (PTX ISA, "atom").
func TestAtomicSubnormals(t *testing.T) {
	for space, want := range map[string]uint32{"global": 0, "shared": 0x400} {
		out := []uint32{0x200}
		at := map[string]string{"global": "[%o]", "shared": "[s]"}[space]
		Run{PTX: ".shared .u32 s;\n" + entry("mov.f32 %f1, 0f00000200; st.shared.u32 [s], 0x200; red."+space+".add.f32 "+at+", %f1; ld."+space+".u32 %r1, "+at+"; st.global.u32 [%o], %r1;"),
			Block: 1, Args: []any{out}}.Clean(t)
		if out[0] != want {
			t.Errorf("%s: %#x, want %#x", space, out[0], want)
		}
	}
}

// The lanes of one atomic take effect one after the other: each sees another old value.
func TestLanesOfAnAtomic(t *testing.T) {
	first := map[uint32]bool{}
	for seed := range uint64(12) {
		for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
			out := make([]uint32, 66)
			Run{PTX: `.visible .entry k(.param .u64 out) {
	.reg .u64 %o, %w, %e; .reg .u32 %t, %r;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	atom.global.add.u32 %r, [%o], 1;
	mul.wide.u32 %w, %t, 4;
	add.s64 %e, %o, %w;
	st.global.u32 [%e+8], %r;
	ret;
}`, Block: 64, Args: []any{out}, Options: device.Options{Seed: seed, Granularity: g}}.Clean(t)
			seen := map[uint32]bool{}
			for _, v := range out[2:] {
				seen[v] = true
			}
			if out[0] != 64 || len(seen) != 64 {
				t.Fatalf("%v", out)
			}
			if g == exec.ByWarp {
				first[out[2]] = true
			}
		}
	}
	if len(first) < 3 {
		t.Error("lane 0 always comes at the same place: the order is meant to depend on the seed", first)
	}
}
