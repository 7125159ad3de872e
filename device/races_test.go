package device

import (
	"slices"
	"strings"
	"testing"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/internal/toy"
	"gpusim/kernel"
	"gpusim/race"
)

// racyTile writes tile[t] in line 12 and reads tile[t+33] in line 14.
func racyTile(fixed bool) *toy.Program {
	write := toy.Access{Line: 12, Write: true, Elem: 4, Index: func(t int) int64 { return int64(t) }}
	read := toy.Access{Line: 14, Elem: 4, Index: func(t int) int64 { return int64(t+33) % 96 }}
	steps := []toy.Step{write.In(toy.Shared(0)), toy.Bar(13, 0, 0, barrier.Sync), read.In(toy.Shared(0))}
	if !fixed {
		steps = []toy.Step{steps[0], steps[2]}
	}
	return &toy.Program{Vars: []exec.SharedVar{{Name: "tile", Size: 384}}, Script: script(steps...)}
}

func TestRaceInSharedMemory(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		if r := d.Launch(racyTile(true), Spec{Kernel: "k", Grid: dim(3), Block: dim(96)}); !r.Complete {
			t.Fatal(r)
		}
		none(t, d)
		d.Launch(racyTile(false), Spec{Kernel: "k", Grid: dim(3), Block: dim(96)})
		f := one(t, d, kernel.DataRace, "reads tile[")
		if f.Severity != kernel.Error || f.Edge != kernel.NoBarrier || f.Object != "tile" || f.Space != kernel.Shared || f.Launch != 1 || f.Kernel != "k" || f.Size != 4 {
			t.Errorf("%+v", f)
		}
		if !strings.Contains(f.Missing, "toy.cu:12") || !strings.Contains(f.Missing, "toy.cu:14") || !strings.Contains(f.Fix, "put __sync") {
			t.Errorf("%s | %s", f.Missing, f.Fix)
		}
		lines := f.Accesses[0].Source.Line + f.Accesses[1].Source.Line
		if lines != 26 || f.Accesses[0].Op == f.Accesses[1].Op {
			t.Errorf("%+v", f.Accesses)
		}
	})
}

func TestRaceBetweenBlocks(t *testing.T) {
	each(t, Options{}, func(t *testing.T, d *Device) {
		x := newBuffer(t, d, "x", 4)
		write := toy.Access{Line: 7, Write: true, Elem: 4, Index: func(t int) int64 {
			if t != 0 {
				return -1
			}
			return 0
		}}
		d.Launch(&toy.Program{Script: script(write.In(toy.Global(x)))}, Spec{Kernel: "k", Grid: dim(2), Block: dim(32)})
		f := one(t, d, kernel.DataRace, "writes x, which thread (0,0,0) of block (")
		if !strings.Contains(f.Missing, "a barrier does not reach other blocks") || !strings.Contains(f.Fix, "separate launches") {
			t.Errorf("%s | %s", f.Missing, f.Fix)
		}
	})
}

func TestLaunchesAreOrdered(t *testing.T) {
	d := newDevice(t, Options{})
	x := newBuffer(t, d, "x", 4*64)
	write := toy.Access{Line: 7, Write: true, Elem: 4, Index: func(t int) int64 { return int64(63 - t) }}
	read := toy.Access{Line: 8, Elem: 4, Index: func(t int) int64 { return int64(t) }}
	for range 2 {
		d.Launch(&toy.Program{Script: script(write.In(toy.Global(x)))}, Spec{Kernel: "w", Grid: dim(1), Block: dim(64)})
		d.Launch(&toy.Program{Script: script(read.In(toy.Global(x)))}, Spec{Kernel: "r", Grid: dim(1), Block: dim(64)})
	}
	none(t, d)
}

func TestNoRaces(t *testing.T) {
	d := newDevice(t, Options{NoRaces: true})
	d.Launch(racyTile(false), Spec{Kernel: "k", Grid: dim(1), Block: dim(96)})
	none(t, d)
}

// The words for every kind of missing edge.
func TestRaceTexts(t *testing.T) {
	place := func(line, block, thread int, op string) kernel.Access {
		return kernel.Access{Op: op, Source: kernel.Source{File: "k.cu", Line: line}, Thread: kernel.ThreadID{Block: dimAt(block), Thread: dimAt(thread)}}
	}
	plainWrite, plainRead := race.SiteInfo{Write: true, Elem: 4}, race.SiteInfo{Read: true, Elem: 4}
	atomic := race.SiteInfo{Write: true, Read: true, Atomic: true, Elem: 4, Sem: kernel.Relaxed, Scope: kernel.CTA}
	for _, c := range []struct {
		name                  string
		text                  raceText
		message, missing, fix string
	}{
		{"read after write", raceText{Race: &race.Race{Edge: kernel.NoBarrier, Off: 132, A: race.Party{Thread: 33}, B: race.Party{Thread: 0}}, object: "tile", size: 512,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true, Thread: 33}, {}},
			access: [2]kernel.Access{place(12, 0, 33, "write"), place(14, 0, 0, "read")}},
			"thread (0,0,0) of block (0,0,0) reads tile[33], which thread (33,0,0) writes; nothing orders the two",
			"a barrier (__syncthreads, bar.sync) between k.cu:12 and k.cu:14",
			"put __syncthreads() after line 12"},
		{"write after read in a loop", raceText{Race: &race.Race{Edge: kernel.NoBarrier, Off: 4, A: race.Party{Thread: 64}}, object: "tile", size: 512,
			site: [2]race.SiteInfo{plainRead, plainWrite}, party: [2]race.Party{{Thread: 64}, {Write: true}},
			access: [2]kernel.Access{place(14, 0, 64, "read"), place(12, 0, 0, "write")}},
			"thread (64,0,0) of block (0,0,0) reads tile[1], which thread (0,0,0) writes; nothing orders the two",
			"a barrier (__syncthreads, bar.sync) between k.cu:14 and the next pass through k.cu:12",
			"put __syncthreads() after line 14, before line 12 runs again"},
		{"one warp", raceText{Race: &race.Race{Edge: kernel.NoBarrier, A: race.Party{Thread: 1}}, object: "s", size: 512,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true, Thread: 1}, {}},
			access: [2]kernel.Access{place(12, 0, 1, "write"), place(14, 0, 0, "read")}},
			"reads s[0]", "a barrier (__syncthreads, or __syncwarp: both threads are of one warp) between k.cu:12 and k.cu:14", "put __syncthreads() or __syncwarp() after line 12"},
		{"one statement", raceText{Race: &race.Race{Edge: kernel.NoBarrier, SameValue: true}, object: "s", size: 4,
			site: [2]race.SiteInfo{plainWrite, plainWrite}, party: [2]race.Party{{Write: true}, {Write: true}},
			access: [2]kernel.Access{place(12, 0, 1, "write"), place(12, 0, 0, "write")}},
			"thread (0,0,0) of block (0,0,0) writes s, which thread (1,0,0) writes; nothing orders the two, though both write the same value",
			"between the two executions of k.cu:12", "let every thread write to an element of its own"},
		{"atomic and plain", raceText{Race: &race.Race{Edge: kernel.NoBarrier, A: race.Party{Thread: 64}}, object: "bins", size: 1024,
			site: [2]race.SiteInfo{atomic, plainRead}, party: [2]race.Party{{Write: true, Atomic: true}, {}},
			access: [2]kernel.Access{place(12, 0, 64, "write"), place(14, 0, 0, "read")}},
			"reads bins[0], which thread (64,0,0) updates atomically", "between k.cu:12 and k.cu:14", "or make the access at k.cu:14 atomic as well"},
		{"blocks", raceText{Race: &race.Race{Edge: kernel.NoBarrier, A: race.Party{Block: 1}}, object: "x", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 1, 0, "write"), place(14, 0, 0, "read")}},
			"thread (0,0,0) of block (0,0,0) reads x[0], which thread (0,0,0) of block (1,0,0) writes",
			"an order between the blocks for k.cu:12 and k.cu:14: a barrier does not reach other blocks", "signal with an atomic at gpu scope: __threadfence()"},
		{"scope", raceText{Race: &race.Race{Edge: kernel.Scoped, A: race.Party{Block: 1}}, object: "n", size: 4,
			site: [2]race.SiteInfo{atomic, atomic}, party: [2]race.Party{{Write: true, Atomic: true}, {Write: true, Atomic: true}},
			access: [2]kernel.Access{place(12, 1, 0, "write"), place(12, 0, 0, "write")}},
			"updates atomically n", "they are in different blocks, and the accesses have the scopes cta and cta", "use gpu scope"},
		{"release", raceText{Race: &race.Race{Edge: kernel.NoRelease}, object: "x", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 1, 0, "write"), place(14, 0, 0, "read")}},
			"reads x[0]", "a release by thread (0,0,0) after k.cu:12", "put __threadfence() between k.cu:12 and the store that signals it"},
		{"acquire", raceText{Race: &race.Race{Edge: kernel.NoAcquire}, object: "x", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 1, 0, "write"), place(14, 0, 0, "read")}},
			"reads x[0]", "an acquire by thread (0,0,0) before k.cu:14", "put __threadfence() between the load that sees the flag and k.cu:14"},
		{"read only", raceText{Race: &race.Race{Edge: kernel.ReadOnly, Off: 2}, object: "x", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 0, 0, "write"), place(14, 0, 1, "read")}},
			"reads byte 2 of x, which thread (0,0,0) writes; the read is ld.global.nc", "nothing could order them", "drop const __restrict__ (or __ldg) from the pointer read at k.cu:14"},
		{"copy", raceText{Race: &race.Race{Edge: kernel.NoWait}, object: "s", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 0, 0, "write"), place(14, 0, 0, "read")}},
			"reads s[0]", "a wait for the asynchronous copy issued at k.cu:12 before k.cu:14", "wait for the copy's group"},
		{"proxy", raceText{Race: &race.Race{Edge: kernel.ProxyFence}, object: "s", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 0, 0, "write"), place(14, 0, 0, "read")}},
			"reads s[0]", "a proxy fence (fence.proxy.async) between k.cu:12 and k.cu:14", "put fence.proxy.async"},
		{"sc", raceText{Race: &race.Race{Edge: kernel.NoRelease, NeedsSC: true}, object: "s", size: 64,
			site: [2]race.SiteInfo{plainWrite, plainRead}, party: [2]race.Party{{Write: true}, {}},
			access: [2]kernel.Access{place(12, 0, 0, "write"), place(14, 0, 0, "read")}},
			"reads s[0]", "sequentially consistent fences between k.cu:12 and k.cu:14", "use fence.sc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			missing, fix := c.text.advice()
			if m := c.text.message(); !strings.Contains(m, c.message) {
				t.Errorf("message %s", m)
			}
			if !strings.Contains(missing, c.missing) {
				t.Errorf("missing %s", missing)
			}
			if !strings.Contains(fix, c.fix) {
				t.Errorf("fix %s", fix)
			}
		})
	}
}

func dimAt(x int) kernel.Dim3 { return kernel.Dim3{X: uint32(x)} }

// A named barrier orders from those who arrive to those who wait, and nobody else.
func TestNamedBarrierOrders(t *testing.T) {
	at := func(line int, write bool, warp int) toy.Step {
		return toy.Access{Line: line, Write: write, Elem: 4, Index: func(t int) int64 {
			if t/32 != warp {
				return -1
			}
			return int64(t % 32)
		}}.In(toy.Shared(0))
	}
	for _, c := range []struct {
		name  string
		warps [3][]toy.Step
		lines []int // of the race, if any
	}{
		{"producer, consumer", [3][]toy.Step{
			{at(1, true, 0), toy.Bar(2, 1, 64, barrier.Arrive)},
			{toy.Bar(3, 1, 64, barrier.Sync), at(4, false, 1)}}, nil},
		{"a bystander reads", [3][]toy.Step{
			{at(1, true, 0), toy.Bar(2, 1, 64, barrier.Arrive)},
			{toy.Bar(3, 1, 64, barrier.Sync)},
			{at(5, false, 2)}}, []int{1, 5}},
		{"written after the arrive", [3][]toy.Step{
			{toy.Bar(2, 1, 64, barrier.Arrive), at(1, true, 0)},
			{toy.Bar(3, 1, 64, barrier.Sync), at(4, false, 1)}}, []int{1, 4}},
		{"an arrive is no target", [3][]toy.Step{
			{toy.Bar(2, 1, 64, barrier.Arrive), at(6, false, 0)},
			{at(4, true, 1), toy.Bar(3, 1, 64, barrier.Sync)}}, []int{4, 6}},
		{"handed on", [3][]toy.Step{
			{at(1, true, 0), toy.Bar(2, 1, 64, barrier.Sync)},
			{toy.Bar(2, 1, 64, barrier.Sync), toy.Bar(3, 2, 64, barrier.Sync)},
			{toy.Bar(3, 2, 64, barrier.Sync), at(5, false, 2)}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, Options{}, func(t *testing.T, d *Device) {
				p := &toy.Program{Vars: []exec.SharedVar{{Name: "s", Size: 128}}, Script: func(th *toy.Thread) []toy.Step { return c.warps[th.Warp.Index] }}
				if r := d.Launch(p, Spec{Kernel: "k", Grid: dim(2), Block: dim(96)}); !r.Complete {
					t.Fatal(r)
				}
				if c.lines == nil {
					none(t, d)
					return
				}
				for _, f := range d.Findings() {
					if f.Kind != kernel.DataRace || f.Severity != kernel.Error {
						t.Errorf("%+v", f)
					}
				}
				f := d.Findings()[0]
				lines := []int{f.Accesses[0].Source.Line, f.Accesses[1].Source.Line}
				slices.Sort(lines)
				if !slices.Equal(lines, c.lines) {
					t.Errorf("%v, want %v", lines, c.lines)
				}
			})
		})
	}
}
