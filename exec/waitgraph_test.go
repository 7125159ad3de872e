package exec

import (
	"strings"
	"testing"

	"gpusim/barrier"
	"gpusim/kernel"
)

func src(line int) kernel.Source { return kernel.Source{File: "k.cu", Line: line} }

const allLanes = 0xFFFFFFFF

// A warp spins on a flag that nobody sets, the others wait for it at a barrier.
func spinBeforeBarrier(t *testing.T, warps int) *Block {
	t.Helper()
	b, _ := newBlock(uint32(32 * warps))
	for i := 1; i < warps; i++ {
		b.Bar(&b.Warps[i], bar(0, 0, barrier.Sync, 12))
	}
	return b
}

func barrierWaits(warps ...int) []Wait {
	var list []Wait
	for _, w := range warps {
		list = append(list, Wait{Warp: w, Lanes: allLanes, Source: src(12), On: OnBarrier})
	}
	return list
}

func TestHang(t *testing.T) {
	spin := Wait{Warp: 0, Lanes: allLanes, Source: src(9), On: OnMemory, What: "a change of flag at offset 0"}
	for _, c := range []struct {
		name       string
		stuck      func() []Stuck
		notStarted uint64
		kind       kernel.Kind
		message    string
		waits      int
		needs      string // of the first wait
		fix        string
	}{
		{"barrier and spin", func() []Stuck {
			return []Stuck{{Block: spinBeforeBarrier(t, 8), Waits: append([]Wait{spin}, barrierWaits(1, 2, 3, 4, 5, 6, 7)...)}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warps 1-7 wait at barrier 0 (k.cu:12) for warp 0, which spins at k.cu:9 on flag at offset 0",
			8, "a change of flag at offset 0, but no thread is left that could make it", "do not spin"},

		{"livelock", func() []Stuck {
			b, _ := newBlock(64)
			other := spin
			other.Warp = 1
			return []Stuck{{Block: b, Waits: []Wait{spin, other}}}
		}, 0, kernel.Livelock,
			"block (0,0,0): warp 0 spins at k.cu:9 on flag at offset 0; warp 1 spins at k.cu:9 on flag at offset 0",
			2, "a change of flag at offset 0, but no thread is left that could make it", "make sure that some thread still writes"},

		{"empty loop", func() []Stuck {
			b, _ := newBlock(32)
			return []Stuck{{Block: b, Waits: []Wait{{Warp: 0, Lanes: allLanes, Source: src(4), On: OnMemory, What: "a loop that reads no memory and changes nothing"}}}}
		}, 0, kernel.Livelock,
			"block (0,0,0): warp 0 spins at k.cu:4 in a loop that reads no memory and changes nothing",
			1, "nothing: the loop has no way out", "make sure"},

		{"blocks that cannot start", func() []Stuck {
			b, _ := newBlock(32)
			return []Stuck{{Block: b, Waits: []Wait{spin}}}
		}, 3, kernel.Deadlock,
			"block (0,0,0): warp 0 spins at k.cu:9 on flag at offset 0; 3 blocks can never start, because the device holds at most 2 blocks of this launch at once",
			1, "a change of flag at offset 0, perhaps by a block that can never start", "launch at most 2 blocks"},

		{"two barriers", func() []Stuck {
			b, _ := newBlock(64)
			b.Bar(&b.Warps[0], bar(0, 0, barrier.Sync, 12))
			b.Bar(&b.Warps[1], bar(1, 0, barrier.Sync, 15))
			return []Stuck{{Block: b, Inside: true, Waits: []Wait{
				{Warp: 0, Lanes: allLanes, Source: src(12), On: OnBarrier, Barrier: 0}, {Warp: 1, Lanes: allLanes, Source: src(15), On: OnBarrier, Barrier: 1}}}}
		}, 5, kernel.Deadlock,
			"block (0,0,0): warp 0 waits at barrier 0 (k.cu:12) for warp 1, which waits at barrier 1 (k.cu:15) for warp 0",
			2, "warp 1", "let every live thread"},

		{"count", func() []Stuck {
			b, _ := newBlock(128)
			b.Bar(&b.Warps[0], bar(1, 96, barrier.Sync, 12))
			b.Exited(&b.Warps[1], allLanes)
			return []Stuck{{Block: b, Inside: true, Waits: []Wait{{Warp: 0, Lanes: allLanes, Source: src(12), On: OnBarrier, Barrier: 1}}}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warp 0 waits at barrier 1 (k.cu:12) for 64 more threads of the 96 that it counts (of warps 2-3)",
			1, "64 more threads of the 96 that it counts (of warps 2-3)", "let every live thread"},

		{"count that nobody can meet", func() []Stuck {
			b, _ := newBlock(64)
			for i := range b.Warps {
				b.Bar(&b.Warps[i], bar(1, 96, barrier.Sync, 12))
			}
			b.Launch.Findings = &Findings{} // without the misuse
			waits := barrierWaits(0, 1)
			waits[0].Barrier, waits[1].Barrier = 1, 1
			return []Stuck{{Block: b, Inside: true, Waits: waits}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warps 0-1 wait at barrier 1 (k.cu:12) for 32 more threads of the 96 that it counts, but no live warp is left",
			2, "32 more threads of the 96 that it counts, but no live warp is left", "let every live thread"},

		{"two warps are missing", func() []Stuck {
			b, _ := newBlock(96)
			b.Bar(&b.Warps[2], bar(0, 0, barrier.Sync, 12))
			second := spin
			second.Warp, second.Lanes = 1, 1
			return []Stuck{{Block: b, Waits: append(barrierWaits(2), spin, second, Wait{Warp: 1, Lanes: 0xFFFFFFFE, Source: src(14), On: OnBarrier, Barrier: 1})}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warp 2 waits at barrier 0 (k.cu:12) for warps 0-1, of which warp 0 spins at k.cu:9 on flag at offset 0, " +
				"of which lane 0 of warp 1 spins at k.cu:9 on flag at offset 0, of which lanes 1-31 of warp 1 wait at barrier 1 (k.cu:14) for lane 0 of the warp",
			4, "a change of flag at offset 0, but no thread is left that could make it", "move the barrier"},

		{"half of the missing warp", func() []Stuck {
			b := spinBeforeBarrier(t, 2)
			lane := spin
			lane.Lanes = 1
			return []Stuck{{Block: b, Waits: append(barrierWaits(1), lane, Wait{Warp: 0, Lanes: 0xFFFFFFFE, Source: src(12), On: OnBarrier})}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warp 1 waits at barrier 0 (k.cu:12) for warp 0, whose lane 0 spins at k.cu:9 on flag at offset 0, whose lanes 1-31 wait at barrier 0 (k.cu:12) for lane 0 of the warp",
			3, "a change of flag at offset 0, but no thread is left that could make it", "move the barrier"},

		{"many waits in a block", func() []Stuck {
			b, _ := newBlock(256)
			var waits []Wait
			for i := range 8 {
				w := spin
				w.Warp, w.Source = i, src(20+i)
				waits = append(waits, w)
			}
			return []Stuck{{Block: b, Waits: waits}}
		}, 0, kernel.Livelock,
			"block (0,0,0): warp 0 spins at k.cu:20 on flag at offset 0; warp 1 spins at k.cu:21 on flag at offset 0; warp 2 spins at k.cu:22 on flag at offset 0; warp 3 spins at k.cu:23 on flag at offset 0; and 4 more of its waits",
			8, "a change of flag at offset 0, but no thread is left that could make it", "make sure"},

		{"part of a warp", func() []Stuck {
			b, _ := newBlock(32)
			return []Stuck{{Block: b, Waits: []Wait{
				{Warp: 0, Lanes: 0xFFFFFFFE, Source: src(12), On: OnBarrier}, {Warp: 0, Lanes: 1, Source: src(9), On: OnMemory, What: "a change of lock at offset 4"}}}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): lane 0 of warp 0 spins at k.cu:9 on lock at offset 4; lanes 1-31 of warp 0 wait at barrier 0 (k.cu:12) for lane 0 of the warp",
			2, "a change of lock at offset 4, but no thread is left that could make it", "move the barrier out of the divergent code"},

		{"collective", func() []Stuck {
			b, _ := newBlock(32)
			return []Stuck{{Block: b, Inside: true, Waits: []Wait{
				{Warp: 0, Lanes: 0xFFFF, Source: src(7), On: OnCollective, What: "shfl.sync.idx with mask 0xffffffff", Missing: 0xFFFF0000},
				{Warp: 0, Lanes: 0xFFFF0000, Source: src(12), On: OnBarrier}}}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): lanes 0-15 of warp 0 wait at shfl.sync.idx with mask 0xffffffff (k.cu:7) for lanes 16-31; lanes 16-31 of warp 0 wait at barrier 0 (k.cu:12) for lanes 0-15 of the warp",
			2, "lanes 16-31 of warp 0", "name in the mask only lanes"},

		{"lane by lane", func() []Stuck { // as thread actors tell it
			b := spinBeforeBarrier(t, 2)
			var waits []Wait
			for l := range 32 {
				waits = append(waits, Wait{Warp: 1, Lanes: 1 << l, Source: src(12), On: OnBarrier})
			}
			for l := range 32 {
				w := spin
				w.Lanes = 1 << l
				waits = append(waits, w)
			}
			return []Stuck{{Block: b, Waits: waits}}
		}, 0, kernel.Deadlock,
			"block (0,0,0): warp 1 waits at barrier 0 (k.cu:12) for warp 0, which spins at k.cu:9 on flag at offset 0",
			2, "a change of flag at offset 0, but no thread is left that could make it", "do not spin"},

		{"many blocks", func() []Stuck {
			var list []Stuck
			for i := range uint64(40) {
				b, _ := newBlock(32)
				b.Linear, b.Index.X = 39-i, uint32(39-i)
				list = append(list, Stuck{Block: b, Waits: []Wait{spin}})
			}
			return list
		}, 0, kernel.Livelock,
			"block (0,0,0): warp 0 spins at k.cu:9 on flag at offset 0; and 39 further blocks that hang too (32 of 40 waits are listed)",
			32, "a change of flag at offset 0, but no thread is left that could make it", "make sure"},

		{"only the blocks that nobody can help", func() []Stuck {
			a, _ := newBlock(32)
			b, _ := newBlock(64)
			a.Linear, b.Linear, b.Index.X = 4, 1, 1
			b.Bar(&b.Warps[0], bar(0, 0, barrier.Sync, 12))
			return []Stuck{{Block: a, Waits: []Wait{spin}}, {Block: b, Inside: true, Waits: barrierWaits(0)}}
		}, 9, kernel.Deadlock,
			"block (1,0,0): warp 0 waits at barrier 0 (k.cu:12) for warp 1", 1, "warp 1", "let every live thread"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stuck := c.stuck()
			l := stuck[0].Block.Launch
			ReportHang(l, stuck, c.notStarted, 2)
			list := l.Findings.List()
			if len(list) != 1 || l.Stopped != string(c.kind) {
				t.Fatal(list, l.Stopped)
			}
			f := list[0]
			if f.Kind != c.kind || f.Severity != kernel.Error || f.Message != c.message {
				t.Errorf("%v %v\n got %s\nwant %s", f.Kind, f.Severity, f.Message, c.message)
			}
			if len(f.Waits) != c.waits || f.Waits[0].Needs != c.needs || !strings.HasPrefix(f.Fix, c.fix) {
				t.Errorf("%d waits, first %+v, fix %q", len(f.Waits), f.Waits[0], f.Fix)
			}
		})
	}
}
