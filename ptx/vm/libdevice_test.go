package vm_test

import (
	"math"
	"testing"

	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// Calls of the device library, with results in registers, in memory, and through pointers.
func TestLibraryCalls(t *testing.T) {
	out := make([]float64, 32)
	Run{PTX: `.extern .func (.param .b64 r) __nv_pow(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) __nv_frexp(.param .b64 a, .param .b64 p);
.extern .func __nv_sincosf(.param .b32 a, .param .b64 p, .param .b64 q);
.extern .func (.param .b32 r) __nv_popc(.param .b32 a);
.visible .entry k(.param .u64 out) {
	.local .align 8 .b8 frame[16];
	.reg .u64 %o, %w, %l; .reg .u32 %t, %e; .reg .f64 %x, %y; .reg .f32 %f, %g;
	.param .b64 a; .param .b64 b; .param .b64 r; .param .b32 c; .param .b32 d;
	mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 8; ld.param.u64 %o, [out]; add.s64 %o, %o, %w;
	cvta.local.u64 %l, frame;
	mov.f64 %x, 0d4000000000000000;
	cvt.rn.f64.u32 %y, %t;
	st.param.f64 [a], %x; st.param.f64 [b], %y; call.uni (r), __nv_pow, (a, b); ld.param.f64 %x, [r];
	st.param.f64 [a], %x; st.param.b64 [b], %l; call.uni (r), __nv_frexp, (a, b); ld.param.f64 %x, [r];
	ld.local.u32 %e, [frame]; cvt.rn.f64.s32 %y, %e; add.f64 %x, %x, %y;
	mov.f32 %f, 0f00000000; st.param.f32 [c], %f; st.param.b64 [a], %l; add.u64 %l, %l, 4; st.param.b64 [b], %l;
	call.uni __nv_sincosf, (c, a, b); ld.local.f32 %g, [frame+4]; cvt.f64.f32 %y, %g; add.f64 %x, %x, %y;
	st.param.b32 [c], %t; call.uni (d), __nv_popc, (c); ld.param.b32 %e, [d]; cvt.rn.f64.s32 %y, %e; mul.f64 %y, %y, 0d4059000000000000; add.f64 %x, %x, %y;
	st.global.f64 [%o], %x; ret;
}`, Args: []any{out}}.Clean(t)
	for i, x := range out {
		bits := 0
		for n := i; n != 0; n &= n - 1 {
			bits++
		}
		if want := 0.5 + float64(i+1) + 1 + 100*float64(bits); x != want {
			t.Errorf("out[%d] = %v, want %v", i, x, want)
		}
	}
}

func TestLibraryNorm(t *testing.T) {
	out, in := make([]float64, 1), []float64{3e200, 4e200, 0, 12e200}
	Run{PTX: `.extern .func (.param .b64 r) __nv_norm(.param .b32 n, .param .b64 p);
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .u64 %i, %o; .reg .f64 %x; .param .b32 n; .param .b64 p; .param .b64 r;
	ld.param.u64 %i, [in]; ld.param.u64 %o, [out];
	st.param.b32 [n], 4; st.param.b64 [p], %i; call.uni (r), __nv_norm, (n, p); ld.param.f64 %x, [r];
	st.global.f64 [%o], %x; ret;
}`, Block: 1, Args: []any{in, out}}.Clean(t)
	if math.Abs(out[0]/13e200-1) > 3e-16 {
		t.Error(out)
	}
}

// What the library stores through a pointer is an ordinary store.
func TestLibraryPointer(t *testing.T) {
	r := Run{PTX: `.extern .func (.param .b32 r) __nv_frexpf(.param .b32 a, .param .b64 p);
.visible .entry k(.param .u64 out) {
	.reg .u64 %o; .reg .f32 %f; .reg .u32 %t; .param .b32 a; .param .b64 p; .param .b32 r;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; cvt.rn.f32.u32 %f, %t;
	st.param.f32 [a], %f; st.param.b64 [p], %o; call.uni (r), __nv_frexpf, (a, p); ret;
}`, Block: 32, Args: []any{make([]uint32, 1)}}.Do(t)
	if !has(r, kernel.DataRace, "out") {
		t.Error(r.Findings, r.Load)
	}
}
