package array

import (
	"fmt"
	"iter"
	"slices"

	"gpusim/barrier"
	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Thread is one thread of a kernel, a warpgroup, or one of its warps. Its methods may be
// called by the kernel only, while it runs.
type Thread struct {
	ID         int // in its block
	blockIndex int // in its cluster
	index      int // in its cluster
	warp       int // -1: it is a warpgroup
	cluster    *cluster
	clock      *region.Thread

	next   func() (exec.Outcome, bool)
	stop   func()
	yield  func(exec.Outcome) bool
	budget int
	wait   waitFor
	site   int
	out    bool // it has come to its end

	work      func(*Thread) // of a warp: what its thread has it do
	working   int           // of a thread: warps that have not come to the end of their work
	smemTop   int64         // physical memory that its scopes take, in bytes
	tmemTop   int64
	bodies    int // collective scopes that it has entered
	registers int // that its accumulators take

	copies   outgoing
	incoming outgoing // copies to shared memory without a barrier
	wgmmas   []*operation
	stores   []*operation // to tensor memory, not committed
	loads    []*operation
	left     []*Barrier // that it has waited on, and released since it last allocated one
}

// waitFor is what a thread waits for, for the wait-for graph.
type waitFor interface {
	waits(t *Thread) exec.Wait
}

// stopped unwinds a kernel whose launch is over.
type stopped struct{}

// Start implements exec.Thread.
func (t *Thread) Start() {
	c := t.cluster
	if t.index == 0 {
		c.begin()
	}
	*t = Thread{ID: t.ID, blockIndex: t.blockIndex, index: t.index, warp: t.warp, cluster: c, stop: t.stop,
		clock: c.clock.Thread(t.index), site: -1}
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
		if t.warp >= 0 {
			t.runWarp()
			return
		}
		if !c.skip {
			c.program.Kernel(t)
			t.finish()
		}
		t.out = true
		t.releaseWarps()
	})
}

// Step implements exec.Thread.
func (t *Thread) Step(budget int) exec.Outcome {
	l := t.cluster.block.Launch
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
	if t.warp < 0 {
		t.cluster.block.Exited(&t.cluster.block.Warps[t.index/32], 1<<(t.index%32))
	}
	return exec.Done
}

// Close implements exec.Closer: it unwinds a kernel that has not come to its end.
func (t *Thread) Close() {
	if t.stop != nil {
		t.stop()
		t.next, t.stop = nil, nil
	}
}

// Waits implements exec.Thread.
func (t *Thread) Waits() []exec.Wait {
	if t.wait == nil {
		return nil
	}
	w := t.wait.waits(t)
	of, id := t.warpgroup(), t.id()
	w.Warp, w.Lanes, w.Source, w.On, w.Who, w.ID = of.index/32, 1<<(of.index%32), t.source(), exec.OnObject, t.who(), &id
	if len(t.cluster.blocks) > 1 || t.program().devices() > 1 {
		w.Who, w.Named = t.where(), true
	}
	return []exec.Wait{w}
}

// Where implements exec.Locator.
func (t *Thread) Where() string { return exec.Place(t.source()) }

// Identity implements exec.Identified.
func (t *Thread) Identity() kernel.ThreadID { return t.id() }

// Device is the number of the device that the thread runs on.
func (t *Thread) Device() int { return t.cluster.device }

// Point is the coordinates of the thread's cluster in the grid.
func (t *Thread) Point() []int { return t.cluster.coords }

// InCluster is the coordinates of the thread's block in its cluster.
func (t *Thread) InCluster() []int {
	return coordinates(t.blockIndex, t.cluster.program.Cluster)
}

// Warp is the number of the warp in its thread, -1 for a thread that is not a warp.
func (t *Thread) Warp() int { return t.warp }

// Memory is the device's global memory.
func (t *Thread) Memory() *memory.Map { return t.launch().Memory }

// Print appends to what the kernel prints.
func (t *Thread) Print(s string) { t.launch().Output.Print(s) }

// At says where in the user's program the next operations stand.
func (t *Thread) At(site int) {
	t.site = site
	t.Tick(1)
}

// Tick counts n operations, and lets others run when the thread's turn is over.
func (t *Thread) Tick(n int) {
	l := t.launch()
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
	if !t.yield(o) || t.launch().Stopped != "" {
		panic(stopped{})
	}
}

// await suspends the thread until somebody wakes it.
func (t *Thread) await(w waitFor) {
	t.wait = w
	t.suspend(exec.Blocked)
	t.wait = nil
}

// wake lets a waiting thread go on.
func (t *Thread) wake() { t.cluster.block.Wake(t.index) }

func (t *Thread) launch() *exec.Launch  { return t.cluster.block.Launch }
func (t *Thread) block() *block         { return t.cluster.blocks[t.blockIndex] }
func (t *Thread) program() *Program     { return t.cluster.program }
func (t *Thread) source() kernel.Source { return t.cluster.program.Place(t.site) }

// warpgroup is the thread that a warp belongs to, or the thread itself.
func (t *Thread) warpgroup() *Thread {
	if t.warp < 0 {
		return t
	}
	return t.cluster.threads[(t.index-t.cluster.warpgroups())/barrier.Warps]
}

func (t *Thread) id() kernel.ThreadID {
	return t.program().threadID(t.cluster.block.Linear, t.index)
}

// threadID names a thread of a cluster. Blocks have the coordinates of the grid; if there
// are clusters of several blocks, or several devices, those of a device are numbered.
func (p *Program) threadID(group uint64, index int) kernel.ThreadID {
	blocks := tensor.Count(p.Cluster)
	if n := blocks * p.threads(); index >= n {
		index = (index - n) / barrier.Warps
	}
	devices := uint64(p.devices())
	id := kernel.ThreadID{Device: int(group % devices), Thread: kernel.Dim3{X: uint32(index % p.threads())}}
	group /= devices
	if grid, _ := p.Extent(); blocks == 1 {
		id.Block = grid.At(group)
	} else {
		id.Block.X = uint32(group)*uint32(blocks) + uint32(index/p.threads())
	}
	return id
}

// who names the thread in sentences.
func (t *Thread) who() string {
	return t.program().who(t.cluster.block.Linear, t.index)
}

// where names the thread and its block in sentences.
func (t *Thread) where() string {
	return t.who() + " of " + t.program().blockText(t.cluster.block.Linear, t.index)
}

func (p *Program) who(group uint64, index int) string {
	id := p.threadID(group, index)
	if n := tensor.Count(p.Cluster) * p.threads(); index >= n {
		return fmt.Sprintf("warp %d of thread %d", (index-n)%barrier.Warps, id.Thread.X)
	}
	return fmt.Sprintf("thread %d", id.Thread.X)
}

func (p *Program) blockText(group uint64, index int) string {
	blocks := tensor.Count(p.Cluster)
	devices := uint64(p.devices())
	at := fmt.Sprint(group / devices)
	if grid, _ := p.Extent(); devices == 1 {
		at = fmt.Sprint(grid.At(group))
	}
	s := "block " + at
	if blocks > 1 {
		if n := blocks * p.threads(); index >= n {
			index = (index - n) / barrier.Warps
		}
		s = fmt.Sprintf("block %d of cluster %s", index/p.threads(), at)
	}
	if p.devices() > 1 {
		s += fmt.Sprintf(" on device %d", group%devices)
	}
	return s
}

// name is the thread as JAX's messages show it.
func (t *Thread) name() string {
	of := t.warpgroup()
	if t.warp >= 0 {
		return fmt.Sprintf("Warp(device_id=%d, cluster_id=0, block_id=%d, warpgroup_id=%d warp_id=%d)", t.cluster.device, t.blockIndex, of.ID, t.warp)
	}
	return fmt.Sprintf("Warpgroup(device_id=%d, cluster_id=0, block_id=%d, warpgroup_id=%d)", t.cluster.device, t.blockIndex, of.ID)
}

// finish checks that the thread leaves nothing behind.
func (t *Thread) finish() {
	if t.warp >= 0 {
		t.warpgroup().takeOver(t)
		return
	}
	t.complete(func(x *transfer) bool { return x.owner == t })
	reads := slices.Concat(append(t.copies.reads, t.copies.open)...)
	if len(reads) > 0 && t.program().races {
		t.site = reads[0].site
		t.Fail(kernel.AsyncMisuse, "copy", fmt.Sprintf("Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread %s.", t.name()),
			"wait with wait_smem_to_gmem(0) before the kernel ends")
	}
	t.unmet()
	t.ended()
}

// takeOver makes what a warp has not waited for its thread's.
func (t *Thread) takeOver(w *Thread) {
	for _, g := range [][2]*outgoing{{&t.copies, &w.copies}, {&t.incoming, &w.incoming}} {
		g[0].open = append(g[0].open, g[1].open...)
		g[0].reads, g[0].writes = append(g[0].reads, g[1].reads...), append(g[0].writes, g[1].writes...)
		*g[1] = outgoing{}
	}
	t.wgmmas, w.wgmmas = append(t.wgmmas, w.wgmmas...), nil
	t.stores, w.stores = append(t.stores, w.stores...), nil
	t.loads, w.loads = append(t.loads, w.loads...), nil
	for _, x := range t.cluster.pending {
		if x.owner == w {
			x.owner = t
		}
	}
}
