package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"gpusim/kernel"
	"gpusim/memory"
)

// hostCall carries a request of the host through the coordinator, who takes the reply.
type hostCall struct{ request any }

// hostAlloc asks for a buffer for all threads.
type hostAlloc struct {
	name          string
	space         kernel.Space
	size          int64
	thread, block int // must be zero
	track         bool
}

// hostFree ends a buffer.
type hostFree struct{ buffer *memory.Buffer }

// hostReply answers a request of the host.
type hostReply struct {
	buffer *memory.Buffer
	freed  bool
	err    error
}

// turnShared is a slot's request when it goes from one block to the next: all threads of
// the ended block release the shared variables, all threads of the next one allocate
// theirs, collectively. A slot has one request under way at most and uses it again.
type turnShared struct {
	to    *actor.PID
	slot  int
	block uint64
	next  bool // there is a next block
	held  bool // the slot holds the variables of the block `last`
	last  uint64
	sent  uint64 // the loop's step
	ready sharedReady
}

// sharedReady hands a block its shared variables.
type sharedReady struct{ buffers []*memory.Buffer }

// scopedAlloc is one thread's request for memory. The thread waits for the answer.
type scopedAlloc struct {
	from    *blockActor
	thread  int
	request memory.Request
	answer  func(*memory.Allocation, error)
	sent    uint64
}

// scopedRelease ends one thread's hold on an allocation.
type scopedRelease struct {
	from *blockActor
	key  memory.AllocKey
}

// sharedMemory is the actor that serialises allocation on a device.
type sharedMemory struct {
	base
	engine *Engine
	ledger *memory.Ledger
	slots  [][]*memory.Buffer // shared variables by slot
	object []int              // the object number of each shared variable of the launch
}

// Receive implements actor.Actor.
func (s *sharedMemory) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *turnShared:
		s.count(m.sent)
		s.turn(c, m)
	case *scopedAlloc:
		s.count(m.sent)
		a, _, err := s.ledger.Alloc(m.request)
		m.answer(a, err)
		m.from.block.Wake(m.thread)
	case scopedRelease:
		if _, err := s.ledger.Release(m.key); err != nil {
			panic(err) // a thread releases what it was given, once
		}
	case *hostAlloc:
		c.Respond(s.alloc(m))
	case *hostFree:
		c.Respond(s.free(m))
	case launchOver:
		s.over()
	case *actor.Stopped:
		s.box.ended()
	}
}

// count keeps the actor's own metrics: requests, queue, latency in messages served.
func (s *sharedMemory) count(sent uint64) {
	n := s.engine.run.launch.Counters
	n.AllocRequests++
	n.AllocLatency += s.engine.loop.steps - sent
	n.MaxAllocQueue = max(n.MaxAllocQueue, uint64(s.box.user.len()+1))
}

// alloc makes a buffer for all threads.
func (s *sharedMemory) alloc(m *hostAlloc) *hostReply {
	a, err := s.ledger.ForAll(memory.Request{Space: m.space, Thread: m.thread, Block: uint64(m.block), Size: m.size, Name: m.name})
	if err != nil {
		return &hostReply{err: err}
	}
	e := s.engine
	b := e.Memory.Add(a.Key.ID, m.name, m.size, m.track)
	b.Space = m.space
	if e.Race != nil {
		b.Shadow = e.Race.NewShadow(e.object(m.name, m.space, m.size), m.space, m.size)
	}
	return &hostReply{buffer: b}
}

func (s *sharedMemory) free(m *hostFree) *hostReply {
	ok := s.ledger.FreeForAll(m.buffer.ID)
	m.buffer.Freed = true
	return &hostReply{buffer: m.buffer, freed: ok}
}

// turn releases a block's shared variables and allocates those of the slot's next block.
func (s *sharedMemory) turn(c actor.Context, m *turnShared) {
	r := s.engine.run
	if m.held {
		for _, e := range s.ledger.EndBlock(m.last) {
			r.launch.Desynchronised(m.last, e)
		}
		m.held = false
	}
	if !m.next {
		return
	}
	s.ledger.BeginBlock(m.block, int(r.launch.Block.Count()))
	for len(s.slots) <= m.slot {
		s.slots = append(s.slots, nil)
	}
	if s.slots[m.slot] == nil {
		s.slots[m.slot] = s.build(r)
	}
	buffers := s.slots[m.slot]
	for i := range r.vars {
		v := &r.vars[i]
		a := s.ledger.AllocAll(m.block, kernel.Shared, v.Size, v.Name, v.Source)
		buffers[i].ID = a.Key.ID
		scrub(buffers[i])
	}
	m.held, m.last = true, m.block
	m.ready.buffers = buffers
	c.Send(m.to, &m.ready)
}

// build makes the buffers of a slot. Blocks that follow each other there use them again.
func (s *sharedMemory) build(r *run) []*memory.Buffer {
	e := s.engine
	for i := len(s.object); i < len(r.vars); i++ {
		s.object = append(s.object, e.object(r.vars[i].Name, kernel.Shared, r.vars[i].Size))
	}
	buffers := make([]*memory.Buffer, len(r.vars))
	for i, v := range r.vars {
		b := memory.NewBuffer(0, v.Name, kernel.Shared, memory.SharedBase+uint64(i)<<memory.SharedShift, v.Size, r.launch.Uninit)
		if e.Race != nil && r.launch.Race != nil {
			b.Shadow = e.Race.NewShadow(s.object[i], kernel.Shared, v.Size)
		}
		buffers[i] = b
	}
	return buffers
}

// scrub makes a buffer uninitialised: whatever its last block left there must not look
// like data. All ones are a NaN and a -1.
func scrub(b *memory.Buffer) {
	b.Invalidate()
	if len(b.Data) == 0 {
		return
	}
	b.Data[0] = 0xFF
	for n := 1; n < len(b.Data); n *= 2 {
		copy(b.Data[n:], b.Data[:n])
	}
}

// over forgets the launch's shared memory.
func (s *sharedMemory) over() {
	for slot, buffers := range s.slots {
		for _, b := range buffers {
			s.engine.dropShadow(b)
		}
		s.slots[slot] = nil
	}
	s.slots, s.object = s.slots[:0], s.object[:0]
	for _, b := range s.engine.run.slots {
		if b.turn.held {
			s.ledger.EndBlock(b.turn.last)
			b.turn.held = false
		}
	}
}

func (s *sharedMemory) String() string {
	return fmt.Sprintf("shared memory of device %d", s.engine.device)
}
