package lower_test

import (
	"strings"
	"testing"

	"gpusim/device"
	. "gpusim/internal/ptxtest"
)

// Lanes that diverge are together again at the immediate post-dominator of the branch,
// wherever the compiler has put the blocks. Each body comes to J, where all lanes must be.
func TestReconvergence(t *testing.T) {
	for name, body := range map[string]string{
		"if": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra J;
			add.u32 %r1, %t, 1;`,
		"if and else": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra A;
			add.u32 %r1, %t, 1;
			bra J;
		A:	add.u32 %r1, %t, 2;`,
		"one side behind the join": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra FAR;
			add.u32 %r1, %t, 1;
			bra J;
		BACK:	add.u32 %r1, %r1, 1;
			add.u32 %r1, %r1, 1;`,
		"both sides behind the join": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra FAR;
			bra FAR2;
		BACK:`,
		"nested": `
			setp.lt.u32 %p1, %t, 16;
			@%p1 bra A;
			setp.lt.u32 %p2, %t, 20;
			@%p2 bra B;
			add.u32 %r1, %t, 1;
			bra C;
		B:	add.u32 %r1, %t, 2;
		C:	bra J;
		A:	setp.lt.u32 %p2, %t, 3;
			@%p2 bra J;
			add.u32 %r1, %t, 3;`,
		"a and b or c": `
			setp.lt.u32 %p1, %t, 16;
			and.b32 %r1, %t, 1;
			setp.eq.u32 %p2, %r1, 0;
			setp.gt.u32 %p3, %t, 20;
			@!%p1 bra OR;
			@%p2 bra THEN;
		OR:	@%p3 bra THEN;
			bra J;
		THEN:	add.u32 %r1, %t, 3;`,
		"indexed": `
			and.b32 %r1, %t, 3;
		T:	.branchtargets A, B, C, A;
			brx.idx %r1, T;
		C:	add.u32 %r2, %t, 3;
			bra J;
		A:	add.u32 %r2, %t, 1;
		B:	add.u32 %r2, %t, 2;`,
		"a loop of different length": `
			mov.u32 %r1, 0;
		L:	add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, %t;
			@%p1 bra L;`,
		"a long loop": `
			mov.u32 %r1, 0;
			mul.lo.u32 %r2, %t, 60;
		L:	add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, %r2;
			@%p1 bra L;`,
		"a loop with its test at the top": `
			mov.u32 %r1, 0;
		L:	setp.ge.u32 %p1, %r1, %t;
			@%p1 bra J;
			add.u32 %r1, %r1, 1;
			bra L;`,
		"a loop whose exit comes before its body": `
			mov.u32 %r1, 0;
			bra L;
		X:	bra J;
		B:	add.u32 %r1, %r1, 1;
		L:	setp.ge.u32 %p1, %r1, %t;
			@%p1 bra X;
			bra B;`,
		"break and continue": `
			mov.u32 %r1, 0;
		L:	add.u32 %r1, %r1, 1;
			setp.gt.u32 %p1, %r1, 20;
			@%p1 bra J;
			and.b32 %r2, %r1, 1;
			setp.eq.u32 %p2, %r2, 0;
			@%p2 bra L;
			setp.gt.u32 %p3, %r1, %t;
			@%p3 bra OUT;
			bra L;
		OUT:	add.u32 %r1, %r1, 5;`,
		"a loop in a loop": `
			mov.u32 %r1, 0;
		L:	mov.u32 %r2, 0;
		M:	add.u32 %r2, %r2, 1;
			setp.lt.u32 %p1, %r2, %r1;
			@%p1 bra M;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p2, %r1, %t;
			@%p2 bra L;`,
		"a way out of two loops": `
			mov.u32 %r1, 0;
		L:	mov.u32 %r2, 0;
		M:	add.u32 %r2, %r2, 1;
			add.u32 %r3, %r2, %r1;
			setp.gt.u32 %p3, %r3, %t;
			@%p3 bra J;
			setp.lt.u32 %p1, %r2, 4;
			@%p1 bra M;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p2, %r1, 40;
			@%p2 bra L;`,
		"into the middle of a loop": `
			mov.u32 %r1, 0;
			setp.lt.u32 %p1, %t, 16;
			@%p1 bra M;
		L:	add.u32 %r1, %r1, 1;
		M:	add.u32 %r1, %r1, 1;
			setp.lt.u32 %p2, %r1, %t;
			@%p2 bra L;`,
		"two loops that share blocks": `
			mov.u32 %r1, 0;
			setp.lt.u32 %p1, %t, 16;
			@%p1 bra B;
		A:	add.u32 %r1, %r1, 1;
			setp.gt.u32 %p2, %r1, %t;
			@%p2 bra J;
		B:	add.u32 %r1, %r1, 1;
			and.b32 %r2, %r1, 1;
			setp.eq.u32 %p3, %r2, 0;
			@%p3 bra B;
			bra A;`,
		"a guarded call": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 call f;`,
		"calls from both sides": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra A;
			call f;
			bra J;
		A:	call f;
			call f;`,
		"collectives of each side": `
			setp.lt.u32 %p1, %t, 7;
			@%p1 bra A;
			bar.warp.sync 0xffffff80;
			bra J;
		A:	bar.warp.sync 0x7f;`,
	} {
		t.Run(name, func(t *testing.T) {
			ptx := `.func f() { .reg .u32 %t; .reg .pred %p; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 3; @%p bra E; mov.u32 %t, 1; E: ret; }
` + entry(body+`
		J:	activemask.b32 %v;
			bra END;
		FAR:	add.u32 %r5, %t, 1;
			bra BACK;
		FAR2:	add.u32 %r5, %t, 2;
			bra BACK;
		END:`)
			if !strings.Contains(body, "BACK:") {
				ptx = strings.ReplaceAll(ptx, "bra BACK", "bra J")
			}
			for _, o := range []device.Options{{Schedule: "rr"}, {Seed: 1}, {Seed: 2}, {Seed: 3}, {Seed: 4}} {
				out := make([]uint32, 32)
				Run{PTX: ptx, Args: []any{out}, Options: o}.Clean(t)
				for i, m := range out {
					if m != 0xFFFFFFFF {
						t.Fatalf("seed %d: lane %d saw %#x", o.Seed, i, m)
					}
				}
			}
		})
	}
}

// Inside a branch only its lanes are active.
func TestActiveMaskOfABranch(t *testing.T) {
	each(t, "if", entry(`
		mov.u32 %v, 0;
		setp.lt.u32 %p1, %t, 7;
		@%p1 bra A;
		activemask.b32 %v;
		bra J;
	A:	activemask.b32 %v;
	J:`), func(i int) uint32 {
		if i < 7 {
			return 0x7F
		}
		return 0xFFFFFF80
	})
	each(t, "guard", entry(`mov.u32 %v, 0; setp.lt.u32 %p1, %t, 7; @%p1 activemask.b32 %v;`), func(i int) uint32 {
		if i < 7 {
			return 0x7F
		}
		return 0
	})
}

// A lane that returns early is not waited for.
func TestEarlyReturn(t *testing.T) {
	out := make([]uint32, 32)
	Run{PTX: entry(`
		setp.lt.u32 %p1, %t, 7;
		@%p1 ret;
		setp.gt.u32 %p1, %t, 29;
		@%p1 exit;
		bar.sync 0;
		activemask.b32 %v;`), Args: []any{out}}.Clean(t)
	for i, m := range out {
		want := uint32(0x3FFFFF80)
		if i < 7 || i > 29 {
			want = 0
		}
		if m != want {
			t.Fatalf("lane %d: %#x", i, m)
		}
	}
}

// Blocks that nothing reaches, labels at the end, and functions without a return.
func TestOddShapes(t *testing.T) {
	each(t, "unreachable", entry(`mov.u32 %v, 5; bra J; A: mov.u32 %v, 6; bra J; J:`), func(int) uint32 { return 5 })
	each(t, "jump to the next", entry(`mov.u32 %v, 5; bra J; J: bra K; K:`), func(int) uint32 { return 5 })
	each(t, "guarded jump to the next", entry(`mov.u32 %v, 5; setp.eq.u32 %p1, %t, 3; @%p1 bra J; J:`), func(int) uint32 { return 5 })
	for _, body := range []string{"", "L:", "bra L; L:", "{ }", "{ L: bra M; } M:", "exit;", "trap; ret;"} {
		r := Run{PTX: ".visible .entry k() {" + strings.ReplaceAll(body, "L: bra M; }", "}") + "}"}.Do(t)
		if r.Load != nil || r.Err != nil {
			t.Errorf("%q: %v %v", body, r.Load, r.Err)
		}
	}
}
