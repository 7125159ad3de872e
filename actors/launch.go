package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"gpusim/exec"
)

// run is one launch under way.
type run struct {
	engine  *Engine
	launch  *exec.Launch
	program exec.Program
	vars    []exec.SharedVar
	mixes   bool // threads of different blocks may communicate
	scoped  bool // threads allocate as they run

	total, next, done uint64 // blocks of the grid, taken, ended
	limit             int    // blocks that may be in progress together
	slots             []*blockActor
	over              bool
}

// quiet tells the coordinator that no mailbox is ready.
type quiet struct{}

// launchOver tells the shared-memory actor to drop what a launch has left.
type launchOver struct{}

// coordinator is the host's side of a device: it places blocks into slots, decides what
// quiescence means, and takes the replies to the host's requests.
type coordinator struct {
	base
	engine *Engine
	self   *actor.PID
}

// Receive implements actor.Actor.
func (h *coordinator) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		h.self = c.Self()
	case *run:
		for range h.engine.loop.policy.Blocks(m.most(), m.mixes) {
			h.openSlot(c, m)
		}
	case quiet:
		h.quiet(c)
	case hostCall:
		c.Request(h.engine.memory, m.request)
	case *hostReply:
		h.engine.reply = m
	case *actor.Stopped:
		h.box.ended()
	}
}

// most is the number of blocks that can ever be in progress together.
func (r *run) most() int {
	if uint64(r.limit) > r.total {
		return int(r.total)
	}
	return r.limit
}

// take assigns the next block of the grid to a slot.
func (r *run) take(b *blockActor) (linear uint64, ok bool) {
	b.busy = r.next < r.total
	if !b.busy {
		return 0, false
	}
	linear = r.next
	r.next++
	return linear, true
}

// inProgress is the number of blocks that have been taken and have not ended.
func (r *run) inProgress() uint64 { return r.next - r.done }

// openSlot starts one more block: in an idle slot, or in a new one.
func (h *coordinator) openSlot(c actor.Context, r *run) {
	for _, b := range r.slots {
		if !b.busy {
			b.busy = true
			c.Send(b.self, begin)
			return
		}
	}
	b := &blockActor{run: r, slot: len(r.slots), busy: true}
	pid := c.Spawn(h.engine.loop.props(b))
	r.slots = append(r.slots, b)
	c.Send(pid, begin)
}

// quiet decides what happens when nobody can go on: the launch has ended, one more block
// may start, a barrier is released because its threads have exited, or the program hangs.
func (h *coordinator) quiet(c actor.Context) {
	r := h.engine.run
	l := r.launch
	if l.Stopped != "" || r.done == r.total {
		h.finish(c, r)
		return
	}
	stuck := r.stuck()
	for _, s := range stuck {
		// Nobody outside can help a block whose threads all wait for each other.
		if s.Inside && s.Block.Relieve() {
			return
		}
	}
	for _, s := range stuck {
		if s.Inside {
			exec.ReportHang(l, stuck, r.total-r.next, r.limit)
			h.finish(c, r)
			return
		}
	}
	if r.next < r.total && r.inProgress() < uint64(r.limit) {
		h.openSlot(c, r)
		return
	}
	for _, s := range stuck {
		if s.Block.Relieve() {
			return
		}
	}
	exec.ReportHang(l, stuck, r.total-r.next, r.limit)
	h.finish(c, r)
}

// stuck describes the blocks in progress, none of which can go on.
func (r *run) stuck() []exec.Stuck {
	var list []exec.Stuck
	for _, b := range r.slots {
		if !b.busy {
			continue
		}
		waits, inside := b.waits()
		list = append(list, exec.Stuck{Block: b.block, Waits: waits, Inside: inside})
	}
	return list
}

// finish stops the launch's actors. The loop runs until they have stopped.
func (h *coordinator) finish(c actor.Context, r *run) {
	r.over = true
	for _, b := range r.slots {
		c.Stop(b.self)
	}
	c.Send(h.engine.memory, launchOver{})
}

func (h *coordinator) String() string { return "launch coordinator" }
