package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race"
	"gpusim/scheduler"
)

// Config is what an engine needs.
type Config struct {
	Device    int
	Policy    scheduler.Policy
	Race      *race.Detector  // nil: off
	Interrupt <-chan struct{} // closed when the user wants to stop; may be nil
	Progress  func(Progress)  // told now and then how far a launch is; may be nil
}

// Progress is how far a launch is.
type Progress struct {
	Kernel      string
	Done, Total uint64 // blocks that have ended, of the grid
	Counters    exec.Counters
}

// Object is something that races are reported on.
type Object struct {
	Name  string
	Space kernel.Space
	Size  int64
}

// Engine runs the actors of one device. It is not safe for concurrent use: the loop
// runs on the goroutine of the caller.
type Engine struct {
	Memory  *memory.Map
	Race    *race.Detector
	Objects []Object // by the numbers that the detector knows

	device    int
	interrupt <-chan struct{}
	progress  func(Progress)
	system    *actor.ActorSystem
	loop      *loop
	host      *actor.PID // the coordinator
	memory    *actor.PID
	run       *run // the launch under way
	reply     *hostReply
	closed    bool
	heap      map[string]int // objects of the device heap by name
}

// ErrClosed is returned by an engine that has been closed or has failed.
var ErrClosed = errors.New("the device is closed")

// NewEngine starts the actors of a device.
func NewEngine(c Config) *Engine {
	e := &Engine{Memory: &memory.Map{}, Race: c.Race, device: c.Device, interrupt: c.Interrupt, progress: c.Progress, system: system(), loop: &loop{policy: c.Policy}}
	h := &coordinator{engine: e}
	e.host = e.system.Root.Spawn(e.loop.rootProps(h))
	s := &sharedMemory{engine: e, ledger: memory.NewLedger(c.Device)}
	e.memory = e.system.Root.Spawn(e.loop.rootProps(s))
	e.drain()
	return e
}

// object registers something that accesses can race on.
func (e *Engine) object(name string, space kernel.Space, size int64) int {
	e.Objects = append(e.Objects, Object{name, space, size})
	return len(e.Objects) - 1
}

func (e *Engine) dropShadow(b *memory.Buffer) {
	if sd, ok := b.Shadow.(*race.Shadow); ok && sd != nil {
		e.Race.DropShadow(sd)
		b.Shadow = nil
	}
}

// drain serves messages until there are none.
func (e *Engine) drain() { e.loop.run(func() bool { return false }) }

// call sends a request of the host to the shared-memory actor and waits for the reply.
func (e *Engine) call(request any) (*hostReply, error) {
	if e.closed {
		return nil, ErrClosed
	}
	e.reply = nil
	e.system.Root.Send(e.host, hostCall{request})
	e.drain()
	if e.loop.failure != nil {
		return nil, e.fail()
	}
	return e.reply, e.reply.err
}

// Alloc makes a buffer for all threads. With track, its bytes start uninitialised.
func (e *Engine) Alloc(name string, space kernel.Space, size int64, track bool) (*memory.Buffer, error) {
	r, err := e.call(&hostAlloc{name: name, space: space, size: size, track: track})
	if err != nil {
		return nil, err
	}
	return r.buffer, nil
}

// Free ends a buffer; it reports false if the buffer was not live.
func (e *Engine) Free(b *memory.Buffer) (bool, error) {
	r, err := e.call(&hostFree{b})
	if err != nil {
		return false, err
	}
	return r.freed, nil
}

// Run executes a launch. limit is the number of blocks that the device holds at once.
// How it went is in the launch; an error is a bug of ours.
func (e *Engine) Run(l *exec.Launch, limit int) error {
	if e.closed {
		return ErrClosed
	}
	vars, err := sharedVars(l)
	if err != nil {
		return err
	}
	r := &run{engine: e, launch: l, program: l.Program, vars: vars, mixes: l.Program.OrdersBlocks(), total: l.Grid.Count(), limit: max(1, limit)}
	if s, ok := l.Program.(exec.ScopedAllocator); ok {
		r.scoped = s.AllocatesInScopes()
	}
	e.run = r
	e.loop.maxReady, e.loop.maxQueue, e.loop.posted = 0, 0, 0
	e.system.Root.Send(e.host, r)
	for e.loop.failure == nil {
		e.loop.run(e.poll)
		if r.over {
			break
		}
		if e.loop.policy.Len() == 0 {
			e.system.Root.Send(e.host, quiet{})
		}
	}
	n := l.Counters
	n.Messages, n.MaxReady, n.MaxMailbox = e.loop.posted, e.loop.maxReady, e.loop.maxQueue
	if e.loop.failure != nil {
		l.Stop("internal error", false)
		return e.fail()
	}
	e.drain()
	for _, b := range e.Memory.Buffers() {
		b.DropWatches()
	}
	e.run = nil
	return nil
}

// poll notices an interrupt, and tells how far the launch is.
func (e *Engine) poll() bool {
	if e.progress != nil && e.loop.steps&1023 == 0 {
		l := e.run.launch
		e.progress(Progress{l.Kernel, e.run.done, e.run.total, *l.Counters})
	}
	select {
	case <-e.interrupt:
		e.run.launch.Stop("interrupted", false)
	default:
	}
	return false
}

// sharedVars lists a block's shared variables with the sizes of this launch.
func sharedVars(l *exec.Launch) ([]exec.SharedVar, error) {
	var vars []exec.SharedVar
	for _, v := range l.Program.SharedVars() {
		if v.Dynamic {
			v.Size = l.DynShared
		}
		if v.Size >= 1<<memory.SharedShift {
			return nil, fmt.Errorf("shared variable %s has %d bytes: at most %d are possible", v.Name, v.Size, 1<<memory.SharedShift-1)
		}
		vars = append(vars, v)
	}
	if len(vars) > memory.SharedSlots {
		return nil, fmt.Errorf("the kernel has %d shared variables: at most %d are possible", len(vars), memory.SharedSlots)
	}
	return vars, nil
}

// fail closes the engine after a panic in an actor and returns what happened.
func (e *Engine) fail() error {
	p := e.loop.failure
	e.loop.failure = nil
	e.stopAll()
	if t, ok := p.owner.(*threadActor); ok {
		id, where := t.identity()
		return &ThreadPanic{Panic: *p, Thread: id, Instruction: where}
	}
	return p
}

// ThreadPanic is a panic in the actor of a thread.
type ThreadPanic struct {
	Panic
	Thread      kernel.ThreadID
	Instruction string
}

func (p *ThreadPanic) Error() string {
	return fmt.Sprintf("panic in thread %v of block %v at %q: %v", p.Thread.Thread, p.Thread.Block, p.Instruction, p.Value)
}

// Close stops the actors of the device.
func (e *Engine) Close() error {
	if e.closed {
		return nil
	}
	e.stopAll()
	if e.loop.failure != nil {
		return e.loop.failure
	}
	return nil
}

// stopAll stops every actor and counts the ends.
func (e *Engine) stopAll() {
	if e.run != nil {
		e.run.launch.Stop("closed", false)
	}
	e.closed = true
	e.system.Root.Stop(e.host)
	e.system.Root.Stop(e.memory)
	e.drain()
}
