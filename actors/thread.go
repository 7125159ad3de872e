package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"gpusim/exec"
	"gpusim/kernel"
)

// runQuantum tells a thread actor to run one quantum.
type runQuantum struct{}

// quantum is the one value of runQuantum, boxed once.
var quantum any = runQuantum{}

// status is what a thread actor is doing.
type status uint8

const (
	idle    status = iota // its block has not started or has ended
	queued                // a message is under way to it
	running               // in its quantum
	blocked               // waits for a barrier or a collective
	parked                // spins on bytes that nobody has changed
	done                  // all its lanes have exited
)

// threadActor runs one thread of control of a slot: a warp or a CUDA thread.
type threadActor struct {
	base
	block  *blockActor
	index  int
	thread exec.Thread
	self   *actor.PID
	status status
	woken  bool // while running: its wait may be over already
}

// Receive implements actor.Actor. It never blocks: it runs one quantum.
func (t *threadActor) Receive(c actor.Context) {
	switch c.Message().(type) {
	case runQuantum:
		t.step(c)
	case *actor.Stopped:
		if x, ok := t.thread.(exec.Closer); ok {
			x.Close()
		}
		t.box.ended()
	}
}

func (t *threadActor) step(c actor.Context) {
	b := t.block
	r := b.run
	if r.launch.Stopped != "" || t.status != queued {
		return
	}
	t.status, t.woken = running, false
	r.launch.Counters.Quanta++
	switch t.thread.Step(r.engine.loop.policy.Quantum(r.mixes)) {
	case exec.Yielded:
		t.post()
	case exec.Blocked:
		t.wait(blocked)
	case exec.Parked:
		t.wait(parked)
	case exec.Done:
		t.status = done
		if b.left--; b.left == 0 {
			c.Send(b.self, ended)
		}
	case exec.Aborted:
		t.status = idle
		r.launch.Stop("aborted", false)
	}
}

func (t *threadActor) wait(s status) {
	t.status = s
	if t.woken {
		t.post()
	}
}

// post sends the thread its next quantum. It has none under way.
func (t *threadActor) post() {
	t.status = queued
	t.block.run.engine.system.Root.Send(t.self, quantum)
}

// wake resumes a waiting thread; whatever else it does, it goes on by itself.
func (t *threadActor) wake() {
	switch t.status {
	case blocked, parked:
		t.post()
	case running:
		t.woken = true
	}
}

// identity names the thread that the actor runs and what it executes at present.
func (t *threadActor) identity() (kernel.ThreadID, string) {
	b := t.block.block
	warp, lane := t.index, 0
	if b.Launch.Granularity == exec.ByThread {
		warp, lane = t.index/32, t.index%32
	}
	where := ""
	if l, ok := t.thread.(exec.Locator); ok {
		where = l.Where()
	}
	if i, ok := t.thread.(exec.Identified); ok {
		return i.Identity(), where
	}
	return b.ThreadID(warp, lane), where
}

func (t *threadActor) String() string {
	return fmt.Sprintf("thread %d of slot %d", t.index, t.block.block.Slot)
}
