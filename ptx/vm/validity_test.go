package vm_test

import (
	"fmt"
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// uninit runs a body on a buffer that nobody has initialised, in, and one that is, out;
// %i and %o are their addresses, %e and %q those of the thread's own words.
func uninit(t *testing.T, body string, threads uint32) []*Result {
	t.Helper()
	var list []*Result
	for _, o := range both {
		list = append(list, Run{PTX: `.shared .align 8 .b8 s[512];
.func (.param .align 8 .b8 r[16]) pass(.param .align 8 .b8 a[16]) {
	.reg .u64 %x, %y; ld.param.u64 %x, [a]; ld.param.u64 %y, [a+8]; st.param.u64 [r], %x; st.param.u64 [r+8], %y; ret;
}
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .u64 %i, %o, %e, %q, %tw; .reg .u32 %t, %r<20>; .reg .u64 %rd<20>; .reg .pred %p<10>; .reg .b16 %h<10>; .reg .f32 %f<10>;
	.param .align 8 .b8 pa[16]; .param .align 8 .b8 pr[16];
	.local .align 8 .b8 l[16];
	ld.param.u64 %i, [in]; ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x; mul.wide.u32 %tw, %t, 4; add.s64 %e, %o, %tw; add.s64 %q, %i, %tw;
` + body + "\nret;\n}", Block: threads, Args: []any{Uninit(256), make([]uint32, 64)}, Options: o}.Do(t))
	}
	return list
}

// What only copies uninitialised bytes is silent: compilers copy padding.
func TestSilentUninitialised(t *testing.T) {
	for name, body := range map[string]string{
		"a load":               "ld.global.u32 %r1, [%q];",
		"a copy within":        "ld.global.u32 %r1, [%q]; mov.u32 %r2, %r1; mov.u32 %r3, %r2;",
		"to shared memory":     "ld.global.u32 %r1, [%q]; st.shared.u32 [s], %r1;",
		"to local memory":      "ld.global.u32 %r1, [%q]; st.local.u32 [l], %r1; ld.local.u32 %r2, [l];",
		"to an unwritten part": "ld.global.u8 %r1, [%q]; st.global.u8 [%o+16], %r1;",
		"padding in 64 bits": `st.global.u8 [%i], 1; st.global.u32 [%i+4], 7;
			ld.global.u64 %rd1, [%i]; st.global.u64 [%o], %rd1; ld.global.u32 %r1, [%o+4]; add.u32 %r1, %r1, 1; ld.global.u8 %r2, [%o]; add.u32 %r2, %r2, 1;`,
		"padding in a call": `st.global.u8 [%i], 1; st.global.u32 [%i+4], 7; st.global.u32 [%i+8], 7;
			ld.global.u64 %rd1, [%i]; ld.global.u64 %rd2, [%i+8]; st.param.u64 [pa], %rd1; st.param.u64 [pa+8], %rd2;
			call (pr), pass, (pa); ld.param.u64 %rd3, [pr]; ld.param.u64 %rd4, [pr+8]; st.global.u64 [%o], %rd3; st.global.u64 [%o+8], %rd4;
			cvt.u32.u64 %r3, %rd4; add.u32 %r3, %r3, 1;`,
		"unpacked and packed":       "st.global.u32 [%i], 1; ld.global.u64 %rd1, [%i]; mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, 1; mov.b64 %rd2, {%r1, %r2}; st.shared.u64 [s], %rd2;",
		"masked out":                "st.global.u8 [%i], 1; ld.global.u32 %r1, [%i]; and.b32 %r2, %r1, 255; add.u32 %r2, %r2, 1;",
		"or of all ones":            "ld.global.u32 %r1, [%i]; or.b32 %r2, %r1, 0xffffffff; add.u32 %r2, %r2, 1;",
		"overwritten":               "ld.global.u32 %r1, [%q]; mov.u32 %r1, 5; add.u32 %r1, %r1, 1; st.global.u32 [%e], %r1;",
		"written, then read":        "st.global.u32 [%q], %t; ld.global.u32 %r1, [%q]; add.u32 %r1, %r1, 1; st.global.u32 [%e], %r1;",
		"loaded again":              "mov.u64 %rd1, %i; mov.u32 %r3, 0; L: ld.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r3, 1; @%p1 add.u32 %r2, %r1, 1; mov.u64 %rd1, %o; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2; @%p2 bra L;",
		"the other lane's":          "setp.eq.u32 %p1, %t, 0; ld.global.u32 %r1, [%q]; @%p1 mov.u32 %r1, 4; @%p1 add.u32 %r2, %r1, 1;",
		"not chosen":                "ld.global.u32 %r1, [%q]; setp.ge.u32 %p1, %t, 0; selp.u32 %r2, 1, %r1, %p1; add.u32 %r2, %r2, 1;",
		"not taken":                 "ld.global.u32 %r1, [%q]; setp.lt.u32 %p1, %t, 0; @%p1 add.u32 %r2, %r1, 1;",
		"shuffled":                  "ld.global.u32 %r1, [%q]; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;",
		"shuffled from a good one":  "ld.global.u32 %r1, [%q]; setp.eq.u32 %p1, %t, 2; @%p1 mov.u32 %r1, 9; shfl.sync.idx.b32 %r2, %r1, 2, 31, -1; add.u32 %r2, %r2, 1;",
		"a buffer that is not read": "st.global.u32 [%e], %t;",
	} {
		for _, r := range uninit(t, body, 4) {
			racy := false
			for _, f := range r.Findings {
				racy = racy || f.Kind == kernel.DataRace
			}
			if r.Load != nil || r.Err != nil || len(r.Findings) > 0 && !racy {
				t.Errorf("%s: %v %v %s", name, r.Load, r.Err, r.Text())
			}
			for _, f := range r.Findings {
				if f.Kind != kernel.DataRace {
					t.Errorf("%s: %s", name, r.Text())
				}
			}
		}
	}
}

// Uses are reported, with the line of the load (13, first in the body) and of the use.
func TestUsesOfUninitialised(t *testing.T) {
	const whole, part = "is read before anything was written there", "is read before all of its bytes were written"
	for name, c := range map[string]struct{ body, words string }{
		"arithmetic":              {"ld.global.u32 %r1, [%q];\nadd.u32 %r2, %r1, 1;", "error uninitialized-read: in at offset 0 " + whole},
		"a long way":              {"ld.global.u32 %r1, [%q];\nmov.u32 %r2, %r1; st.shared.u32 [s], %r2; ld.shared.u32 %r3, [s]; add.u32 %r4, %r3, 1;", whole},
		"a comparison":            {"ld.global.u32 %r1, [%q];\nsetp.eq.u32 %p1, %r1, 1; @%p1 bra B; B:", whole},
		"a comparison's choice":   {"ld.global.u32 %r1, [%q];\nsetp.eq.u32 %p1, %r1, 1; selp.u32 %r2, 1, 0, %p1;", whole},
		"a comparison's guard":    {"ld.global.u32 %r1, [%q];\nsetp.eq.u32 %p1, %r1, 1; not.pred %p2, %p1; @%p2 st.global.u32 [%o], 0;", whole},
		"a float":                 {"ld.global.f32 %f1, [%q];\nmul.f32 %f2, %f1, 0f00000000;", whole},
		"an address":              {"ld.global.u64 %rd1, [%i];\nld.global.u32 %r1, [%rd1];", whole},
		"an atomic's data":        {"ld.global.u32 %r1, [%q];\natom.global.add.u32 %r2, [%o], %r1;", whole},
		"a barrier's id":          {"ld.global.u32 %r1, [%q];\nbar.sync %r1;", whole},
		"a brx":                   {"ld.global.u32 %r1, [%q];\nT: .branchtargets A; brx.idx %r1, T; A:", whole},
		"a reduction":             {"ld.global.u32 %r1, [%q];\nredux.sync.add.u32 %r2, %r1, -1;", whole},
		"after a shuffle":         {"ld.global.u32 %r1, [%q];\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1; add.u32 %r3, %r2, 1;", whole},
		"after a call":            {"ld.global.u64 %rd1, [%i];\nst.param.u64 [pa], %rd1; st.param.u64 [pa+8], %rd1; call (pr), pass, (pa); ld.param.u32 %r1, [pr]; add.u32 %r1, %r1, 1;", "in at offset 0 " + whole},
		"through a variable":      {"ld.global.u32 %r1, [%i+4];\nst.local.u32 [l], %r1; ld.local.u32 %r2, [l]; add.u32 %r1, %r2, 1;", "in at offset 4 " + whole},
		"through half a variable": {"ld.global.u32 %r1, [%i+4];\nst.local.u32 [l+4], %r1; st.local.u32 [l], %t; ld.local.u64 %rd1, [l]; add.u64 %rd1, %rd1, 1;", "warning uninitialized-read: in at offset 4 "},
		"a variable used again":   {"ld.local.u32 %r2, [l];\nadd.u32 %r2, %r2, 1;", "a local variable " + whole},
		"to the host":             {"ld.global.u32 %r1, [%q];\nst.global.u32 [%e], %r1;", whole},
		"sign extension":          {"ld.global.s8 %r1, [%i];\nadd.u32 %r1, %r1, 1;", whole},
		"part of it":              {"st.global.u8 [%i], 1; ld.global.u32 %r1, [%i];\nadd.u32 %r2, %r1, 1;", "warning uninitialized-read: in at offset 0 " + part},
		"a vector":                {"ld.global.v2.u32 {%r1, %r2}, [%i+8];\nadd.u32 %r3, %r2, 1;", "in at offset 12 " + whole},
		"unpacked":                {"st.global.u32 [%i], 1; ld.global.u64 %rd1, [%i];\nmov.b64 {%r1, %r2}, %rd1; add.u32 %r2, %r2, 1;", "uninitialized-read"},
		"a local variable":        {"ld.local.u32 %r1, [l];\nadd.u32 %r1, %r1, 1;", "a local variable " + whole},
		"a shared variable":       {"ld.shared.u32 %r1, [s+8];\nadd.u32 %r1, %r1, 1;", "s at offset 8 " + whole},
		"cp.async":                {"cp.async.ca.shared.global [s], [%i], 4; cp.async.wait_all; ld.shared.u32 %r1, [s];\nadd.u32 %r1, %r1, 1;", whole},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range uninit(t, c.body, 1) {
				if r.Load != nil || r.Err != nil {
					t.Fatal(r.Load, r.Err)
				}
				found := 0
				for _, f := range r.Findings {
					if f.Kind != kernel.UninitializedRead {
						continue
					}
					found++
					lines := ""
					for _, a := range f.Accesses {
						lines += fmt.Sprintf(" %s:%d", a.Op, a.Source.Line)
					}
					if name != "a long way" && lines != " read:11 read:12" && lines != " read:11 write:12" {
						t.Errorf("accesses%s of%s", lines, r.Text())
					}
				}
				if found != 1 || !strings.Contains(r.Text(), c.words) {
					t.Errorf("%d findings, want %q:%s", found, c.words, r.Text())
				}
			}
		})
	}
}

// An atomic on memory that nobody has set is a finding of its own, told once.
func TestAtomicOnUninitialised(t *testing.T) {
	for _, r := range uninit(t, "red.global.add.u32 [%i], 1;", 32) {
		f := r.One(t, kernel.UninitializedRead, "an atomic operation on in, which was never initialised")
		if f.Object != "in" || f.Severity != kernel.Error {
			t.Errorf("%+v", f)
		}
	}
}

// Many uses of what one load brought are one finding; a loop does not multiply it.
func TestUsesAreCounted(t *testing.T) {
	for _, r := range uninit(t, `mov.u32 %r3, 0;
L:	ld.global.u32 %r1, [%q];
	add.u32 %r2, %r1, 1;
	add.u32 %r2, %r1, 2;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 10;
	@%p1 bra L;`, 32) {
		if f := r.One(t, kernel.UninitializedRead, "in at offset"); f.Count < 320 {
			t.Errorf("%+v", f)
		}
	}
}

// A comparison of an uninitialised value is harmless where a defined one decides.
func TestMaskedComparison(t *testing.T) {
	out := []uint32{0}
	Run{PTX: `.visible .entry k(.param .u64 q, .param .u64 o) {
.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p<6>;
ld.param.u64 %rd1, [q]; ld.param.u64 %rd2, [o];
ld.global.u32 %r1, [%rd1];
setp.lt.u32 %p1, %r1, 7;
setp.eq.u64 %p2, %rd1, %rd1;
or.pred %p3, %p1, %p2;
not.pred %p4, %p2;
and.pred %p5, %p1, %p4;
@!%p3 bra END;
@%p5 bra END;
mov.u32 %r2, 5;
st.global.u32 [%rd2], %r2;
END: ret;
}`, Block: 1, Args: []any{Uninit(4), out}}.Clean(t)
	if out[0] != 5 {
		t.Error(out)
	}
}
