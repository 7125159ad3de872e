package vm_test

import (
	"strings"
	"testing"

	"gpusim/device"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

const heapDecls = `.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func (.param .b64 r) _Znwm (.param .b64 n);
.extern .func _ZdlPvm (.param .b64 p, .param .b64 n);
`

// heapKernel runs body with %p, what malloc(16) returned.
func heapKernel(body string) string {
	return heapDecls + `.visible .entry k(.param .u64 out) {
	.reg .u64 %o, %w, %p, %q; .reg .u32 %t, %a; .reg .pred %z;
	.param .b64 n; .param .b64 r;
	mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; ld.param.u64 %o, [out]; add.s64 %o, %o, %w;
	setp.eq.u32 %z, %t, 0;
	st.param.b64 [n], 16;
	call.uni (r), malloc, (n);
	ld.param.b64 %p, [r];
	` + body + `
	ret;
}`
}

const freeP = `st.param.b64 [n], %p; call.uni free, (n);`

func TestMalloc(t *testing.T) {
	out := make([]uint32, 64)
	Run{PTX: heapKernel(`st.global.u32 [%p+12], %t; ld.global.u32 %a, [%p+12]; st.global.u32 [%o], %a;` + freeP), Block: 64, Args: []any{out}}.Clean(t)
	for i, x := range out {
		if int(x) != i {
			t.Fatal(i, x)
		}
	}
	for _, c := range []struct {
		body, want string
		kind       kernel.Kind
	}{
		{`st.u32 [%p+16], %t;` + freeP, "directly behind its end", kernel.OutOfBounds},
		{`ld.u32 %a, [%p]; st.global.u32 [%o], %a;` + freeP, "before anything was written", kernel.UninitializedRead},
		{`st.u32 [%p], %t;` + freeP + `st.u32 [%p], %t;`, "was freed by thread", kernel.UseAfterFree},
		{freeP + freeP, "double free", kernel.UseAfterFree},
		{`add.u64 %p, %p, 4;` + freeP, "at offset 4 of memory from malloc", kernel.AllocationMisuse},
		{`st.u32 [%p], %t;`, "still allocated at the end of the run: 64 allocations, 1024 bytes", kernel.Leak},
	} {
		r := Run{PTX: heapKernel(c.body), Block: 64, Args: []any{make([]uint32, 64)}}.Do(t)
		if r.Load != nil || !has(r, c.kind, c.want) {
			t.Errorf("%s: no %q in %v %v", c.body, c.want, r.Findings, r.Load)
		}
	}
}

// The heap has 8 MiB; malloc returns 0 when it is exhausted.
func TestMallocExhausted(t *testing.T) {
	out := make([]uint32, 1)
	text := strings.Replace(heapKernel(`setp.eq.u64 %z, %p, 0; selp.u32 %a, 1, 0, %z; st.global.u32 [%o], %a;`), "[n], 16", "[n], 8388609", 1)
	Run{PTX: text, Block: 1, Args: []any{out}}.Clean(t)
	if out[0] != 1 {
		t.Error("more than the heap")
	}
}

func TestNewDelete(t *testing.T) {
	Run{PTX: heapKernel(`st.param.b64 [n], 8; call.uni (r), _Znwm, (n); ld.param.b64 %q, [r]; st.u64 [%q], %p; { .param .b64 s; st.param.b64 [n], %q; st.param.b64 [s], 8; call.uni _ZdlPvm, (n, s); }` + freeP),
		Block: 32, Args: []any{make([]uint32, 64)}}.Clean(t)
}

// A free that nothing orders after the uses is a race with them, whichever comes first; of
// memory that malloc did not return it is only that.
func TestFreeRaces(t *testing.T) {
	text := heapDecls + `.visible .entry k(.param .u64 out) {
	.shared .align 8 .b64 box; .reg .u64 %o, %p, %q, %w; .reg .u32 %t, %a; .reg .pred %z; .param .b64 n; .param .b64 r;
	mov.u32 %t, %tid.x; setp.ne.u32 %z, %t, 0; ld.param.u64 %o, [out];
	@%z bra S;
	st.param.b64 [n], 256; call.uni (r), malloc, (n); ld.param.b64 %p, [r]; st.shared.u64 [box], %p;
S:	bar.sync 0;
	ld.shared.u64 %p, [box]; mul.wide.u32 %w, %t, 4; add.u64 %q, %p, %w; st.u32 [%q], %t;
	BARRIER
	@%z bra E;
	st.param.b64 [n], %p; call.uni free, (n);
E:	ret;
}`
	for _, seed := range []uint64{1, 2, 3} {
		r := Run{PTX: strings.Replace(text, "BARRIER", "", 1), Block: 64, Args: []any{make([]uint32, 1)}, Options: device.Options{Seed: seed}}.Do(t)
		if !has(r, kernel.DataRace, "memory from malloc") && !has(r, kernel.UseAfterFree, "memory from malloc") {
			t.Error(r.Findings, r.Load)
		}
	}
	Run{PTX: strings.Replace(text, "BARRIER", "bar.sync 0;", 1), Block: 64, Args: []any{make([]uint32, 1)}}.Clean(t)
}
