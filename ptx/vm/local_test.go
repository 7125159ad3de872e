package vm_test

import (
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// entry is a kernel with one buffer: its body finds the thread index in %t, the buffer in
// %o and the address of the thread's own word in %e.
func entry(body string) string {
	return `.visible .entry k(.param .u64 out) {
	.reg .u32 %t, %v; .reg .u64 %o, %e, %tw; .reg .u32 %r<20>; .reg .u64 %rd<20>; .reg .pred %p<10>; .reg .b16 %h<10>; .reg .f32 %f<10>; .reg .f64 %fd<10>;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %tw, %t, 4;
	add.s64 %e, %o, %tw;
` + body + `
	ret;
}`
}

// both are the granularities: every lane a thread of its own must make no difference.
var both = []device.Options{{}, {Granularity: exec.ByThread}}

// words checks what a kernel leaves in a buffer of 32 words.
func words(t *testing.T, ptx string, want func(i int) uint32) {
	t.Helper()
	for _, o := range both {
		out := make([]uint32, 32)
		Run{PTX: ptx, Args: []any{out}, Options: o}.Clean(t)
		for i, v := range out {
			if v != want(i) {
				t.Fatalf("thread %d: %d (%#x), want %d; all: %v", i, v, v, want(i), out)
			}
		}
	}
}

func TestLocalArrays(t *testing.T) {
	// Every lane fills its own array of 32 words backwards and reads at its own index.
	words(t, entry(`
	.local .align 4 .b8 a[128];
	mov.u32 %r0, 0;
L:	mul.wide.u32 %rd1, %r0, 4;
	mov.u64 %rd2, a;
	add.s64 %rd2, %rd2, %rd1;
	mad.lo.u32 %r1, %t, 100, %r0;
	st.local.u32 [%rd2], %r1;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p1, %r0, 32;
	@%p1 bra L;
	mul.wide.u32 %rd1, %t, 4;
	mov.u64 %rd2, a;
	add.s64 %rd2, %rd2, %rd1;
	ld.local.u32 %v, [%rd2];
	st.global.u32 [%e], %v;`), func(i int) uint32 { return uint32(101 * i) })
	// Bytes at an index of the lane's own, read back as a word; generic addresses.
	words(t, entry(`
	.local .align 8 .b8 a[8];
	st.local.u64 [a], 0;
	and.b32 %r0, %t, 3;
	cvt.u64.u32 %rd1, %r0;
	mov.u64 %rd2, a;
	cvta.local.u64 %rd2, %rd2;
	add.s64 %rd2, %rd2, %rd1;
	add.u32 %r1, %t, 1;
	st.u8 [%rd2], %r1;
	st.local.u8 [a+5], %r1;
	ld.local.u32 %v, [a];
	ld.local.u8 %r2, [a+5];
	add.u32 %v, %v, %r2;
	st.global.u32 [%e], %v;`), func(i int) uint32 { return uint32(i+1)<<(8*(i&3)) + uint32(i+1) })
	// Vectors and sign extension.
	words(t, entry(`
	.local .align 16 .b8 a[16];
	neg.s32 %r0, %t;
	st.local.v4.u32 [a], {%t, %r0, %t, 7};
	ld.local.v2.u32 {%r1, %r2}, [a+8];
	ld.local.s16 %r3, [a+4];
	add.s32 %v, %r1, %r2;
	add.s32 %v, %v, %r3;
	st.global.u32 [%e], %v;`), func(i int) uint32 { return 7 })
}

func TestLocalOutOfFrame(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		kind kernel.Kind
		text string
	}{
		"behind the end":    {"st.local.u32 [a+16], %t;", kernel.OutOfBounds, "at byte 16 of the function's local variables, which are 16 bytes"},
		"across the end":    {"st.local.v2.u32 [a+12], {%t, %t};", kernel.OutOfBounds, "at byte 12"},
		"before the start":  {"st.local.u32 [a-4], %t;", kernel.OutOfBounds, "hits no variable"},
		"index of one lane": {"mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, a; add.s64 %rd2, %rd2, %rd1; ld.local.u32 %v, [%rd2];", kernel.OutOfBounds, "at byte 92"},
		"generic":           {"mov.u64 %rd2, a; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2+20], %t;", kernel.OutOfBounds, "at byte 20"},
		"misaligned":        {"st.local.u32 [a+2], %t;", kernel.Misaligned, "not a multiple of 4"},
		"another window":    {"mov.u64 %rd2, 4096; st.local.u32 [%rd2], %t;", kernel.OutOfBounds, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range both {
				o.NoUninit = true
				r := Run{PTX: entry(".local .align 4 .b8 a[16]; .local .align 4 .b8 b[16]; setp.eq.u32 %p1, %t, 31; selp.u32 %r0, 31, 1, %p1;\n" + c.body),
					Args: []any{make([]uint32, 32)}, Options: o}.Do(t)
				f := r.One(t, c.kind, c.text)
				if f.Accesses[0].Source.Line != 8 {
					t.Errorf("line %d", f.Accesses[0].Source.Line)
				}
			}
		})
	}
}

// A called function sees its caller's variables through a pointer, and has its own.
func TestFrames(t *testing.T) {
	words(t, `
.func set(.param .u64 p, .param .u32 n) {
	.reg .u64 %a; .reg .u32 %v, %x;
	.local .u32 mine;
	ld.param.u64 %a, [p];
	ld.param.u32 %v, [n];
	st.local.u32 [mine], 1000;
	st.u32 [%a], %v;
	ld.local.u32 %x, [mine];
	st.u32 [%a+4], %x;
	ret;
}
`+entry(`
	.local .align 4 .b8 a[8];
	.param .u64 pa; .param .u32 pn;
	mov.u64 %rd1, a;
	cvta.local.u64 %rd1, %rd1;
	st.param.u64 [pa], %rd1;
	st.param.u32 [pn], %t;
	call set, (pa, pn);
	ld.local.u32 %v, [a];
	ld.local.u32 %r1, [a+4];
	add.u32 %v, %v, %r1;
	st.global.u32 [%e], %v;`), func(i int) uint32 { return uint32(1000 + i) })
}

const factorial = `
.func (.param .u32 r) fac(.param .u32 n) {
	.reg .u32 %n, %x; .reg .pred %p;
	.local .u32 keep;
	.param .u32 pn; .param .u32 rv;
	ld.param.u32 %n, [n];
	mov.u32 %x, 1;
	setp.le.u32 %p, %n, 1;
	@%p bra D;
	st.local.u32 [keep], %n;
	sub.u32 %x, %n, 1;
	st.param.u32 [pn], %x;
	call (rv), fac, (pn);
	ld.param.u32 %x, [rv];
	ld.local.u32 %n, [keep];
	mul.lo.u32 %x, %x, %n;
D:	st.param.u32 [r], %x;
	ret;
}
`

func TestRecursionOfDifferentDepth(t *testing.T) {
	words(t, factorial+entry(`
	.param .u32 pn; .param .u32 rv;
	and.b32 %r1, %t, 7;
	st.param.u32 [pn], %r1;
	call (rv), fac, (pn);
	ld.param.u32 %v, [rv];
	activemask.b32 %r2;
	st.global.u32 [%e], %v;`), func(i int) uint32 {
		x := uint32(1)
		for n := uint32(i & 7); n > 1; n-- {
			x *= n
		}
		return x
	})
	for _, o := range both {
		r := Run{PTX: factorial + entry(`
	.param .u32 pn; .param .u32 rv;
	mov.u32 %r1, 2000000000;
	st.param.u32 [pn], %r1;
	call (rv), fac, (pn);`), Block: 2, Args: []any{make([]uint32, 32)}, Options: o}.Do(t)
		r.One(t, kernel.OutOfBounds, "stack overflow: fac is called at depth")
		if !r.Complete {
			t.Error(r.Stopped)
		}
	}
}

// The lanes of diverged callers come together behind the call.
func TestReconvergenceBehindCalls(t *testing.T) {
	out := make([]uint32, 32)
	Run{PTX: factorial + entry(`
	.param .u32 pn; .param .u32 rv;
	and.b32 %r1, %t, 7;
	st.param.u32 [pn], %r1;
	call (rv), fac, (pn);
	activemask.b32 %v;
	st.global.u32 [%e], %v;`), Args: []any{out}}.Clean(t)
	for i, m := range out {
		if m != 0xFFFFFFFF {
			t.Fatalf("lane %d: %#x", i, m)
		}
	}
}

func TestIndirectCallsOfDifferentTargets(t *testing.T) {
	words(t, `
.func (.param .u32 r) one(.param .u32 n) { .reg .u32 %x; ld.param.u32 %x, [n]; add.u32 %x, %x, 100; st.param.u32 [r], %x; ret; }
.func (.param .u32 r) two(.param .u32 n) { .reg .u32 %x; ld.param.u32 %x, [n]; add.u32 %x, %x, 200; st.param.u32 [r], %x; ret; }
.global .u64 table[2] = {one, two};
`+entry(`
	.param .u32 pn; .param .u32 rv;
	and.b32 %r1, %t, 1;
	mul.wide.u32 %rd1, %r1, 8;
	mov.u64 %rd2, table;
	add.s64 %rd2, %rd2, %rd1;
	ld.global.u64 %rd3, [%rd2];
	st.param.u32 [pn], %t;
P:	.callprototype (.param .u32 _) _ (.param .u32 _);
	call (rv), %rd3, (pn), P;
	ld.param.u32 %v, [rv];
	activemask.b32 %r2;
	setp.ne.u32 %p1, %r2, -1;
	@%p1 mov.u32 %r3, 1;
	st.global.u32 [%e], %v;`), func(i int) uint32 { return uint32(100 + 100*(i&1) + i) })
	r := Run{PTX: entry(`
P:	.callprototype _ ();
	mov.u64 %rd1, 0;
	setp.eq.u32 %p1, %t, 3;
	@%p1 mov.u64 %rd1, 1234;
	@%p1 call %rd1, P;
	st.global.u32 [%e], %t;`), Args: []any{make([]uint32, 32)}}.Do(t)
	r.One(t, kernel.OutOfBounds, "an indirect call to 0x4d2, which is not the address of a function")
}

func TestAlloca(t *testing.T) {
	// Each lane allocates as much as it likes, in a loop with saves and restores.
	words(t, entry(`
	mov.u32 %r0, 0;
	mov.u32 %v, 0;
L:	stacksave.u64 %rd1;
	mul.lo.u32 %r1, %t, 8;
	add.u32 %r1, %r1, 8;
	cvt.u64.u32 %rd2, %r1;
	alloca.u64 %rd3, %rd2;
	cvt.u64.u32 %rd4, %r1;
	add.s64 %rd4, %rd4, %rd3;
	add.u32 %r2, %t, %r0;
	st.local.u32 [%rd4-4], %r2;
	ld.local.u32 %r3, [%rd4-4];
	add.u32 %v, %v, %r3;
	stackrestore.u64 %rd1;
	add.u32 %r0, %r0, 1;
	setp.le.u32 %p1, %r0, %t;
	@%p1 bra L;
	st.global.u32 [%e], %v;`), func(i int) uint32 { return uint32((i+1)*i + i*(i+1)/2) })
	// A lane that frees what it allocated leaves the others' alone.
	words(t, entry(`
	stacksave.u64 %rd1;
	mov.u64 %rd2, 64;
	and.b32 %r1, %t, 1;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra A;
	alloca.u64 %rd3, %rd2;
	st.local.u32 [%rd3+60], 1;
	bra B;
A:	alloca.u64 %rd3, 128;
	st.local.u32 [%rd3+60], 0;
	stackrestore.u64 %rd1;
	mov.u32 %v, 2;
B:	@!%p1 ld.local.u32 %v, [%rd3+60];
	st.global.u32 [%e], %v;`), func(i int) uint32 { return 2 - uint32(i&1) })
	for name, size := range map[string]string{"too much": "600000", "far too much": "0x7fffffffffffff00", "negative": "-8"} {
		t.Run(name, func(t *testing.T) {
			r := Run{PTX: entry("alloca.u64 %rd1, " + size + ";"), Block: 1, Args: []any{make([]uint32, 32)}}.Do(t)
			r.One(t, kernel.OutOfBounds, "stack overflow: alloca")
		})
	}
	r := Run{PTX: entry("alloca.u64 %rd1, 16; st.local.u32 [%rd1+16], %t;"), Block: 1, Args: []any{make([]uint32, 32)}}.Do(t)
	r.One(t, kernel.OutOfBounds, "a local access of 4 bytes")
	r = Run{PTX: entry("stacksave.u64 %rd2; alloca.u64 %rd1, 16; st.local.u32 [%rd1], %t; stackrestore.u64 %rd2; st.local.u32 [%rd1], %t;"), Block: 1, Args: []any{make([]uint32, 32)}}.Do(t)
	if r.One(t, kernel.OutOfBounds, "a local access of 4 bytes"); strings.Contains(r.Text(), "%!") {
		t.Error(r.Text())
	}
}
