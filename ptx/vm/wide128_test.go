package vm_test

import (
	"slices"
	"testing"

	"gpusim/device"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// run128 executes lines with %p, the address of 16 bytes of "io" of the lane, and stores %a
// and %b there afterwards.
func run128(t *testing.T, io []uint64, o device.Options, lines string) *Result {
	t.Helper()
	return Run{PTX: `.visible .entry k(.param .u64 io) {
	.reg .b64 %p, %x, %a, %b, %c, %d; .reg .b128 %q<4>; .reg .b32 %t;
	mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 16; ld.param.u64 %p, [io]; add.u64 %p, %p, %x;
	` + lines + ` st.global.v2.b64 [%p], {%a, %b}; ret; }`, Args: []any{io}, Options: o}.Do(t)
}

func TestWide128(t *testing.T) {
	for _, o := range both {
		io := make([]uint64, 64)
		for i := range io {
			io[i] = uint64(i) * 0x0101010101010101
		}
		want := slices.Clone(io)
		for i := 0; i < 64; i += 2 {
			want[i], want[i+1] = want[i+1]+1, want[i]
		}
		r := run128(t, io, o, `ld.global.b128 %q0, [%p]; mov.b128 {%a, %b}, %q0; add.u64 %b, %b, 1; mov.b128 %q1, {%b, %a}; mov.b128 %q2, %q1;
			st.global.b128 [%p], %q2; ld.global.v2.b64 {%a, %b}, [%p];`)
		if r.Load != nil || len(r.Findings) > 0 || !slices.Equal(io, want) {
			t.Fatal(r.Load, r.Text(), io, want)
		}
	}
}

// All lanes of a warp add to one pair of counters by cas of 128 bits.
func TestAtomic128(t *testing.T) {
	for _, o := range both {
		sum := make([]uint64, 2)
		Run{PTX: `.visible .entry k(.param .u64 sum) {
	.reg .b64 %p, %a, %b, %c, %d; .reg .b128 %q<4>; .reg .pred %f;
	ld.param.u64 %p, [sum];
L:	ld.relaxed.gpu.global.b128 %q0, [%p]; mov.b128 {%a, %b}, %q0;
	add.u64 %c, %a, 1; add.u64 %d, %b, 3; mov.b128 %q1, {%c, %d};
	atom.global.relaxed.gpu.cas.b128 %q2, [%p], %q0, %q1;
	mov.b128 {%c, %d}, %q2; xor.b64 %c, %c, %a; xor.b64 %d, %d, %b; or.b64 %c, %c, %d;
	setp.ne.b64 %f, %c, 0;
	@%f bra L; ret; }`, Grid: 2, Args: []any{sum}, Options: o}.Clean(t)
		if sum[0] != 64 || sum[1] != 192 {
			t.Errorf("%v, want [64 192]", sum)
		}
		io := make([]uint64, 64)
		for i := range io {
			io[i] = uint64(i)
		}
		want := slices.Clone(io)
		r := run128(t, io, o, "mov.b64 %a, 7; mov.b128 %q0, {%a, %x}; atom.exch.b128 %q1, [%p], %q0; mov.b128 {%a, %b}, %q1;")
		if r.Load != nil || len(r.Findings) > 0 || !slices.Equal(io, want) {
			t.Fatal(r.Load, r.Text(), io)
		}
	}
	// 64 bits against 128: not one operation.
	r := Run{PTX: `.visible .entry k(.param .u64 x) {
	.reg .b64 %p, %a; .reg .b128 %q<2>; .reg .pred %f; .reg .b32 %t;
	ld.param.u64 %p, [x]; mov.u32 %t, %tid.x; setp.eq.u32 %f, %t, 0; mov.b64 %a, 1; mov.b128 %q0, {%a, %a};
	@%f atom.exch.b128 %q1, [%p], %q0;
	@!%f red.global.add.u64 [%p], 1; ret; }`, Block: 2, Args: []any{make([]uint64, 2)}}.Do(t)
	r.One(t, kernel.DataRace)
}

func TestVectorAtomics(t *testing.T) {
	for _, o := range both {
		x, old := make([]float32, 4), make([]float32, 128)
		Run{PTX: `.visible .entry k(.param .u64 x, .param .u64 old) {
	.reg .b64 %p, %o, %w; .reg .f32 %a<4>; .reg .b32 %t; .reg .b64 %pol;
	ld.param.u64 %p, [x]; ld.param.u64 %o, [old]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 16; add.u64 %o, %o, %w;
	mov.f32 %a0, 0f3F800000; mov.f32 %a1, 0f40000000; mov.f32 %a2, 0f40400000; mov.f32 %a3, 0f40800000;
	createpolicy.fractional.L2::evict_last.b64 %pol, 0.5;
	red.global.v2.f32.add [%p], {%a0, %a1};
	red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [%p], {%a0, %a1, %a2, %a3}, %pol;
	atom.global.v4.f32.add {%a3, %a2, %a1, %a0}, [%p], {%a0, %a1, %a2, %a3};
	st.global.v4.f32 [%o], {%a3, %a2, %a1, %a0}; ret; }`, Args: []any{x, old}, Options: o}.Clean(t)
		if !slices.Equal(x, []float32{96, 192, 192, 256}) {
			t.Error(x)
		}
		seen := map[float32]bool{}
		for i := range 32 {
			seen[old[4*i]] = true
		}
		if len(seen) != 32 {
			t.Error(old)
		}
		h := make([]uint32, 2)
		Run{PTX: `.visible .entry k(.param .u64 x) {
	.reg .b64 %p; .reg .b32 %a; .reg .b16 %h; ld.param.u64 %p, [x]; mov.b32 %a, 0x40003C00; mov.b16 %h, 0x3C00;
	red.global.add.noftz.v2.f16x2 [%p], {%a, %a};
	red.global.add.noftz.v4.f16 [%p], {%h, %h, %h, %h}; ret; }`, Args: []any{h}, Options: o}.Clean(t)
		if h[0] != 0x56005400 || h[1] != h[0] { // 64 and 96
			t.Errorf("%#x", h)
		}
	}
	r := Run{PTX: `.visible .entry k(.param .u64 x) { .reg .b64 %p; .reg .f32 %a; ld.param.u64 %p, [x]; mov.f32 %a, 0f3F800000;
	red.global.v2.f32.add [%p+4], {%a, %a}; ret; }`, Block: 1, Args: []any{make([]float32, 4)}}.Do(t)
	r.One(t, kernel.Misaligned)
}

// Loads of eight elements, hints that have no effect, and discarded lines.
func TestHintsAndDiscard(t *testing.T) {
	in, out := make([]uint32, 256), make([]uint32, 32)
	for i := range in {
		in[i] = uint32(i)
	}
	text := `.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %p, %o, %x, %pol; .reg .b32 %t, %s<8>;
	ld.param.u64 %p, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 32; add.u64 %p, %p, %x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;
	createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %pol, [%p], 32, 1024;
	createpolicy.cvt.L2.b64 %pol, 0x10000000;
	prefetch.global.L1 [%p]; prefetch.global.L2::evict_last [%p]; prefetchu.L1 [%p]; applypriority.global.L2::evict_normal [%p], 128;
	griddepcontrol.wait; griddepcontrol.launch_dependents; nanosleep.u32 20; setmaxnreg.dec.sync.aligned.u32 64;
	ld.global.v8.b32 {%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7}, [%p];
	add.u32 %s0, %s0, %s7; st.global.L1::no_allocate.L2::cache_hint.b32 [%o], %s0, %pol; `
	Run{PTX: text + "ret; }", Args: []any{in, out}}.Clean(t)
	for i, v := range out {
		if v != uint32(16*i+7) {
			t.Fatal(out)
		}
	}
	discard := `.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %p, %o, %x; .reg .b32 %t, %s; .reg .pred %f;
	ld.param.u64 %p, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x; setp.eq.u32 %f, %t, 0;
	@%f st.global.b32 [%p], 1; @%f discard.global.L2 [%p], 128; bar.sync 0; `
	Run{PTX: discard + "ret; }", Args: []any{Uninit(1024), out}}.Clean(t)
	Run{PTX: discard + "ld.global.b32 %s, [%p]; st.global.b32 [%o], %s; ret; }", Args: []any{Uninit(1024), out}}.Do(t).One(t, kernel.UninitializedRead)
	Run{PTX: discard + "@%f discard.global.L2 [%p], 128; @!%f ld.global.b32 %s, [%p]; ret; }", Args: []any{in, out}, Block: 2}.Do(t).One(t, kernel.DataRace)
}

func TestClusterOfOne(t *testing.T) {
	for _, o := range both {
		out := make([]uint32, 64)
		Run{PTX: `.visible .entry k(.param .u64 out) {
	.shared .align 4 .b8 m[256]; .reg .b64 %o, %x; .reg .b32 %t, %a, %b, %r, %l; .reg .pred %p;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;
	mov.u32 %a, m; mapa.shared::cluster.u32 %b, %a, 0; getctarank.shared::cluster.u32 %r, %b;
	shl.b32 %l, %t, 2; add.u32 %b, %b, %l; st.shared::cluster.u32 [%b], %t;
	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
	xor.b32 %l, %l, 252; add.u32 %a, %a, %l; ld.shared.u32 %a, [%a]; add.u32 %a, %a, %r;
	mov.u32 %r, %cluster_nctarank; add.u32 %a, %a, %r;
	elect.sync %l|%p, -1; @%p add.u32 %a, %a, 100;
	st.global.u32 [%o], %a; ret; }`, Block: 64, Args: []any{out}, Options: o}.Clean(t)
		for i, v := range out {
			want := uint32(i^63) + 1
			if i%32 == 0 {
				want += 100
			}
			if v != want {
				t.Fatal(out)
			}
		}
	}
}

// Parameters and results in registers, and parameters whose address is taken.
func TestRegisterParameters(t *testing.T) {
	for _, o := range both {
		out := make([]uint32, 32)
		Run{PTX: `.func (.reg .u32 %r, .reg .pred %q) f(.reg .u32 %a, .reg .u64 %b, .reg .b128 %c) {
	.reg .u32 %x; .reg .u64 %lo, %hi; .reg .pred %z;
	cvt.u32.u64 %x, %b; mad.lo.u32 %r, %a, 10, %x; mov.b128 {%lo, %hi}, %c; cvt.u32.u64 %x, %hi; add.u32 %r, %r, %x;
	and.b32 %x, %a, 1; setp.eq.u32 %q, %x, 0;
	@%q ret;
	add.u32 %a, %a, 1; add.u32 %r, %r, 1000; ret; }
.func (.param .b32 ret) g(.param .align 8 .b8 s[16], .param .b32 i) {
	.reg .u64 %p, %o; .reg .u32 %i, %v;
	mov.b64 %p, s; ld.param.u32 %i, [i]; mul.wide.u32 %o, %i, 4; add.u64 %p, %p, %o; ld.param.u32 %v, [%p]; cvta.param.u64 %p, %p; ld.u32 %i, [%p]; add.u32 %v, %v, %i;
	st.param.b32 [ret], %v; ret; }
.visible .entry k(.param .u64 out, .param .align 8 .b8 big[32000]) {
	.reg .u64 %o, %x, %z; .reg .u32 %t, %v, %w; .reg .b128 %q; .reg .pred %p;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;
	mov.b128 %q, {%x, %x};
	call (%v, %p), f, (%t, 5, %q);
	@%p add.u32 %v, %v, 500;
	{ .param .align 8 .b8 a[16]; .param .b32 i; .param .b32 r;
	st.param.v4.u32 [a], {%t, 20, 30, 40}; and.b32 %w, %t, 3; st.param.b32 [i], %w;
	call (r), g, (a, i); ld.param.b32 %w, [r]; }
	add.u32 %v, %v, %w;
	mov.b64 %x, big; cvta.param.u64 %x, %x; ld.u32 %w, [%x+31996]; add.u32 %v, %v, %w; ld.param.u32 %w, [%x+4]; add.u32 %v, %v, %w;
	st.global.u32 [%o], %v; ret; }`, Kernel: "k", Args: []any{out, Struct(append(append(make([]byte, 4), 1), append(make([]byte, 31991), 2, 0, 0, 0)...))}, Options: o}.Clean(t)
		for i, v := range out {
			n := uint32(i)
			want := n*10 + 5 + 4*n + 2*[4]uint32{n, 20, 30, 40}[n&3] + 3
			if n&1 == 0 {
				want += 500
			} else {
				want += 1000
			}
			if v != want {
				t.Fatalf("thread %d: %d, want %d", i, v, want)
			}
		}
	}
}
