package vm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/exec"
	. "gpusim/internal/ptxtest"
	"gpusim/kernel"
)

// collect runs an instruction with a value a lane and returns what it left in %d and,
// as 0 or 1, in %q.
func collect(t *testing.T, inst string, values []uint32, o device.Options) (d, q []uint32) {
	t.Helper()
	d, q = make([]uint32, 32), make([]uint32, 32)
	n := uint32(len(values))
	Run{PTX: `.visible .entry k(.param .u64 in, .param .u64 d, .param .u64 q) {
	.reg .u64 %i, %o, %w; .reg .u32 %t, %a, %d, %x; .reg .pred %p, %q;
	mov.u32 %t, %tid.x;
	mul.wide.u32 %w, %t, 4;
	ld.param.u64 %i, [in];
	add.s64 %i, %i, %w;
	ld.global.u32 %a, [%i];
	setp.ne.u32 %p, %a, 0;
	mov.u32 %d, 0;
	setp.ne.u32 %q, %d, 0;
	` + inst + `
	ld.param.u64 %o, [d];
	add.s64 %o, %o, %w;
	st.global.u32 [%o], %d;
	ld.param.u64 %o, [q];
	add.s64 %o, %o, %w;
	selp.u32 %x, 1, 0, %q;
	st.global.u32 [%o], %x;
	ret;
}`, Block: n, Args: []any{values, d, q}, Options: o}.Clean(t)
	return d, q
}

// shflReference is the pseudo code of the PTX ISA, "shfl.sync", for one lane.
func shflReference(mode string, values []uint32, lane int, b, c uint32) (uint32, uint32) {
	bval, cval := int(b&0x1F), int(c&0x1F)
	segmask := int(c >> 8 & 0x1F)
	maxLane := lane&segmask | cval&^segmask
	minLane := lane & segmask
	var j int
	var pval bool
	switch mode {
	case "up":
		j = lane - bval
		pval = j >= maxLane
	case "down":
		j = lane + bval
		pval = j <= maxLane
	case "bfly":
		j = lane ^ bval
		pval = j <= maxLane
	case "idx":
		j = minLane | bval&^segmask
		pval = j <= maxLane
	}
	if !pval {
		j = lane
	}
	if pval {
		return values[j], 1
	}
	return values[j], 0
}

func TestShuffle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]uint32, 32)
	for i := range values {
		values[i] = rng.Uint32()
	}
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, width := range []uint32{32, 16, 8, 4, 2, 1} {
			clamp := (32-width)<<8 | 0x1F
			if mode == "up" {
				clamp = (32 - width) << 8
			}
			for _, c := range []uint32{clamp, clamp ^ 3, rng.Uint32() & 0x1F1F} {
				for _, b := range []uint32{0, 1, 2, 3, 5, 16, 31, 32, 33} {
					inst := fmt.Sprintf("shfl.sync.%s.b32 %%d|%%q, %%a, %d, %d, 0xffffffff;", mode, b, c)
					d, q := collect(t, inst, values, both[int(b)&1])
					for l := range 32 {
						if v, p := shflReference(mode, values, l, b, c); d[l] != v || q[l] != p {
							t.Fatalf("%s lane %d: %#x %d, the pseudo code gives %#x %d", inst, l, d[l], q[l], v, p)
						}
					}
				}
			}
		}
	}
	// Operands that differ by lane, without a predicate.
	d, _ := collect(t, "xor.b32 %x, %t, 5; shfl.sync.idx.b32 %d, %a, %x, 31, -1;", values, device.Options{})
	for l := range 32 {
		if d[l] != values[l^5] {
			t.Fatal(l, d)
		}
	}
	// In a part of the warp, whose mask both sides name.
	d, _ = collect(t, `setp.lt.u32 %p, %t, 16; @%p bra A;
	shfl.sync.bfly.b32 %d, %a, 1, 31, 0xffff0000; bra J;
A:	shfl.sync.bfly.b32 %d, %a, 2, 31, 0xffff;
J:`, values, device.Options{})
	for l := range 32 {
		if want := values[l^1]; l >= 16 && d[l] != want || l < 16 && d[l] != values[l^2] {
			t.Fatal(l, d)
		}
	}
}

func TestVoteMatchRedux(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for round := range 12 {
		n := []int{32, 1, 7, 31}[round%4]
		values := make([]uint32, n)
		var ballot uint32
		for i := range values {
			values[i] = []uint32{uint32(rng.IntN(3)), 0, 5}[round%3]
			if rng.IntN(8) == 0 {
				values[i] = rng.Uint32()
			}
			if values[i] != 0 {
				ballot |= 1 << i
			}
		}
		all := uint32(1)<<n - 1
		same := func(l int) (m uint32) {
			for i, v := range values {
				if v == values[l] {
					m |= 1 << i
				}
			}
			return m
		}
		fold := func(f func(a, b uint32) uint32) func(int) (uint32, bool) {
			x := values[0]
			for _, v := range values[1:] {
				x = f(x, v)
			}
			return func(int) (uint32, bool) { return x, false }
		}
		flag := func(x bool) func(int) (uint32, bool) { return func(int) (uint32, bool) { return 0, x } }
		for inst, want := range map[string]func(l int) (uint32, bool){
			"vote.sync.ballot.b32 %d, %p, -1;":  func(int) (uint32, bool) { return ballot, false },
			"vote.sync.ballot.b32 %d, !%p, -1;": func(int) (uint32, bool) { return ^ballot & all, false },
			"vote.sync.any.pred %q, %p, -1;":    flag(ballot != 0),
			"vote.sync.all.pred %q, %p, -1;":    flag(ballot == all),
			"vote.sync.uni.pred %q, %p, -1;":    flag(ballot == all || ballot == 0),
			"vote.sync.all.pred %q, !%p, -1;":   flag(ballot == 0),
			"match.sync.any.b32 %d, %a, -1;":    func(l int) (uint32, bool) { return same(l), false },
			"match.any.sync.b32 %d, %a, -1;":    func(l int) (uint32, bool) { return same(l), false },
			"match.all.sync.b32 %d|%q, %a, -1;": func(l int) (uint32, bool) {
				if same(l) == all {
					return all, true
				}
				return 0, false
			},
			"cvt.u64.u32 %w, %a; shl.b64 %w, %w, 32; match.any.sync.b64 %d, %w, -1; mul.wide.u32 %w, %t, 4;": func(l int) (uint32, bool) { return same(l), false },
			"redux.sync.add.u32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return a + b }),
			"redux.sync.add.s32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return a + b }),
			"redux.sync.min.u32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return min(a, b) }),
			"redux.sync.max.u32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return max(a, b) }),
			"redux.sync.min.s32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
			"redux.sync.max.s32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
			"redux.sync.and.b32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return a & b }),
			"redux.sync.or.b32 %d, %a, -1;":  fold(func(a, b uint32) uint32 { return a | b }),
			"redux.sync.xor.b32 %d, %a, -1;": fold(func(a, b uint32) uint32 { return a ^ b }),
			"elect.sync %d|%q, -1;":          func(l int) (uint32, bool) { return 0, l == 0 },
			"activemask.b32 %d;":             nil,
		} {
			if want == nil {
				continue
			}
			d, q := collect(t, inst, values, both[round&1])
			for l := range n {
				v, p := want(l)
				if d[l] != v || (q[l] == 1) != p {
					t.Fatalf("%s of %v: lane %d has %#x %d, want %#x %v", inst, values, l, d[l], q[l], v, p)
				}
			}
		}
	}
}

// Lanes come to a collective one after the other, some have left: those named wait for
// each other, and exited ones are not waited for.
func TestCollectivesOfDivergedLanes(t *testing.T) {
	schedules(t, 10, func(t *testing.T, o device.Options) {
		out := make([]uint32, 32)
		Run{PTX: entry(`
	setp.lt.u32 %p1, %t, 4;
	@%p1 ret;
	mov.u32 %r1, 0;
	and.b32 %r2, %t, 7;
L:	add.u32 %r1, %r1, 1;
	setp.le.u32 %p2, %r1, %r2;
	@%p2 bra L;
	vote.sync.ballot.b32 %v, %p2, 0xffffffff;
	mov.u32 %r3, 1;
	redux.sync.add.u32 %r4, %r3, 0xffffffff;
	add.u32 %v, %v, %r4;
	bar.warp.sync 0xffffffff;
	st.global.u32 [%e], %v;`), Args: []any{out}, Options: o}.Clean(t)
		for l, v := range out {
			if want := uint32(28); l >= 4 && v != want || l < 4 && v != 0 {
				t.Fatal(out)
			}
		}
	})
}

func TestWrongMasks(t *testing.T) {
	// A lane outside of its mask.
	for _, o := range both {
		r := Run{PTX: entry("vote.sync.ballot.b32 %r1, %p1, 0xffff;"), Args: []any{make([]uint32, 32)}, Options: o}.Do(t)
		f := r.One(t, kernel.BarrierMisuse, "with mask 0xffff, which does not name the lane itself")
		if f.Accesses[0].Source.Line != 7 || !strings.Contains(f.Message, "lane 16") && o.Granularity == exec.ByWarp {
			t.Errorf("%+v", f)
		}
	}
	// A lane that is named never comes: the others wait for ever.
	for name, body := range map[string]string{
		"barrier":          "setp.eq.u32 %p1, %t, 3; @%p1 bra B; vote.sync.ballot.b32 %r1, %p1, -1; B: bar.sync 0;",
		"other collective": "setp.eq.u32 %p1, %t, 3; @%p1 bra B; vote.sync.ballot.b32 %r1, %p1, -1; bra E; B: vote.sync.any.pred %p2, %p1, -1; E:",
	} {
		for _, o := range both {
			r := Run{PTX: entry(body), Args: []any{make([]uint32, 32)}, Options: o}.Do(t)
			if r.Stopped != "deadlock" {
				t.Errorf("%s: %s %s", name, r.Stopped, r.Text())
			}
			r.One(t, kernel.Deadlock, "vote.sync.ballot.b32 with mask 0xffffffff", "lane 3")
		}
	}
	// A lane that is named and has left, or does not exist, is not waited for.
	Run{PTX: entry("setp.eq.u32 %p1, %t, 3; @%p1 ret; vote.sync.ballot.b32 %r1, %p1, -1;"), Block: 20, Args: []any{make([]uint32, 32)}}.Clean(t)
}

// Blocks of every size, with a barrier and its reductions.
func TestBarriers(t *testing.T) {
	for _, n := range []uint32{1, 31, 32, 33, 100, 1024} {
		for _, o := range both {
			if n == 1024 && o.Granularity == exec.ByThread {
				continue
			}
			out := make([]uint32, n)
			Run{PTX: `.shared .u32 s[1024];
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .u64 %o, %w; .reg .u32 %t, %n, %r<9>; .reg .u64 %rd<9>; .reg .pred %p, %q, %a;
	ld.param.u64 %o, [out];
	ld.param.u32 %n, [n];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %w, %t, 4;
	mov.u64 %rd1, s;
	add.s64 %rd1, %rd1, %w;
	st.shared.u32 [%rd1], %t;
	bar.sync 0;
	sub.u32 %r1, %n, 1;
	sub.u32 %r1, %r1, %t;
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, s;
	add.s64 %rd3, %rd3, %rd2;
	ld.shared.u32 %r2, [%rd3];
	setp.lt.u32 %p, %t, 20;
	barrier.cta.red.popc.u32 %r3, 0, %p;
	barrier.cta.red.and.pred %q, 1, %p;
	barrier.cta.red.or.pred %a, 2, !%p;
	selp.u32 %r4, 100, 0, %q;
	selp.u32 %r5, 1000, 0, %a;
	mad.lo.u32 %r2, %r2, 10000, %r3;
	add.u32 %r2, %r2, %r4;
	add.u32 %r2, %r2, %r5;
	add.s64 %o, %o, %w;
	st.global.u32 [%o], %r2;
	ret;
}`, Block: n, Args: []any{out, n}, Options: o}.Clean(t)
			for i, v := range out {
				want := 10000*(n-1-uint32(i)) + min(n, 20)
				if n <= 20 {
					want += 100
				} else {
					want += 1000
				}
				if v != want {
					t.Fatalf("block of %d, thread %d: %d, want %d", n, i, v, want)
				}
			}
		}
	}
}

// Diverged lanes gather at an unaligned barrier; at an aligned one that is a finding.
func TestBarriersOfDivergedLanes(t *testing.T) {
	divergent := func(barrier string) string {
		return entry("setp.lt.u32 %p1, %t, 5; @%p1 bra A;\n" + barrier + "\nbra J;\nA: " + barrier + "\nJ: st.global.u32 [%e], 1;")
	}
	schedules(t, 5, func(t *testing.T, o device.Options) {
		out := make([]uint32, 64)
		Run{PTX: divergent("barrier.sync 0;"), Block: 64, Args: []any{out}, Options: o}.Clean(t)
		if out[0] != 1 || out[63] != 1 {
			t.Error(out)
		}
		r := Run{PTX: divergent("bar.sync 0;"), Block: 64, Args: []any{out}, Options: o}.Do(t)
		r.One(t, kernel.BarrierDivergence, "[ k.ptx:10] [ k.ptx:8]")
	})
	schedules(t, 3, func(t *testing.T, o device.Options) {
		r := Run{PTX: entry("setp.lt.u32 %p1, %t, 5; @%p1 bra J; bar.sync 0; J: bar.sync 1;"), Block: 64, Args: []any{make([]uint32, 64)}, Options: o}.Do(t)
		if len(r.Findings) == 0 || r.Findings[0].Kind != kernel.BarrierDivergence && r.Findings[0].Kind != kernel.Deadlock {
			t.Error(r.Text())
		}
	})
	t.Run("numbers by lane", func(t *testing.T) {
		r := Run{PTX: entry("and.b32 %r1, %t, 7; bar.sync %r1; st.global.u32 [%e], 1;"), Block: 32, Args: []any{make([]uint32, 32)}}.Do(t)
		r.One(t, kernel.BarrierDivergence, "different barrier numbers")
	})
}

// What a shuffle reads from a lane that does not take part is undefined: using it is
// reported, computing with it and dropping the result is not.
func TestShuffleFromAbsentLanes(t *testing.T) {
	sum := func(rest string) string {
		return entry("mov.u32 %r1, 1; shfl.sync.down.b32 %r2, %r1, 8, 31, -1; add.u32 %r1, %r1, %r2;\n" + rest)
	}
	out := make([]uint32, 16)
	r := Run{PTX: sum("st.global.u32 [%e], %r1;"), Block: 16, Args: []any{out}}.Do(t)
	r.One(t, kernel.UninitializedRead, "a shuffle reads a lane that does not take part")
	Run{PTX: sum("setp.ge.u32 %p1, %t, 8; @%p1 exit; st.global.u32 [%e], %r1;"), Block: 16, Args: []any{out}}.Clean(t)
	Run{PTX: sum("st.global.u32 [%e], %r1;"), Block: 32, Args: []any{make([]uint32, 32)}}.Clean(t)
}
