package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// mbar is a kernel of one shared object and an array, with its threads' numbers in %t and
// the output's element in %o.
func mbar(body string) string {
	return `.visible .entry k(.param .u64 out) {
	.shared .align 8 .b64 bar; .shared .align 16 .b32 s[64];
	.reg .u64 %o, %w, %st, %g; .reg .u32 %t, %a, %b, %i, %n; .reg .pred %p, %q, %z;
	mov.u32 %t, %tid.x;
	setp.eq.u32 %z, %t, 0;
	mul.wide.u32 %w, %t, 4;
	ld.param.u64 %o, [out];
	add.s64 %o, %o, %w;
	shl.b32 %a, %t, 2;
	mov.u32 %b, s;
	add.u32 %a, %a, %b;
	` + body + `
	ret;
}`
}

const initAll = `@%z mbarrier.init.shared.b64 [bar], 64; bar.sync 0;
`

// neighbour stores a number and reads the other warp's behind the wait.
func neighbour(arriveAndWait string) string {
	return initAll + `st.shared.u32 [%a], %t;
	` + arriveAndWait + `
	xor.b32 %i, %t, 63; shl.b32 %i, %i, 2; mov.u32 %b, s; add.u32 %b, %b, %i;
	ld.shared.u32 %n, [%b];
	st.global.u32 [%o], %n;`
}

func TestMBarrierOrders(t *testing.T) {
	for name, wait := range map[string]string{
		"state":         `mbarrier.arrive.shared.b64 %st, [bar]; W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`,
		"try_wait":      `mbarrier.arrive.release.cta.shared::cta.b64 %st, [bar]; W: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p, [bar], %st, 100; @!%p bra W;`,
		"parity":        `mbarrier.arrive.shared.b64 _, [bar], 1; W: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W;`,
		"generic":       `cvta.shared.u64 %g, bar; mbarrier.arrive.b64 %st, [%g]; W: mbarrier.test_wait.b64 %p, [%g], %st; @!%p bra W;`,
		"drop":          `mbarrier.arrive_drop.shared.b64 %st, [bar]; W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`,
		"relaxed fence": `fence.acq_rel.cta; mbarrier.arrive.relaxed.cta.shared.b64 %st, [bar]; W: mbarrier.test_wait.relaxed.cta.shared.b64 %p, [bar], %st; @!%p bra W; fence.acq_rel.cta;`,
		"transactions":  `mbarrier.arrive.expect_tx.shared.b64 %st, [bar], 8; mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 8; W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`,
	} {
		for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
			t.Run(fmt.Sprint(name, g), func(t *testing.T) {
				out := make([]uint32, 64)
				Run{PTX: mbar(neighbour(wait)), Block: 64, Args: []any{out}, Options: device.Options{Granularity: g}}.Clean(t)
				for i, x := range out {
					if int(x) != 63-i {
						t.Fatalf("out[%d] = %d", i, x)
					}
				}
			})
		}
	}
	for name, wait := range map[string]string{
		"arrive relaxed": `mbarrier.arrive.relaxed.cta.shared.b64 %st, [bar]; W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`,
		"wait relaxed":   `mbarrier.arrive.shared.b64 %st, [bar]; W: mbarrier.test_wait.relaxed.cta.shared.b64 %p, [bar], %st; @!%p bra W;`,
		"no wait":        `mbarrier.arrive.shared.b64 %st, [bar];`,
		"wrong parity":   `mbarrier.arrive.shared.b64 _, [bar]; W: mbarrier.test_wait.parity.shared.b64 %p, [bar], 1; @!%p bra W;`,
	} {
		t.Run(name, func(t *testing.T) {
			r := Run{PTX: mbar(neighbour(wait)), Block: 64, Args: []any{make([]uint32, 64)}}.Do(t)
			if !has(r, kernel.DataRace, "s") {
				t.Errorf("no race on s: %v", r.Findings)
			}
		})
	}
}

func has(r *Result, kind kernel.Kind, text string) bool {
	for _, f := range r.Findings {
		if f.Kind == kind && strings.Contains(f.Object+" "+f.Message, text) {
			return true
		}
	}
	return false
}

func TestMBarrierMisuse(t *testing.T) {
	const wait = ` W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`
	for _, c := range []struct{ body, want string }{
		{`mbarrier.arrive.shared.b64 %st, [bar];` + wait, "not initialised"},
		{`@%z mbarrier.inval.shared.b64 [bar];`, "not initialised"},
		{`@%z mbarrier.init.shared.b64 [bar], 1; @%z mbarrier.init.shared.b64 [bar], 1;`, "live already"},
		{`@%z mbarrier.init.shared.b64 [bar], 0;`, "a count of 0 arrivals"},
		{`@%z mbarrier.init.shared.b64 [bar], 1048576;`, "a count of 1048576 arrivals"},
		{`@%z mbarrier.init.shared.b64 [bar], 63; bar.sync 0; mbarrier.arrive.shared.b64 %st, [bar];` + wait, "before any thread has seen phase 0 complete"},
		{initAll + `mbarrier.arrive.shared.b64 _, [bar], 65;`, "although phase 0 lacks"},
		{initAll + `mov.u32 %i, 0; mbarrier.arrive.shared.b64 _, [bar], %i;`, "a count that is not from 1"},
		{initAll + `mbarrier.arrive.noComplete.shared.b64 _, [bar], 1;`, "arrive.noComplete"},
		{initAll + `mbarrier.arrive.shared.b64 %st, [bar];` + wait + ` mov.u32 %i, 0; L: mbarrier.arrive.shared.b64 _, [bar]; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; bar.sync 0; @%q bra L;`, "before any thread has seen phase 1"},
		{initAll + `@%z st.shared.u32 [bar], %t;`, "ordinary instruction"},
		{initAll + `ld.shared.u32 %n, [bar+4]; st.global.u32 [%o], %n;`, "ordinary instruction"},
		{initAll + `@%z atom.shared.add.u32 %n, [bar], 1;`, "ordinary instruction"},
		{initAll + `mbarrier.arrive.shared.b64 %st, [bar]; xor.b64 %st, %st, 0x8000000000000000;` + wait, "the state of another object"},
	} {
		r := Run{PTX: mbar(c.body), Block: 64, Args: []any{make([]uint32, 64)}}.Do(t)
		if r.Load != nil || !has(r, kernel.BarrierMisuse, c.want) {
			t.Errorf("%s\n no %q in %v %v", c.body, c.want, r.Findings, r.Load)
		}
	}
}

// Initialisation has to be ordered before use, and use before the end.
func TestMBarrierInitIsAWrite(t *testing.T) {
	for _, body := range []string{
		`@%z mbarrier.init.shared.b64 [bar], 64; mbarrier.arrive.shared.b64 %st, [bar];`,
		initAll + `mbarrier.arrive.shared.b64 %st, [bar]; @%z mbarrier.inval.shared.b64 [bar];`,
	} {
		r := Run{PTX: mbar(body), Block: 64, Args: []any{make([]uint32, 64)}}.Do(t)
		if !has(r, kernel.DataRace, "bar") {
			t.Errorf("%s: %v", body, r.Findings)
		}
	}
	Run{PTX: mbar(initAll + `mbarrier.arrive.shared.b64 %st, [bar]; W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;
	bar.sync 0; @%z mbarrier.inval.shared.b64 [bar]; @%z st.shared.u32 [bar], %t; @%z mbarrier.init.shared.b64 [bar], 7;`),
		Block: 64, Args: []any{make([]uint32, 64)}}.Clean(t)
}

func TestMBarrierDeadlock(t *testing.T) {
	for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
		body := `@%z mbarrier.init.shared.b64 [bar], 65; bar.sync 0; mbarrier.arrive.shared.b64 %st, [bar]; W: mbarrier.try_wait.shared.b64 %p, [bar], %st; @!%p bra W;`
		r := Run{PTX: mbar(body), Block: 64, Args: []any{make([]uint32, 64)}, Options: device.Options{Granularity: g}}.Do(t)
		if !has(r, kernel.Deadlock, "mbarrier bar (phase 0)") || !has(r, kernel.Deadlock, "1 more arrival of 65 (threads of warps 0-1 have arrived), but no live thread is left that has not arrived") {
			t.Errorf("%v", r.Findings)
		}
		if r.Counters.WarpInstructions > 20000 {
			t.Errorf("%d instructions: the wait is not parked", r.Counters.WarpInstructions)
		}
	}
}

func TestMBarrierPendingCount(t *testing.T) {
	out := make([]uint32, 1)
	Run{PTX: mbar(`mbarrier.init.shared.b64 [bar], 5; mbarrier.arrive.noComplete.shared.b64 _, [bar], 2; mbarrier.arrive.shared.b64 %st, [bar];
	mbarrier.pending_count.b64 %n, %st; st.global.u32 [%o], %n;`), Block: 1, Args: []any{out}}.Clean(t)
	if out[0] != 3 {
		t.Errorf("pending %d", out[0])
	}
}

// copied fills s by cp.async of 64 threads and reads the other warp's element.
func copied(after string) string {
	return `.visible .entry k(.param .u64 in, .param .u64 out) {
	.shared .align 8 .b64 bar; .shared .align 16 .b32 s[64];
	.reg .u64 %o, %w, %st, %g; .reg .u32 %t, %a, %b, %i, %n; .reg .pred %p, %z;
	mov.u32 %t, %tid.x; setp.eq.u32 %z, %t, 0; mul.wide.u32 %w, %t, 4;
	ld.param.u64 %g, [in]; add.s64 %g, %g, %w; ld.param.u64 %o, [out]; add.s64 %o, %o, %w;
	shl.b32 %a, %t, 2; mov.u32 %b, s; add.u32 %a, %a, %b;
	` + initAll + `cp.async.ca.shared.global [%a], [%g], 4;
	` + after + `
	xor.b32 %i, %t, 63; shl.b32 %i, %i, 2; mov.u32 %b, s; add.u32 %b, %b, %i;
	ld.shared.u32 %n, [%b]; st.global.u32 [%o], %n; ret;
}`
}

func TestCopiesArrive(t *testing.T) {
	in := make([]uint32, 64)
	for i := range in {
		in[i] = uint32(i)
	}
	const wait = ` W: mbarrier.test_wait.shared.b64 %p, [bar], %st; @!%p bra W;`
	for _, after := range []string{
		`cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 %st, [bar];` + wait,
		`cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; W: mbarrier.test_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W;`,
		`cp.async.commit_group; cp.async.wait_group 0; mbarrier.arrive.shared.b64 %st, [bar];` + wait,
	} {
		out := make([]uint32, 64)
		Run{PTX: copied(after), Block: 64, Args: []any{in, out}}.Clean(t)
		if out[3] != 60 {
			t.Errorf("%s: %v", after, out)
		}
	}
	for _, after := range []string{
		`mbarrier.arrive.shared.b64 %st, [bar];` + wait, // the copies are in no phase
		`cp.async.commit_group; cp.async.mbarrier.arrive.shared.b64 [bar]; cp.async.wait_group 1; bar.sync 0;`,
		`cp.async.mbarrier.arrive.shared.b64 [bar]; cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;`,
	} {
		r := Run{PTX: copied(after), Block: 64, Args: []any{in, make([]uint32, 64)}}.Do(t)
		if !has(r, kernel.DataRace, "s") {
			t.Errorf("%s: %v", after, r.Findings)
		}
	}
}
