package lower_test

import (
	"strings"
	"testing"

	. "gpusim/internal/ptxtest"
)

// each runs a kernel that stores one value a thread and compares.
func each(t *testing.T, name, ptx string, want func(i int) uint32) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		out := make([]uint32, 32)
		Run{PTX: ptx, Args: []any{out}}.Clean(t)
		for i, v := range out {
			if v != want(i) {
				t.Fatalf("thread %d: %d, want %d; all: %v", i, v, want(i), out)
			}
		}
	})
}

// entry is a kernel whose body finds its thread index in %t and the address of its
// element of out in %o, and leaves its result in %v.
func entry(body string) string {
	return `.visible .entry k(.param .u64 out) {
	.reg .u32 %t, %v; .reg .u64 %o, %tw; .reg .u32 %r<20>; .reg .u64 %rd<20>; .reg .pred %p<10>; .reg .b16 %h<10>; .reg .f32 %f<10>;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %tw, %t, 4;
	add.s64 %o, %o, %tw;
` + body + `
	st.global.u32 [%o], %v;
	ret;
}`
}

// A register with a single definition by a copy is another name of the source, unless the
// source may get a new value before the copy is used for the last time.
func TestCopies(t *testing.T) {
	each(t, "copy of a copy", entry(`add.u32 %r1, %t, 7; mov.u32 %r2, %r1; mov.b32 %r3, %r2; mov.u32 %v, %r3;`), func(i int) uint32 { return uint32(i) + 7 })
	each(t, "the source has two definitions", entry(`
		add.u32 %r1, %t, 7;
		mov.u32 %r2, %r1;
		add.u32 %r1, %t, 100;
		add.u32 %v, %r1, %r2;`), func(i int) uint32 { return uint32(2*i + 107) })
	each(t, "the copy has two definitions", entry(`
		mov.u32 %v, %t;
		setp.lt.u32 %p1, %t, 5;
		@%p1 mov.u32 %v, 99;`), func(i int) uint32 {
		if i < 5 {
			return 99
		}
		return uint32(i)
	})
	each(t, "a guarded definition", entry(`
		setp.lt.u32 %p1, %t, 5;
		mov.u32 %r1, 3;
		@%p1 mov.u32 %v, %t;
		@!%p1 mov.u32 %v, %r1;`), func(i int) uint32 {
		if i < 5 {
			return uint32(i)
		}
		return 3
	})
	// What clang makes of: for (i = 0; i < 4; i++) { x = t + i; if (i > 0) v += x - prev; prev = x; }
	each(t, "the value of the last round", entry(`
		mov.u32 %v, 0;
		mov.u32 %r0, 0;
	L:	add.u32 %r1, %t, %r0;
		mul.lo.u32 %r1, %r0, %r0;
		setp.eq.u32 %p1, %r0, 0;
		add.u32 %r4, %t, %r1;
		@%p1 bra N;
		sub.u32 %r3, %r4, %r2;
		mad.lo.u32 %v, %v, 10, %r3;
	N:	mov.u32 %r2, %r4;
		add.u32 %r0, %r0, 1;
		setp.lt.u32 %p2, %r0, 4;
		@%p2 bra L;`), func(int) uint32 { return 135 })
	each(t, "the value of the last round, predicated", entry(`
		mov.u32 %v, 0;
		mov.u32 %r0, 0;
	L:	mul.lo.u32 %r1, %r0, %r0;
		setp.ne.u32 %p1, %r0, 0;
		@%p1 sub.u32 %r3, %r1, %r2;
		@%p1 mad.lo.u32 %v, %v, 10, %r3;
		mov.u32 %r2, %r1;
		add.u32 %r0, %r0, 1;
		setp.lt.u32 %p2, %r0, 4;
		@%p2 bra L;`), func(int) uint32 { return 135 })
	each(t, "a chain of copies over rounds", entry(`
		mov.u32 %v, 0;
		mov.u32 %r0, 0;
	L:	mul.lo.u32 %r1, %r0, %r0;
		mov.u32 %r5, %r1;
		setp.ne.u32 %p1, %r0, 0;
		@%p1 sub.u32 %r3, %r5, %r2;
		@%p1 mad.lo.u32 %v, %v, 10, %r3;
		mov.u32 %r6, %r5;
		mov.u32 %r2, %r6;
		add.u32 %r0, %r0, 1;
		setp.lt.u32 %p2, %r0, 4;
		@%p2 bra L;`), func(int) uint32 { return 135 })
	each(t, "a predicate's copy", entry(`
		setp.lt.u32 %p1, %t, 9;
		mov.pred %p2, %p1;
		mov.u32 %v, 1;
		@%p2 mov.u32 %v, 2;`), func(i int) uint32 {
		if i < 9 {
			return 2
		}
		return 1
	})
	each(t, "negated predicates and constants", entry(`
		setp.lt.u32 %p1, %t, 9;
		not.pred %p2, %p1;
		mov.pred %p3, %p2;
		mov.pred %p4, 1;
		and.pred %p5, %p3, %p4;
		selp.u32 %v, 5, 6, %p5;`), func(i int) uint32 {
		if i < 9 {
			return 6
		}
		return 5
	})
	each(t, "a register that is only a guard", entry(`
		mov.u32 %v, 1;
		setp.lt.u32 %p1, %t, 9;
		mov.pred %p2, %p1;
		@%p2 add.u32 %v, %v, 1;`), func(i int) uint32 {
		if i < 9 {
			return 2
		}
		return 1
	})
	each(t, "a register that is only a barrier operand", entry(`
		mov.u32 %r1, 3;
		mov.u32 %r2, %r1;
		mov.u32 %r3, 32;
		bar.sync %r2, %r3;
		mov.u32 %v, %t;`), func(i int) uint32 { return uint32(i) })
	each(t, "a register that is only a branch index", entry(`
		mov.u32 %r1, 1;
		mov.u32 %r2, %r1;
		mov.u32 %v, 0;
	T:	.branchtargets A, B;
		brx.idx %r2, T;
	A:	mov.u32 %v, 1; bra E;
	B:	mov.u32 %v, 2;
	E:	`), func(int) uint32 { return 2 })
	each(t, "a register that is only a mask", entry(`
		mov.u32 %r1, -1;
		mov.u32 %r2, %r1;
		bar.warp.sync %r2;
		mov.u32 %v, 4;`), func(int) uint32 { return 4 })
	each(t, "widths differ", entry(`
		mov.u32 %r1, 0x12345;
		cvt.u16.u32 %h1, %r1;
		mov.b16 %h2, %h1;
		cvt.u32.u16 %v, %h2;`), func(int) uint32 { return 0x2345 })
	for what, reg := range map[string]string{"in the kernel": "", "in a function": "call (rv), f; ld.param.u32 %v, [rv];"} {
		each(t, "special registers "+what, `.func (.param .u32 r) f() {
			.reg .u32 %a, %b, %c; mov.u32 %a, %tid.x; mov.u32 %b, %a; mov.u32 %c, %ntid.x; mad.lo.u32 %a, %b, 100, %c; st.param.u32 [r], %a; ret; }
`+strings.Replace(entry(`.param .u32 rv; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %v, %r2, 100, %r1; FUNCTION`), "FUNCTION", reg, 1),
			func(i int) uint32 { return uint32(100*i + 32) })
	}
	each(t, "a float as bits", entry(`mov.f32 %f1, 0f3F800000; mov.b32 %r1, %f1; mov.u32 %v, %r1;`), func(int) uint32 { return 0x3F800000 })
}

// The first block of a function may be the head of a loop once its copies are gone.
func TestLoopAtTheStart(t *testing.T) {
	out := make([]uint32, 32)
	Run{PTX: `.visible .entry k(.param .u64 out) {
	.reg .u32 %t, %m, %i; .reg .u64 %o, %w; .reg .pred %p, %q;
	.reg .u32 %x;
	.local .u32 n;
L:	mov.u32 %t, %tid.x;
	ld.param.u64 %o, [out];
	ld.local.u32 %i, [n];
	setp.ge.u32 %p, %i, %t;
	@%p bra X;
	bra M;
X:	activemask.b32 %m;
	mul.wide.u32 %w, %t, 4;
	add.s64 %o, %o, %w;
	st.global.u32 [%o], %m;
	ret;
M:	add.u32 %i, %i, 1;
	st.local.u32 [n], %i;
	bra L;
}`, Args: []any{out}, Options: noUninit}.Clean(t)
	for i, m := range out {
		if m != 0xFFFFFFFF {
			t.Fatalf("thread %d saw %#x behind the loop: all lanes reconverge there", i, m)
		}
	}
}
