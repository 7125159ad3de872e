package actors

import (
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"strings"
	"testing"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/internal/toy"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/scheduler"
	"gpusim/shape"
)

// fixture is an engine, a launch for it and the trace of the policy's choices.
type fixture struct {
	*Engine
	trace *traceHash
}

type traceHash struct {
	n   int
	sum uint64
}

func newFixture(t testing.TB, policy scheduler.Policy) *fixture {
	t.Helper()
	f := &fixture{Engine: NewEngine(Config{Policy: policy}), trace: &traceHash{}}
	h := fnv.New64a()
	f.loop.observe = func(id int32) {
		fmt.Fprintln(h, id)
		f.trace.n++
		f.trace.sum = h.Sum64()
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if f.loop.alive != 0 {
			t.Errorf("%d actors have not stopped", f.loop.alive)
		}
	})
	return f
}

func newLaunch(e *Engine, p exec.Program, grid, block uint32, g exec.Granularity) *exec.Launch {
	return &exec.Launch{Program: p, Kernel: "k", Grid: kernel.Dim3{X: grid, Y: 1, Z: 1}, Block: kernel.Dim3{X: block, Y: 1, Z: 1}, Granularity: g,
		Memory: e.Memory, Shapes: shape.NewTable(), Findings: &exec.Findings{}, Counters: &exec.Counters{}, Budget: 1 << 40, Uninit: true}
}

// mixing is a program whose blocks and threads all communicate.
func mixing(b *memory.Buffer) *toy.Program {
	return &toy.Program{Mixes: true, Vars: []exec.SharedVar{{Name: "tile", Size: 64}}, Script: func(t *toy.Thread) []toy.Step {
		return []toy.Step{toy.Run(100), toy.Add(b, 0), toy.Bar(3, 0, 0, barrier.Sync), toy.Run(300), toy.Add(b, 1), toy.Bar(5, 0, 0, barrier.Sync)}
	}}
}

func TestOneSeedOneTrace(t *testing.T) {
	trace := func(seed uint64, procs int, g exec.Granularity) traceHash {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		f := newFixture(t, scheduler.NewRandom(seed))
		b, err := f.Alloc("x", kernel.Global, 16, false)
		if err != nil {
			t.Fatal(err)
		}
		l := newLaunch(f.Engine, mixing(b), 20, 96, g)
		if err := f.Run(l, 8); err != nil || l.Stopped != "" {
			t.Fatal(err, l.Stopped)
		}
		if b.Data[0] != 128 || b.Data[1] != 128 { // 20*96 mod 256
			t.Fatal(b.Data[:2])
		}
		return *f.trace
	}
	for _, g := range []exec.Granularity{exec.ByWarp, exec.ByThread} {
		a := trace(1, 1, g)
		if a.n < 20 {
			t.Fatal("too little happened:", a.n)
		}
		for range 2 {
			if b := trace(1, 2, g); a != b {
				t.Errorf("granularity %d: %v and %v differ with one seed", g, a, b)
			}
		}
		if b := trace(2, 1, g); a == b {
			t.Error("another seed gives the same trace")
		}
	}
}

func TestRoundRobinTrace(t *testing.T) {
	f := newFixture(t, &scheduler.RoundRobin{})
	b, _ := f.Alloc("x", kernel.Global, 16, false)
	l := newLaunch(f.Engine, mixing(b), 20, 96, exec.ByWarp)
	if err := f.Run(l, 8); err != nil || l.Stopped != "" || b.Data[1] != 128 {
		t.Fatal(err, l.Stopped, b.Data[:2])
	}
}

// Slots, and with them actors, are made once and used for block after block.
func TestActorsAreMadeOncePerSlot(t *testing.T) {
	made := 0
	p := &toy.Program{Script: func(*toy.Thread) []toy.Step { return []toy.Step{toy.Run(1)} }}
	f := newFixture(t, scheduler.NewRandom(1))
	l := newLaunch(f.Engine, counting{p, &made}, 500, 64, exec.ByWarp)
	before := len(f.loop.boxes)
	if err := f.Run(l, 100); err != nil {
		t.Fatal(err)
	}
	if made != 1 || len(f.loop.boxes)-before != 3 {
		t.Errorf("%d slots, %d actors: want 1 slot of 3 actors", made, len(f.loop.boxes)-before)
	}
	if c := l.Counters; c.BlocksDone != 500 || c.Messages > 500*3+20 {
		t.Errorf("%d blocks, %d messages: want two threads' and one block's a block", c.BlocksDone, c.Messages)
	}
}

type counting struct {
	*toy.Program
	made *int
}

func (c counting) Threads(b *exec.Block) []exec.Thread {
	*c.made++
	return c.Program.Threads(b)
}

// Further blocks start only when those in progress wait.
func TestBlocksStartLazily(t *testing.T) {
	f := newFixture(t, scheduler.NewRandom(3))
	flag, _ := f.Alloc("flag", kernel.Global, 1, false)
	made := 0
	p := &toy.Program{Script: func(t *toy.Thread) []toy.Step {
		switch t.Block.Linear {
		case 0:
			return []toy.Step{toy.Until(4, flag, 0, 1)}
		case 5:
			return []toy.Step{toy.Store(flag, 0, 1)}
		}
		return []toy.Step{toy.Run(1)}
	}}
	l := newLaunch(f.Engine, counting{p, &made}, 10, 32, exec.ByWarp)
	if err := f.Run(l, 100); err != nil || l.Stopped != "" || l.Counters.BlocksDone != 10 {
		t.Fatal(err, l.Stopped, l.Counters.BlocksDone)
	}
	if made != 2 {
		t.Errorf("%d slots: block 0 waits in one, the others follow each other in a second", made)
	}
	if l.Counters.Quanta > 12 {
		t.Error("a parked thread runs again only when its bytes change:", l.Counters.Quanta)
	}
}

// A wake while a thread is queued or runs never makes a second message.
func TestOneMessageAThread(t *testing.T) {
	f := newFixture(t, &scheduler.RoundRobin{})
	var depth int
	p := &toy.Program{Script: func(t *toy.Thread) []toy.Step {
		if t.Warp.Index == 0 {
			return []toy.Step{func(t *toy.Thread) toy.Result {
				for range 3 {
					t.Block.Wake(0)
					t.Block.Wake(1)
				}
				depth = max(depth, f.loop.maxQueue)
				return toy.Next
			}}
		}
		return []toy.Step{toy.Run(1)}
	}}
	l := newLaunch(f.Engine, p, 1, 64, exec.ByWarp)
	if err := f.Run(l, 1); err != nil || l.Counters.Quanta != 2 {
		t.Error(err, l.Counters.Quanta)
	}
	if depth != 1 {
		t.Error("queue of", depth)
	}
}

// A wake that comes while the thread still runs is not lost.
func TestWakeWhileRunning(t *testing.T) {
	f := newFixture(t, &scheduler.RoundRobin{})
	first := true
	p := &toy.Program{Script: func(*toy.Thread) []toy.Step {
		return []toy.Step{func(t *toy.Thread) toy.Result {
			if first {
				first = false
				t.Block.Wake(0)
				return toy.Park
			}
			return toy.Next
		}}
	}}
	l := newLaunch(f.Engine, p, 1, 32, exec.ByWarp)
	if err := f.Run(l, 1); err != nil || l.Stopped != "" || l.Counters.Quanta != 2 {
		t.Error(err, l.Stopped, l.Counters.Quanta)
	}
}

// mixed is a warp of which some lanes wait at a barrier and others spin on memory that
// block 1 changes.
type mixed struct {
	empty
	flag *memory.Buffer
}

func (p *mixed) Threads(b *exec.Block) []exec.Thread {
	return []exec.Thread{&mixedThread{emptyThread: emptyThread{b, &b.Warps[0]}, flag: p.flag}}
}

type mixedThread struct {
	emptyThread
	flag *memory.Buffer
}

func (t *mixedThread) Step(n int) exec.Outcome {
	switch {
	case t.block.Linear == 1:
		t.flag.Data[0] = 1
		t.flag.Changed(0, 1)
	case t.flag.Data[0] == 0:
		t.flag.AddWatch(&memory.Watch{Len: 1, Wake: func() { t.block.Wake(0) }})
		return exec.Blocked
	}
	return t.emptyThread.Step(n)
}

func (t *mixedThread) Waits() []exec.Wait {
	return []exec.Wait{{Lanes: 1, On: exec.OnBarrier}, {Lanes: 2, On: exec.OnMemory, What: "a change of flag"}}
}

// A block with a lane that spins may be helped from outside: no verdict before a further
// block has had its chance.
func TestBlockedAndSpinningInOneWarp(t *testing.T) {
	f := newFixture(t, &scheduler.RoundRobin{})
	flag, _ := f.Alloc("flag", kernel.Global, 1, false)
	l := newLaunch(f.Engine, &mixed{flag: flag}, 2, 32, exec.ByWarp)
	if err := f.Run(l, 2); err != nil || l.Stopped != "" || len(l.Findings.List()) != 0 {
		t.Error(err, l.Stopped, l.Findings.List())
	}
}

func TestPanicInAThread(t *testing.T) {
	cause := errors.New("boom")
	f := newFixture(t, scheduler.NewRandom(1))
	p := &toy.Program{Script: func(t *toy.Thread) []toy.Step {
		if t.Block.Linear == 1 && t.Warp.Index == 2 {
			return []toy.Step{toy.Run(1), toy.Panic(cause)}
		}
		return []toy.Step{toy.Bar(1, 0, 0, barrier.Sync)}
	}}
	err := f.Run(newLaunch(f.Engine, p, 4, 96, exec.ByWarp), 4)
	var p1 *ThreadPanic
	if !errors.As(err, &p1) || p1.Value != cause || p1.Instruction != "step 1" || p1.Thread.Block.X != 1 || p1.Thread.Thread.X != 64 {
		t.Fatalf("%#v", err)
	}
	if !strings.Contains(string(p1.Stack), "toy.(*Thread).Step") {
		t.Errorf("%s", p1.Stack)
	}
	if _, err := f.Alloc("x", kernel.Global, 1, false); !errors.Is(err, ErrClosed) {
		t.Error("a failed engine is closed", err)
	}
}

func TestPanicInAFrontEnd(t *testing.T) {
	f := newFixture(t, scheduler.NewRandom(1))
	p := &toy.Program{Script: func(*toy.Thread) []toy.Step { panic("no script") }}
	err := f.Run(newLaunch(f.Engine, p, 4, 96, exec.ByWarp), 4)
	var p1 *Panic
	if !errors.As(err, &p1) || p1.Value != "no script" {
		t.Fatalf("%#v", err)
	}
}

func TestInterrupt(t *testing.T) {
	stop := make(chan struct{})
	e := NewEngine(Config{Policy: &scheduler.RoundRobin{}, Interrupt: stop})
	defer e.Close()
	p := &toy.Program{Script: func(*toy.Thread) []toy.Step {
		n := 0
		return []toy.Step{func(*toy.Thread) toy.Result {
			if n++; n == 1_000_000 {
				close(stop)
			}
			return toy.Again
		}}
	}}
	l := newLaunch(e, p, 1, 32, exec.ByWarp)
	if err := e.Run(l, 1); err != nil || l.Stopped != "interrupted" || len(l.Findings.List()) != 0 {
		t.Error(err, l.Stopped)
	}
}

func TestLaunchesFollowEachOther(t *testing.T) {
	f := newFixture(t, scheduler.NewRandom(1))
	b, _ := f.Alloc("x", kernel.Global, 16, false)
	for range 5 {
		l := newLaunch(f.Engine, mixing(b), 4, 64, exec.ByWarp)
		if err := f.Run(l, 2); err != nil || l.Stopped != "" {
			t.Fatal(err, l.Stopped)
		}
		if f.loop.alive != 2 {
			t.Fatal("a launch's actors stop with it:", f.loop.alive)
		}
	}
	if b.Data[1] != 0 { // 5*4*64 mod 256
		t.Error(b.Data[:2])
	}
}
