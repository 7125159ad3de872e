package array

import (
	"fmt"
	"iter"
	"slices"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
)

// Program is a kernel whose threads are coroutines.
type Program struct {
	// Kernel is run by every thread.
	Kernel func(t *Thread)
	// Place resolves the sites that the kernel gives to the methods of Thread.
	Place func(site int) kernel.Source
	// ThreadAxis: the kernel has an axis of threads, so that allocations are collective.
	ThreadAxis bool
	// Races turns race detection on.
	Races bool
	// Zero: uninitialised memory holds zeros, and reading it is not reported.
	Zero bool

	detector *region.Detector
	objects  []string // by the numbers that the detector knows
	spaces   []kernel.Space
	shadows  map[*memory.Buffer]*region.Shadow
	globals  map[*memory.Buffer]*Buffer
	launch   *exec.Launch
	races    bool
}

// SharedVars implements exec.Program: everything is allocated in scopes.
func (p *Program) SharedVars() []exec.SharedVar { return nil }

// OrdersBlocks implements exec.Program.
func (p *Program) OrdersBlocks() bool { return false }

// AllocatesInScopes implements exec.ScopedAllocator.
func (p *Program) AllocatesInScopes() bool { return true }

// Source implements exec.Program.
func (p *Program) Source(site int) kernel.Source { return p.Place(site) }

// Threads implements exec.Program: one for every thread of the block, whatever the
// granularity.
func (p *Program) Threads(b *exec.Block) []exec.Thread {
	if p.launch != b.Launch {
		p.begin(b.Launch)
	}
	s := &blockState{program: p, block: b}
	list := make([]exec.Thread, b.Launch.Block.Count())
	for i := range list {
		list[i] = &Thread{state: s, ID: i}
	}
	return list
}

func (p *Program) begin(l *exec.Launch) {
	p.launch = l
	p.races = p.Races && l.Race != nil
	p.detector = &region.Detector{Report: p.race}
	p.objects, p.spaces = nil, nil
	p.shadows, p.globals = map[*memory.Buffer]*region.Shadow{}, map[*memory.Buffer]*Buffer{}
}

// shadow makes the shadow of a buffer.
func (p *Program) shadow(b *memory.Buffer) *region.Shadow {
	p.objects, p.spaces = append(p.objects, b.Name), append(p.spaces, b.Space)
	return &region.Shadow{Object: len(p.objects) - 1}
}

// Global is a buffer of the host as the kernel's threads see it; fresh says that the host
// has written nothing there.
func (p *Program) Global(m *memory.Buffer, d DType, shape []int, fresh bool) *Buffer {
	if b := p.globals[m]; b != nil {
		return b
	}
	b := &Buffer{Buffer: m, Type: d, Dims: shape, shadow: p.shadow(m)}
	if fresh && !p.Zero {
		b.undefine()
	}
	p.globals[m] = b
	return b
}

// undefine fills a buffer as JAX fills uninitialised memory.
func (b *Buffer) undefine() {
	size := b.Type.Size()
	for off := 0; off < len(b.Data); off += size {
		store(b.Data[off:], size, b.Type.undefined())
	}
}

// blockState is what the threads of the block that a slot runs share.
type blockState struct {
	program  *Program
	block    *exec.Block
	clock    *region.Block
	buffers  map[memory.AllocKey]*Buffer
	barriers map[memory.AllocKey]*Barrier
}

func (s *blockState) reset(threads int) {
	s.clock = s.program.detector.Begin(s.block.Linear, threads)
	s.buffers, s.barriers = map[memory.AllocKey]*Buffer{}, map[memory.AllocKey]*Barrier{}
}

// Thread is one thread of a kernel. Its methods may be called by the kernel only, while
// it runs.
type Thread struct {
	ID    int
	state *blockState
	clock *region.Thread

	next    func() (exec.Outcome, bool)
	stop    func()
	yield   func(exec.Outcome) bool
	budget  int
	waitsOn *Barrier
	site    int

	open   []pending   // copies to global memory of the group that is not committed
	reads  [][]pending // groups whose reads no wait has covered
	writes [][]pending // groups whose completion no wait has covered
}

// pending is a copy to global memory, and where it was issued.
type pending struct {
	*region.Op
	site int
}

// stopped unwinds a kernel whose launch is over.
type stopped struct{}

// Start implements exec.Thread.
func (t *Thread) Start() {
	s := t.state
	if t.ID == 0 {
		s.reset(int(s.block.Launch.Block.Count()))
	}
	t.clock = s.clock.Thread(t.ID)
	t.waitsOn, t.open, t.reads, t.writes, t.site = nil, nil, nil, nil, -1
	t.Close()
	t.next, t.stop = iter.Pull(func(yield func(exec.Outcome) bool) {
		t.yield = yield
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(stopped); !ok {
					panic(v)
				}
			}
		}()
		s.program.Kernel(t)
		t.finish()
	})
}

// Step implements exec.Thread.
func (t *Thread) Step(budget int) exec.Outcome {
	l := t.state.block.Launch
	if l.Stopped != "" {
		return exec.Aborted
	}
	t.budget = budget
	if o, ok := t.next(); ok {
		return o
	}
	if l.Stopped != "" {
		return exec.Aborted
	}
	w := &t.state.block.Warps[t.ID/32]
	t.state.block.Exited(w, 1<<(t.ID%32))
	return exec.Done
}

// Close implements exec.Closer: it unwinds a kernel that has not come to its end.
func (t *Thread) Close() {
	if t.stop != nil {
		t.stop()
		t.next, t.stop = nil, nil
	}
}

// Where implements exec.Locator.
func (t *Thread) Where() string { return exec.Place(t.source()) }

// Block is the linear index of the thread's block in the grid.
func (t *Thread) Block() uint64 { return t.state.block.Linear }

// Memory is the device's global memory.
func (t *Thread) Memory() *memory.Map { return t.state.block.Launch.Memory }

// Print appends to what the kernel prints.
func (t *Thread) Print(s string) { t.state.block.Launch.Output.Print(s) }

// At says where in the user's program the next operations stand.
func (t *Thread) At(site int) {
	t.site = site
	t.Tick(1)
}

// Tick counts n operations, and lets others run when the thread's turn is over.
func (t *Thread) Tick(n int) {
	l := t.state.block.Launch
	l.Now++
	l.Counters.WarpInstructions++
	l.Counters.LaneSlots++
	l.Counters.ThreadInstructions++
	if l.Budget--; l.Budget < 0 {
		l.Stop("instruction budget used up", false)
		panic(stopped{})
	}
	if t.budget -= n; t.budget < 0 {
		t.suspend(exec.Yielded)
	}
}

// suspend ends the thread's quantum.
func (t *Thread) suspend(o exec.Outcome) {
	if !t.yield(o) || t.state.block.Launch.Stopped != "" {
		panic(stopped{})
	}
}

func (t *Thread) source() kernel.Source { return t.state.program.Place(t.site) }

func (t *Thread) id() kernel.ThreadID {
	return t.state.block.ThreadID(t.ID/32, t.ID%32)
}

// name is the thread as JAX's messages show it.
func (t *Thread) name() string {
	return fmt.Sprintf("Warpgroup(device_id=0, cluster_id=0, block_id=0, warpgroup_id=%d)", t.ID)
}

// report adds a finding about what the thread is doing.
func (t *Thread) report(f kernel.Finding, kind kernel.Kind, severity kernel.Severity, detail string) {
	l := t.state.block.Launch
	key := exec.Key{Kind: kind, Severity: severity, Launch: l.Index, Site: [2]int{t.site, -1}, Object: -1, Detail: detail}
	l.Findings.Report(key, func() kernel.Finding {
		f.Kernel = l.Kernel
		if len(f.Accesses) == 0 {
			f.Accesses = []kernel.Access{{Source: t.source(), Thread: t.id()}}
		}
		return f
	})
}

// Fail reports an error of the kernel that leaves no result, and ends the launch.
func (t *Thread) Fail(kind kernel.Kind, op, message, fix string) {
	t.report(kernel.Finding{Message: message, Fix: fix, Accesses: []kernel.Access{{Op: op, Source: t.source(), Thread: t.id()}}}, kind, kernel.Error, message)
	t.state.block.Launch.Stop(string(kind), true)
	panic(stopped{})
}

// finish checks that the thread leaves nothing behind.
func (t *Thread) finish() {
	if left := append(slices.Concat(t.reads...), t.open...); len(left) > 0 && t.state.program.races {
		t.site = left[0].site
		t.Fail(kernel.AsyncMisuse, "copy", fmt.Sprintf("Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread %s.", t.name()),
			"wait with wait_smem_to_gmem(0) before the kernel ends")
	}
}
