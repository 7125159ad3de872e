package actors

import (
	"fmt"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"gpusim/exec"
	"gpusim/memory"
)

// beginBlock tells a block actor to take the next block of the grid.
type beginBlock struct{}

// blockEnded tells a block actor that the last of its threads is done.
type blockEnded struct{}

// The messages of a block actor, boxed once.
var (
	begin any = beginBlock{}
	ended any = blockEnded{}
)

// blockActor owns a resident slot: the block that runs there and its thread actors.
type blockActor struct {
	base
	run     *run
	slot    int
	block   *exec.Block
	threads []*threadActor
	self    *actor.PID
	left    int  // threads that have not ended
	busy    bool // a block is in progress
	turn    turnShared
}

// Receive implements actor.Actor.
func (b *blockActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		b.self = c.Self()
		b.build(c)
	case beginBlock:
		b.begin(c)
	case *sharedReady:
		if b.run.launch.Stopped == "" {
			b.block.Shared = m.buffers
			b.start()
		}
	case blockEnded:
		b.end(c)
	case *actor.Stopped:
		b.box.ended()
	}
}

// build makes the slot's threads and their actors, once.
func (b *blockActor) build(c actor.Context) {
	r := b.run
	b.block = exec.NewBlock(r.launch, b.slot)
	b.block.Wake = func(thread int) { b.threads[thread].wake() }
	b.block.Alloc = func(thread int, q memory.Request, answer func(*memory.Allocation, error)) {
		r.engine.system.Root.Send(r.engine.memory, &scopedAlloc{b, thread, q, answer, r.engine.loop.steps})
	}
	b.block.Release = func(k memory.AllocKey) { r.engine.system.Root.Send(r.engine.memory, scopedRelease{b, k}) }
	for i, t := range r.program.Threads(b.block) {
		ta := &threadActor{block: b, index: i, thread: t}
		ta.self = c.Spawn(r.engine.loop.props(ta))
		b.threads = append(b.threads, ta)
	}
}

// begin takes the next block, if there is one, and asks for its shared memory.
func (b *blockActor) begin(c actor.Context) {
	r := b.run
	if r.launch.Stopped != "" {
		b.busy = false
		return
	}
	linear, ok := r.take(b)
	if !ok {
		if b.turn.held {
			b.turn.next = false
			c.Send(r.engine.memory, &b.turn)
		}
		return
	}
	b.block.Begin(linear)
	if len(r.vars) == 0 && !r.scoped {
		b.start()
		return
	}
	b.turn.to, b.turn.slot, b.turn.block, b.turn.next = b.self, b.slot, linear, true
	b.turn.sent = r.engine.loop.steps
	c.Send(r.engine.memory, &b.turn)
}

// start sends every thread of the block its first quantum.
func (b *blockActor) start() {
	b.left = len(b.threads)
	for _, t := range b.threads {
		t.thread.Start()
		t.post()
	}
}

// end closes the block and goes on with the next one.
func (b *blockActor) end(c actor.Context) {
	r := b.run
	if r.launch.Stopped == "" {
		b.block.End()
	}
	r.done++
	r.launch.Counters.BlocksDone++
	for _, t := range b.threads {
		t.status = idle
	}
	b.begin(c)
}

// waits lists what the block's threads wait for, and whether they all wait for each
// other: none of their lanes spins on memory, which another block might change.
func (b *blockActor) waits() (list []exec.Wait, inside bool) {
	inside = true
	for _, t := range b.threads {
		if t.status != blocked && t.status != parked {
			continue
		}
		w := t.thread.Waits()
		list = append(list, w...)
		inside = inside && t.status == blocked && !slices.ContainsFunc(w, func(w exec.Wait) bool { return w.On == exec.OnMemory || w.Outside })
	}
	return list, inside
}

func (b *blockActor) String() string { return fmt.Sprintf("block of slot %d", b.slot) }
