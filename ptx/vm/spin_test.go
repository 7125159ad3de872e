package vm_test

import (
	"fmt"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// schedules runs a test with both policies, both granularities and many seeds.
func schedules(t *testing.T, seeds uint64, test func(t *testing.T, o device.Options)) {
	for _, schedule := range []string{"rr", "random"} {
		for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
			for seed := range seeds {
				if schedule == "rr" && seed > 0 {
					continue
				}
				o := device.Options{Schedule: schedule, Seed: seed, Granularity: g}
				t.Run(fmt.Sprint(schedule, g, "/", seed), func(t *testing.T) { test(t, o) })
			}
		}
	}
}

// Warp 1 waits for a value that warp 0 publishes, several rounds in both directions.
const pingPong = `.visible .entry k(.param .u64 flag, .param .u64 out) {
	.reg .u64 %f, %o; .reg .u32 %w, %t, %i, %v, %x; .reg .pred %p, %q;
	ld.param.u64 %f, [flag];
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	and.b32 %x, %t, 31;
	setp.ne.u32 %p, %x, 0;
	@%p ret;
	shr.u32 %w, %t, 5;
	mov.u32 %i, 0;
L:	add.u32 %x, %i, %w;
S:	ld.acquire.gpu.u32 %v, [%f];
	setp.ne.u32 %p, %v, %x;
	@%p bra S;
	add.u32 %v, %v, 1;
	st.release.gpu.u32 [%f], %v;
	add.u32 %i, %i, 2;
	setp.lt.u32 %q, %i, 20;
	@%q bra L;
	st.global.u32 [%o], %v;
	ret;
}`

func TestWakeUps(t *testing.T) {
	schedules(t, 50, func(t *testing.T, o device.Options) {
		flag := []uint32{0}
		Run{PTX: pingPong, Block: 64, Args: []any{flag, make([]uint32, 1)}, Options: func() device.Options { o.NoRaces = true; return o }()}.Clean(t)
		if flag[0] != 20 {
			t.Error(flag)
		}
	})
}

// Lane 1 waits for lane 0 of its own warp, at a place where the compiler puts the waiting
// loop first.
func TestDivergedLanesMakeProgress(t *testing.T) {
	for name, body := range map[string]string{
		"quiet":  "S: ld.volatile.shared.u32 %v, [s]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"counts": "S: add.u32 %n, %n, 1; ld.volatile.shared.u32 %v, [s]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"atomic": "S: atom.shared.cas.b32 %v, [s], 7, 8; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"sleeps": "S: nanosleep.u32 100; ld.volatile.shared.u32 %v, [s]; setp.eq.u32 %q, %v, 0; @%q bra S;",
	} {
		t.Run(name, func(t *testing.T) {
			schedules(t, 5, func(t *testing.T, o device.Options) {
				out := make([]uint32, 32)
				Run{PTX: `.shared .u32 s;
.visible .entry k(.param .u64 out) {
	.reg .u64 %o, %w; .reg .u32 %t, %v, %n; .reg .pred %p, %q;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mov.u32 %n, 0;
	setp.eq.u32 %p, %t, 31;
	@%p st.volatile.shared.u32 [s], 0;
	bar.sync 0;
	setp.eq.u32 %p, %t, 0;
	@%p bra Z;
` + body + `
	bra E;
Z:	st.volatile.shared.u32 [s], 5;
	mov.u32 %v, 6;
E:	mul.wide.u32 %w, %t, 4;
	add.s64 %o, %o, %w;
	st.global.u32 [%o], %v;
	ret;
}`, Args: []any{out}, Options: o}.Clean(t)
				if out[0] != 6 || out[1] != 5 || out[31] != 5 {
					t.Error(out)
				}
			})
		})
	}
}

func TestLivelock(t *testing.T) {
	for name, body := range map[string]string{
		"flag":       "S: ld.volatile.global.u32 %v, [%o]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"lock":       "S: atom.global.cas.b32 %v, [%o], 1, 1; setp.ne.u32 %q, %v, 1; @%q bra S;",
		"or 0":       "S: atom.global.or.b32 %v, [%o], 0; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"same value": "S: st.volatile.global.u32 [%o], 0; ld.volatile.global.u32 %v, [%o]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"sleeping":   "S: nanosleep.u32 20; ld.volatile.global.u32 %v, [%o]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"two flags":  "S: ld.volatile.global.u32 %v, [%o]; ld.volatile.global.u32 %n, [%o+4]; or.b32 %v, %v, %n; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"for ever":   "S: bra S;",
		"behind a loop that ends": `mov.u32 %n, 0; R: ld.volatile.global.u32 %v, [%o]; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 3; @%q bra R;
			S: ld.volatile.global.u32 %v, [%o]; setp.eq.u32 %q, %v, 0; @%q bra S;`,
		"polls in a loop": `S: mov.u32 %n, 0;
			R: ld.volatile.global.u32 %v, [%o]; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 5; @%q bra R;
			setp.eq.u32 %q, %v, 0; @%q bra S;`,
		"polls many in a loop": `S: mov.u32 %n, 0;
			R: ld.volatile.global.u32 %v, [%o]; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 300; @%q bra R;
			setp.eq.u32 %q, %v, 0; @%q bra S;`,
		"through a call":       "S: call (rv), poll, (pa); ld.param.u32 %v, [rv]; setp.eq.u32 %q, %v, 0; @%q bra S;",
		"in a called function": "call (rv), wait, (pa); S: ",
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []device.Options{{Schedule: "rr"}, {Seed: 1}, {Seed: 2, Granularity: exec.ByThread}} {
				o.MaxInstructions = 300_000
				r := Run{PTX: `
.func (.param .u32 r) poll(.param .u64 p) {
	.reg .u64 %a; .reg .u32 %v;
	ld.param.u64 %a, [p];
	ld.volatile.u32 %v, [%a];
	st.param.u32 [r], %v;
	ret;
}
.func (.param .u32 r) wait(.param .u64 p) {
	.reg .u64 %a; .reg .u32 %v; .reg .pred %q;
	ld.param.u64 %a, [p];
W:	ld.volatile.u32 %v, [%a];
	setp.eq.u32 %q, %v, 0;
	@%q bra W;
	st.param.u32 [r], %v;
	ret;
}
.visible .entry k(.param .u64 flag) {
	.reg .u64 %o; .reg .u32 %v, %n; .reg .pred %q;
	.param .u64 pa; .param .u32 rv;
	ld.param.u64 %o, [flag];
	st.param.u64 [pa], %o;
` + body + "\n ret;\n}", Block: 1, Args: []any{[]uint32{0, 0}}, Options: o}.Do(t)
				r.One(t, kernel.Livelock, "spins at k.ptx:")
				if r.Stopped != "livelock" {
					t.Error(r.Stopped)
				}
			}
		})
	}
}

// What makes progress, however slowly, is never taken for a livelock.
func TestNoLivelock(t *testing.T) {
	for name, body := range map[string]string{
		"counts":                 "mov.u32 %n, 0; S: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 3000; @%q bra S;",
		"counts in memory":       "S: atom.global.add.u32 %v, [%o], 1; setp.lt.u32 %q, %v, 3000; @%q bra S;",
		"counts in local memory": "st.local.u32 [n], 0; S: ld.local.u32 %v, [n]; add.u32 %v, %v, 1; st.local.u32 [n], %v; setp.lt.u32 %q, %v, 3000; @%q bra S;",
		"waits for the clock":    "mov.u64 %c, %clock64; S: mov.u64 %d, %clock64; sub.s64 %d, %d, %c; setp.lt.u64 %r, %d, 3000; @%r bra S;",
		"sleeps until a time":    "mov.u64 %c, %globaltimer; S: nanosleep.u32 20; mov.u64 %d, %globaltimer; sub.s64 %d, %d, %c; setp.lt.u64 %r, %d, 30000; @%r bra S;",
		"gives up after a time": `mov.u64 %c, %clock64; S: ld.volatile.global.u32 %v, [%o]; setp.ne.u32 %q, %v, 0; @%q bra E;
			mov.u64 %d, %clock64; sub.s64 %d, %d, %c; setp.lt.u64 %r, %d, 3000; @%r bra S; E:`,
		"a shift register":   "mov.u32 %n, -1; S: shr.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra S;",
		"barriers in a loop": "S: bar.sync 0; ld.volatile.global.u32 %v, [%o+4]; bar.sync 0; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 100; @%q bra S;",
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []device.Options{{Schedule: "rr"}, {Seed: 1}, {Seed: 2, Granularity: exec.ByThread}} {
				o.NoUninit = true
				Run{PTX: `.visible .entry k(.param .u64 flag) {
	.reg .u64 %o, %c, %d; .reg .u32 %v, %n; .reg .pred %q, %r;
	.local .u32 n;
	ld.param.u64 %o, [flag];
	mov.u32 %n, 0;
` + body + "\n ret;\n}", Block: 1, Args: []any{[]uint32{0, 0}}, Options: o}.Clean(t)
			}
		})
	}
}
