package vm_test

import (
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// A structure with padding goes through two calls by value and comes back: every field in
// its place, in each lane, with divergent callers.
func TestStructuresByValue(t *testing.T) {
	words(t, `
.func (.param .align 8 .b8 r[24]) turn(.param .align 8 .b8 a[24], .param .u8 n) {
	.reg .u64 %d; .reg .u32 %w, %n; .reg .b16 %h, %c;
	ld.param.u8 %n, [n];
	ld.param.u8 %c, [a];
	ld.param.u64 %d, [a+8];
	ld.param.u16 %h, [a+16];
	ld.param.u32 %w, [a+20];
	cvt.u16.u32 %c, %n;
	st.param.b8 [r], %c;
	add.s64 %d, %d, 1;
	st.param.b64 [r+8], %d;
	st.param.b16 [r+16], %h;
	add.u32 %w, %w, %n;
	st.param.b32 [r+20], %w;
	ret;
}
.func (.param .align 8 .b8 r[24]) twice(.param .align 8 .b8 a[24], .param .u8 n) {
	.reg .b64 %x<3>; .reg .b32 %n;
	.param .align 8 .b8 p[24]; .param .b8 q; .param .align 8 .b8 o[24];
	ld.param.u8 %n, [n];
	ld.param.b64 %x0, [a]; ld.param.b64 %x1, [a+8]; ld.param.b64 %x2, [a+16];
	st.param.b64 [p], %x0; st.param.b64 [p+8], %x1; st.param.b64 [p+16], %x2;
	st.param.b8 [q], %n;
	call (o), turn, (p, q);
	ld.param.b64 %x0, [o]; ld.param.b64 %x1, [o+8]; ld.param.b64 %x2, [o+16];
	st.param.b64 [p], %x0; st.param.b64 [p+8], %x1; st.param.b64 [p+16], %x2;
	call (o), turn, (p, q);
	ld.param.b64 %x0, [o]; ld.param.b64 %x1, [o+8]; ld.param.b64 %x2, [o+16];
	st.param.b64 [r], %x0; st.param.b64 [r+8], %x1; st.param.b64 [r+16], %x2;
	ret;
}
`+entry(`
	.param .align 8 .b8 p[24]; .param .b8 q; .param .align 8 .b8 o[24];
	cvt.u64.u32 %rd1, %t;
	mov.u16 %h1, 1000;
	mov.u32 %r1, 5000;
	st.param.b8 [p], 1;
	st.param.b64 [p+8], %rd1;
	st.param.b16 [p+16], %h1;
	st.param.b32 [p+20], %r1;
	st.param.b8 [q], %t;
	setp.lt.u32 %p1, %t, 9;
	@%p1 bra A;
	call (o), twice, (p, q);
	bra J;
A:	call (o), turn, (p, q);
J:	ld.param.u8 %r2, [o];
	ld.param.u32 %r3, [o+8];
	ld.param.u16 %r4, [o+16];
	ld.param.u32 %r5, [o+20];
	mul.lo.u32 %v, %r2, 1000000;
	mad.lo.u32 %v, %r3, 10000, %v;
	add.u32 %v, %v, %r4;
	add.u32 %v, %v, %r5;
	st.global.u32 [%e], %v;`), func(i int) uint32 {
		n := 2
		if i < 9 {
			n = 1
		}
		return uint32(i*1000000 + (i+n)*10000 + 1000 + 5000 + n*i)
	})
}

// Time goes on, and all forms of it agree.
func TestClocks(t *testing.T) {
	out := make([]uint32, 32)
	Run{PTX: entry(`
	mov.u32 %r1, %clock;
	mov.u64 %rd1, %clock64;
	mov.u64 %rd2, %globaltimer;
	nanosleep.u32 1000;
	mov.u32 %r2, %clock;
	mov.u64 %rd3, %clock64;
	mov.u32 %r3, %clock_hi;
	mov.u32 %r4, %globaltimer_lo;
	mov.u64 %rd4, %globaltimer;
	sub.u32 %r5, %r2, %r1;
	sub.s64 %rd5, %rd3, %rd1;
	cvt.u32.u64 %r6, %rd5;
	sub.s64 %rd6, %rd4, %rd2;
	cvt.u32.u64 %r7, %rd6;
	st.global.v4.u32 [%o], {%r5, %r6, %r7, %r3};`), Block: 1, Args: []any{out}}.Clean(t)
	if out[0] == 0 || out[0] > 1000 || out[1] < out[0] || out[2] == 0 || out[3] != 0 {
		t.Error(out[:4])
	}
}

func TestAsyncCopies(t *testing.T) {
	words(t, `.shared .align 16 .b8 s[512];
`+entry(`
	mov.u32 %r1, 77;
	mad.lo.u32 %r1, %t, 1000, %r1;
	st.global.u32 [%e], %r1;
	mul.wide.u32 %rd1, %t, 16;
	mov.u64 %rd2, s;
	add.s64 %rd2, %rd2, %rd1;
	mov.u32 %r2, -1;
	st.shared.v4.u32 [%rd2], {%r2, %r2, %r2, %r2};
	and.b32 %r3, %t, 3;
	setp.eq.u32 %p1, %r3, 3;
	cp.async.ca.shared.global [%rd2], [%e], 4;
	cp.async.ca.shared.global [%rd2+4], [%e], 4, 0;
	cp.async.ca.shared.global [%rd2+8], [%e], 4, %r3;
	cp.async.ca.shared.global [%rd2+12], [%e], 4, %p1;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];
	add.u32 %r4, %r4, %r5;
	add.u32 %r4, %r4, %r6;
	add.u32 %r4, %r4, %r7;
	st.global.u32 [%e], %r4;`), func(i int) uint32 {
		v := uint32(1000*i + 77)
		sum := v + v&(1<<(8*uint(i&3))-1)
		if i&3 != 3 {
			sum += v
		}
		return sum
	})
	for body, words := range map[string]string{
		"cp.async.ca.shared.global [s+512], [%o], 4;":    "writes 4 bytes of s at offset 512",
		"cp.async.cg.shared.global [s], [%o+128], 16;":   "reads 16 bytes of out at offset 128",
		"cp.async.ca.shared.global [s], [%o+116], 8, 8;": "",
		"cp.async.ca.shared.global [s], [%o+128], 4, 4;": "reads 4 bytes of out at offset 128",
		"cp.async.ca.shared.global [%o], [%o], 4;":       "a shared access to out, which lies in global memory",
	} {
		r := Run{PTX: ".shared .align 16 .b8 s[512];\n" + entry(body+" cp.async.wait_all;"), Block: 1, Args: []any{make([]uint32, 32)}}.Do(t)
		if words == "" {
			r.One(t, kernel.Misaligned, "8 bytes at offset 116 of out")
			continue
		}
		r.One(t, kernel.OutOfBounds, words)
	}
	// With zero bytes to read the source does not matter.
	Run{PTX: ".shared .align 16 .b8 s[512];\n" + entry("cp.async.ca.shared.global [s], [%o+4096], 4, 0; cp.async.wait_all;"), Block: 1, Args: []any{make([]uint32, 32)}}.Clean(t)
}
