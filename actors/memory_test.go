package actors

import (
	"errors"
	"testing"

	"gpusim/exec"
	"gpusim/internal/toy"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/scheduler"
)

// The rules for buffers of all threads, through messages.
func TestHostAllocation(t *testing.T) {
	f := newFixture(t, scheduler.NewRandom(1))
	a, err := f.Alloc("a", kernel.Global, 100, true)
	if err != nil || a.ID != 100 || a.Size() != 100 || a.Space != kernel.Global || a.AllValid(0, 1) {
		t.Fatal(a, err)
	}
	b, err := f.Alloc("b", kernel.Const, 8, false)
	if err != nil || b.ID != 101 || b.Space != kernel.Const || !b.AllValid(0, 8) || f.Memory.Find(b.Base+7) != b {
		t.Fatal(b, err)
	}
	if r, err := f.call(&hostAlloc{thread: 1}); !errors.Is(err, memory.ErrThreadNotZero) {
		t.Error(r, err)
	}
	if r, err := f.call(&hostAlloc{block: 1}); !errors.Is(err, memory.ErrBlockNotZero) {
		t.Error(r, err)
	}
	if ok, err := f.Free(a); !ok || err != nil || !a.Freed {
		t.Error(ok, err)
	}
	if ok, _ := f.Free(a); ok {
		t.Error("freed twice")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Alloc("c", kernel.Global, 1, false); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// All threads of a block get the same shared variables, under ids that continue those of
// the host's buffers; the next block of the slot gets the same storage, uninitialised.
func TestCollectiveAllocation(t *testing.T) {
	for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
		f := newFixture(t, scheduler.NewRandom(1))
		f.Alloc("a", kernel.Global, 4, false)
		type seen struct {
			ids   [2]int
			valid bool
			first byte
		}
		blocks := map[uint64][]seen{}
		p := &toy.Program{
			Vars: []exec.SharedVar{{Name: "s", Size: 40}, {Name: "dyn", Dynamic: true}},
			Script: func(th *toy.Thread) []toy.Step {
				s := th.Block.Shared
				if len(s) != 2 || s[0].Size() != 40 || s[1].Size() != 256 || s[0].Base != memory.SharedBase || s[1].Base != memory.SharedBase+1<<memory.SharedShift {
					t.Fatal("shared variables of the wrong size or place", s)
				}
				blocks[th.Block.Linear] = append(blocks[th.Block.Linear], seen{[2]int{s[0].ID, s[1].ID}, s[0].InvalidBits(0, 8) != 1<<64-1, s[0].Data[5]})
				return []toy.Step{toy.Store(s[0], 5, 9)}
			},
		}
		l := newLaunch(f.Engine, p, 3, 64, g)
		l.DynShared = 256
		if err := f.Run(l, 1); err != nil || l.Stopped != "" {
			t.Fatal(err, l.Stopped)
		}
		threads := 2
		if g == exec.ByThread {
			threads = 64
		}
		for linear, list := range blocks {
			if len(list) != threads {
				t.Fatal(linear, len(list))
			}
			for _, x := range list {
				if x != (seen{ids: [2]int{101, 102}, first: 0xFF}) {
					t.Errorf("block %d: %+v", linear, x)
				}
			}
		}
		c := l.Counters
		if c.AllocRequests != 4 || c.MaxAllocQueue != 1 || c.AllocLatency < c.AllocRequests {
			t.Errorf("one request a turn: %d, queue %d, latency %d", c.AllocRequests, c.MaxAllocQueue, c.AllocLatency)
		}
	}
}

func TestSlotsHaveTheirOwnSharedMemory(t *testing.T) {
	f := newFixture(t, &scheduler.RoundRobin{})
	flag, _ := f.Alloc("flag", kernel.Global, 1, false)
	storage := map[*memory.Buffer]bool{}
	p := &toy.Program{Mixes: true, Vars: []exec.SharedVar{{Name: "s", Size: 4}}, Script: func(th *toy.Thread) []toy.Step {
		storage[th.Block.Shared[0]] = true
		return []toy.Step{toy.Add(flag, 0), toy.Until(3, flag, 0, 96)}
	}}
	l := newLaunch(f.Engine, p, 3, 32, exec.ByWarp)
	if err := f.Run(l, 3); err != nil || l.Stopped != "" || len(storage) != 3 {
		t.Error(err, l.Stopped, len(storage))
	}
}

func TestSharedVariablesHaveLimits(t *testing.T) {
	f := newFixture(t, scheduler.NewRandom(1))
	for _, vars := range [][]exec.SharedVar{make([]exec.SharedVar, memory.SharedSlots+1), {{Name: "big", Size: 1 << memory.SharedShift}}} {
		if err := f.Run(newLaunch(f.Engine, &toy.Program{Vars: vars}, 1, 1, exec.ByWarp), 1); err == nil {
			t.Error("accepted")
		}
	}
}

func TestScrub(t *testing.T) {
	for _, n := range []int64{0, 1, 3, 64, 100} {
		b := memory.NewBuffer(0, "s", kernel.Shared, 0, n, true)
		b.SetValid(0, n, true)
		scrub(b)
		for i, x := range b.Data {
			if x != 0xFF {
				t.Fatal(n, i, x)
			}
		}
		if b.CountInvalid() != n {
			t.Error(n, b.CountInvalid())
		}
	}
}
