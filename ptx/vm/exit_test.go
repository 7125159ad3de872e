package vm_test

import (
	"testing"

	"gpusim/device"
	. "gpusim/internal/ptxtest"
)

// Lanes that end inside of a function, at any depth, leave the others alone.
func TestExitInFunctions(t *testing.T) {
	schedules(t, 4, func(t *testing.T, o device.Options) {
		out := make([]uint32, 32)
		Run{PTX: `
.func (.param .u32 r) down(.param .u32 n, .param .u32 t) {
	.reg .u32 %n, %t, %x; .reg .pred %p, %q;
	.local .u32 keep;
	.param .u32 pn; .param .u32 pt; .param .u32 rv;
	ld.param.u32 %n, [n];
	ld.param.u32 %t, [t];
	st.local.u32 [keep], %n;
	setp.eq.u32 %q, %n, %t;
	@%q exit;
	mov.u32 %x, 0;
	setp.eq.u32 %p, %n, 0;
	@%p bra D;
	sub.u32 %x, %n, 1;
	st.param.u32 [pn], %x;
	st.param.u32 [pt], %t;
	call (rv), down, (pn, pt);
	ld.param.u32 %x, [rv];
	ld.local.u32 %n, [keep];
	add.u32 %x, %x, %n;
D:	st.param.u32 [r], %x;
	ret;
}
` + entry(`
	.param .u32 pn; .param .u32 pt; .param .u32 rv;
	st.param.u32 [pn], 20;
	st.param.u32 [pt], %t;
	call (rv), down, (pn, pt);
	ld.param.u32 %v, [rv];
	bar.sync 0;
	vote.sync.ballot.b32 %r1, 1, -1;
	add.u32 %v, %v, %r1;
	st.global.u32 [%e], %v;`), Args: []any{out}, Options: o}.Clean(t)
		for i, v := range out {
			want := uint32(210)
			want += 0xFFE00000 // the lanes that are left vote
			if i <= 20 {
				want = 0
			}
			if v != want {
				t.Fatalf("thread %d: %#x, want %#x", i, v, want)
			}
		}
	})
}

// A slot runs many blocks: nothing of one is left in the next.
func TestBlocksFollowEachOther(t *testing.T) {
	for _, o := range both {
		const blocks = 40
		out := make([]uint32, blocks*40)
		Run{PTX: `.shared .u32 s[40];
.visible .entry k(.param .u64 out) {
	.reg .u64 %o, %w, %a; .reg .u32 %t, %b, %v, %x; .reg .pred %p;
	.local .u32 n;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mov.u32 %b, %ctaid.x;
	st.local.u32 [n], %b;
	setp.gt.u32 %p, %t, %b;
	mul.wide.u32 %w, %t, 4;
	mov.u64 %a, s;
	add.s64 %a, %a, %w;
	st.shared.u32 [%a], %b;
	@%p ret;
	barrier.sync 0;
	ld.shared.u32 %v, [%a];
	ld.local.u32 %x, [n];
	mad.lo.u32 %v, %v, 100, %x;
	mad.lo.u32 %x, %b, 40, %t;
	mul.wide.u32 %w, %x, 4;
	add.s64 %o, %o, %w;
	st.global.u32 [%o], %v;
	ret;
}`, Grid: blocks, Block: 40, Args: []any{out}, Options: o}.Clean(t)
		for i, v := range out {
			b, th := uint32(i/40), uint32(i%40)
			want := 101 * b
			if th > b {
				want = 0
			}
			if v != want {
				t.Fatalf("block %d thread %d: %d, want %d", b, th, v, want)
			}
		}
	}
}
