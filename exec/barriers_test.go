package exec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpusim/barrier"
	"gpusim/kernel"
)

// lines is a program in which instruction n stands in line n.
type lines struct{}

func (lines) SharedVars() []SharedVar    { return nil }
func (lines) OrdersBlocks() bool         { return false }
func (lines) Source(n int) kernel.Source { return kernel.Source{File: "k.cu", Line: n} }
func (lines) Threads(*Block) []Thread    { return nil }

// newBlock makes a running block of the given number of threads, and the list of its wakes.
func newBlock(threads uint32) (*Block, *[]int) {
	one := kernel.Dim3{X: 1, Y: 1, Z: 1}
	l := &Launch{Program: lines{}, Kernel: "k", Grid: one, Block: kernel.Dim3{X: threads, Y: 1, Z: 1}, Findings: &Findings{}, Counters: &Counters{}}
	b := NewBlock(l, 0)
	var woken []int
	b.Wake = func(t int) { woken = append(woken, t) }
	b.Begin(0)
	return b, &woken
}

func bar(id, count int, role barrier.Role, line int) *BarOp {
	return &BarOp{ID: id, Count: count, Role: role, Instruction: line}
}

func TestBarrierOfAllThreads(t *testing.T) {
	b, woken := newBlock(96)
	for round := range 3 {
		*woken = nil
		b.Launch.Now = 100
		if b.Bar(&b.Warps[2], bar(0, 0, barrier.Sync, 5)) || b.Bar(&b.Warps[0], bar(0, 0, barrier.Sync, 5)) {
			t.Fatal("released too early")
		}
		b.Launch.Now = 130
		if !b.Bar(&b.Warps[1], bar(0, 0, barrier.Sync, 9)) {
			t.Fatal("the last arrival releases")
		}
		if !slices.Equal(*woken, []int{0, 2}) {
			t.Fatal("all others are woken, in order", *woken)
		}
		if w := &b.Warps[0]; w.Released != w.Lanes {
			t.Fatalf("%x", w.Released)
		}
		c := b.Launch.Counters
		if c.BarrierWaits[WaitBlock] != uint64(3*(round+1)) || c.BarrierWaitTime[WaitBlock] != uint64(60*(round+1)) {
			t.Fatalf("%+v", c)
		}
	}
	b.End()
	if f := b.Launch.Findings.List(); len(f) != 0 {
		t.Error(f)
	}
}

func TestThreadsOfAWarpAreWokenOneByOne(t *testing.T) {
	b, woken := newBlock(34)
	b.Launch.Granularity = ByThread
	b.Bar(&b.Warps[1], bar(0, 0, barrier.Sync, 5))
	b.Bar(&b.Warps[0], bar(0, 0, barrier.Sync, 5))
	if !slices.Equal(*woken, []int{32, 33}) {
		t.Error(*woken)
	}
}

func TestReduction(t *testing.T) {
	b, _ := newBlock(48)
	for _, c := range []struct {
		op     barrier.RedOp
		p0, p1 uint32
		want   uint64
	}{
		{barrier.Popc, 0xFF, 0xFFFFFFFF, 24}, // the second warp has 16 lanes
		{barrier.And, 0xFFFFFFFF, 0xFFFF, 1},
		{barrier.And, 0xFFFFFFFE, 0xFFFF, 0},
		{barrier.Or, 0, 1, 1},
		{barrier.Or, 0, 0, 0},
	} {
		b.Bar(&b.Warps[0], &BarOp{Role: barrier.Red, Red: c.op, Pred: c.p0})
		if !b.Bar(&b.Warps[1], &BarOp{Role: barrier.Red, Red: c.op, Pred: c.p1}) {
			t.Fatal("not released")
		}
		for _, lane := range []int{0, 15} {
			if b.Warps[0].Result[lane] != c.want || b.Warps[1].Result[lane] != c.want {
				t.Errorf("%+v: %d %d", c, b.Warps[0].Result[lane], b.Warps[1].Result[lane])
			}
		}
	}
	if b.Launch.Counters.BarrierWaits[WaitRed] != 10 {
		t.Error(b.Launch.Counters.BarrierWaits)
	}
}

func TestArriveDoesNotWait(t *testing.T) {
	b, woken := newBlock(64)
	if !b.Bar(&b.Warps[0], bar(1, 64, barrier.Arrive, 5)) || !b.Bar(&b.Warps[1], bar(1, 64, barrier.Sync, 6)) {
		t.Error("the producer goes on at once, the consumer finds it there")
	}
	if b.Bar(&b.Warps[1], bar(2, 64, barrier.Sync, 7)) {
		t.Error("the consumer waits")
	}
	if !b.Bar(&b.Warps[0], bar(2, 64, barrier.Arrive, 8)) || !slices.Equal(*woken, []int{1}) {
		t.Error("the producer wakes the consumer", *woken)
	}
}

func TestExits(t *testing.T) {
	b, woken := newBlock(96)
	b.Bar(&b.Warps[0], bar(0, 0, barrier.Sync, 5))
	b.Exited(&b.Warps[1], 0x0000FFFF)
	if b.Live != 80 {
		t.Error(b.Live)
	}
	b.Bar(&b.Warps[1], bar(0, 0, barrier.Sync, 5)) // its other half
	b.Exited(&b.Warps[2], 0xFFFFFFFF)
	if !slices.Equal(*woken, []int{0, 1}) {
		t.Error("the exit of the last one that is missing releases the barrier", *woken)
	}
	if b.Warps[1].Released != 0xFFFF0000 {
		t.Errorf("%x", b.Warps[1].Released)
	}
	b.Exited(&b.Warps[0], 0xFFFFFFFF)
	b.Exited(&b.Warps[1], 0xFFFFFFFF)
	if b.Live != 0 {
		t.Error("lanes exit once", b.Live)
	}
	b.End()
	if f := b.Launch.Findings.List(); len(f) != 0 {
		t.Error(f)
	}
}

func TestCountThatOnlyExitedThreadsCouldFill(t *testing.T) {
	b, woken := newBlock(128)
	b.Bar(&b.Warps[0], bar(1, 96, barrier.Sync, 5))
	b.Exited(&b.Warps[2], 0xFFFFFFFF)
	if len(*woken) != 0 {
		t.Fatal("warps 1 and 3 may still come")
	}
	b.Exited(&b.Warps[3], 0xFFFFFFFF)
	if !slices.Equal(*woken, []int{0}) {
		t.Fatal("only one live warp is left, two are needed", *woken)
	}
	f := b.Launch.Findings.List()
	if len(f) != 1 || f[0].Kind != kernel.BarrierMisuse || f[0].Severity != kernel.Warning || f[0].Accesses[0].Source.Line != 5 {
		t.Fatal(f)
	}
}

func TestRelieve(t *testing.T) {
	b, woken := newBlock(128)
	b.Exited(&b.Warps[3], 0xFFFFFFFF)
	b.Bar(&b.Warps[0], bar(1, 96, barrier.Sync, 5))
	b.Bar(&b.Warps[1], bar(1, 96, barrier.Sync, 5))
	b.Bar(&b.Warps[2], bar(2, 64, barrier.Sync, 7))
	if len(*woken) != 0 || !b.Relieve() {
		t.Fatal("at quiescence warp 2 cannot come, and warp 3 has exited")
	}
	// Barrier 2 lacks one warp too, and one has exited.
	if !slices.Equal(*woken, []int{0, 1, 2}) || b.Relieve() {
		t.Error(*woken)
	}
}

func TestMisuse(t *testing.T) {
	type arrival struct {
		warp int
		op   *BarOp
	}
	for _, c := range []struct {
		name     string
		arrivals []arrival
		want     string
		lines    []int
	}{
		{"id", []arrival{{0, bar(16, 0, barrier.Sync, 3)}}, "uses barrier 16: a block has the barriers 0 to 15", []int{3}},
		{"negative id", []arrival{{0, bar(-1, 0, barrier.Sync, 3)}}, "uses barrier -1", []int{3}},
		{"multiple", []arrival{{1, bar(2, 48, barrier.Sync, 3)}}, "warp 1 of block (0,0,0) enters barrier 2 with a count of 48 threads, which is not a positive multiple", []int{3}},
		{"large", []arrival{{1, bar(2, 256, barrier.Sync, 3)}}, "enters barrier 2 with a count of 256 threads, but the block has only 128", []int{3}},
		{"arrive", []arrival{{1, bar(2, 0, barrier.Arrive, 3)}}, "arrives at barrier 2 without a thread count", []int{3}},
		{"counts", []arrival{{0, bar(1, 96, barrier.Sync, 3)}, {2, bar(1, 64, barrier.Arrive, 8)}},
			"warp 2 of block (0,0,0) enters barrier 1 with a count of 64 threads, but warp 0 entered the same phase with a count of 96 threads", []int{8, 3}},
		{"none and count", []arrival{{0, bar(1, 0, barrier.Sync, 3)}, {2, bar(1, 64, barrier.Sync, 8)}},
			"with a count of 64 threads, but warp 0 entered the same phase with all threads of the block", []int{8, 3}},
		{"red", []arrival{{0, bar(1, 96, barrier.Arrive, 3)}, {2, bar(1, 96, barrier.Red, 8)}},
			"with barrier.red while warp 0 is there with barrier.arrive", []int{8, 3}},
		{"twice", []arrival{{0, bar(1, 96, barrier.Sync, 2)}, {1, bar(1, 96, barrier.Arrive, 3)}, {1, bar(1, 96, barrier.Arrive, 8)}},
			"warp 1 of block (0,0,0) comes to barrier 1 again", []int{8, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := newBlock(128)
			for _, a := range c.arrivals {
				b.Bar(&b.Warps[a.warp], a.op)
			}
			list := b.Launch.Findings.List()
			if len(list) != 1 {
				t.Fatal(list)
			}
			f := list[0]
			if f.Kind != kernel.BarrierMisuse || f.Severity != kernel.Error || f.Fix == "" || !strings.Contains(f.Message, c.want) {
				t.Errorf("%v %v: %s (%s)", f.Kind, f.Severity, f.Message, f.Fix)
			}
			var got []int
			for _, a := range f.Accesses {
				got = append(got, a.Source.Line)
			}
			if !slices.Equal(got, c.lines) {
				t.Error(got)
			}
		})
	}
}

func TestUnmatchedArrive(t *testing.T) {
	b, _ := newBlock(128)
	b.Bar(&b.Warps[1], bar(3, 64, barrier.Arrive, 7))
	for i := range b.Warps {
		b.Exited(&b.Warps[i], b.Warps[i].Lanes)
	}
	b.End()
	f := b.Launch.Findings.List()
	want := "block (0,0,0) ends with an unmatched arrive: warp 1 arrived at barrier 3, which takes 64 threads, and no phase was completed"
	if len(f) != 1 || f[0].Message != want || f[0].Accesses[0].Source.Line != 7 {
		t.Fatal(f)
	}
	b.Begin(0)
	b.End()
	if f := b.Launch.Findings.List(); f[0].Count != 1 {
		t.Error("the next block starts afresh", f)
	}
}

func TestWarpList(t *testing.T) {
	for m, want := range map[uint32]string{1: "warp 0", 8: "warp 3", 3: "warps 0-1", 0b1011: "warps 0-1, 3", 0xFFFFFFFF: "warps 0-31", 0x80000001: "warps 0, 31"} {
		if got := warpList(m); got != want {
			t.Errorf("%b: %s, want %s", m, got, want)
		}
	}
	if got := fmt.Sprint(laneList(1<<5), ";", laneList(0xF0)); got != "lane 5;lanes 4-7" {
		t.Error(got)
	}
}
