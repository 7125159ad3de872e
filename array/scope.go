package array

import (
	"errors"
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
)

// Scratch is an allocation of a scope: an array, or an array of barriers.
type Scratch struct {
	Name  string
	Space kernel.Space // Shared, Global, or Local for accumulators in registers
	Type  DType
	Shape []int
	// Arrivals completes a phase of the barriers; 0: it is no barrier.
	Arrivals int
}

// Item is what a scope has allocated: a view, or barriers in row major order.
type Item struct {
	Ref      Ref
	Barriers []*Barrier
	Shape    []int // of the barriers
}

// Scoped allocates, runs the body and releases again. axes are those along which the
// allocation is collective.
func (t *Thread) Scoped(list []Scratch, axes []memory.Axis, body func([]Item)) {
	site := t.site
	items := make([]Item, len(list))
	for i, s := range list {
		t.site = site
		if s.Arrivals > 0 {
			items[i] = t.allocBarriers(s, axes)
		} else {
			items[i] = Item{Ref: t.allocBuffer(s, axes).All()}
		}
	}
	body(items)
	t.site = site
	for _, x := range items {
		for _, b := range x.Barriers {
			t.freeBarrier(b)
		}
		if x.Ref.Buffer != nil {
			t.freeBuffer(x.Ref.Buffer)
		}
	}
}

// alloc asks the shared-memory actor for a name, and waits for the answer.
func (t *Thread) alloc(s Scratch, size int64, axes []memory.Axis) memory.AllocKey {
	r := memory.Request{Space: s.Space, Block: t.state.block.Linear, Thread: t.ID, Size: size, Name: s.Name, Site: t.source(),
		Collective: axes, Private: !t.state.program.ThreadAxis, Accumulator: s.Space == kernel.Local}
	var a *memory.Allocation
	var err error
	answered := false
	t.state.block.Alloc(t.ID, r, func(x *memory.Allocation, e error) { a, err, answered = x, e, true })
	for !answered {
		t.suspend(exec.Blocked)
	}
	var desync *memory.DesyncError
	if errors.As(err, &desync) {
		t.state.block.Launch.Desynchronised(t.state.block.Linear, desync)
		t.state.block.Launch.Stop(string(kernel.AllocationMisuse), true)
		panic(stopped{})
	}
	if err != nil {
		t.Fail(kernel.AllocationMisuse, "allocate", err.Error(), "name the axis of threads, and no axis of the cluster, in collective_axes")
	}
	return a.Key
}

func (t *Thread) allocBuffer(s Scratch, axes []memory.Axis) *Buffer {
	size := int64(Count(s.Shape) * s.Type.Size())
	key := t.alloc(s, size, axes)
	if b := t.state.buffers[key]; b != nil {
		return b
	}
	p := t.state.program
	zero := p.Zero || s.Space == kernel.Local
	b := &Buffer{Buffer: memory.NewBuffer(key.ID, s.Name, s.Space, 0, size, !zero && t.state.block.Launch.Uninit),
		Type: s.Type, Dims: s.Shape, Source: t.source(), key: key}
	if !zero {
		b.undefine()
	}
	b.shadow = p.shadow(b.Buffer)
	t.state.buffers[key] = b
	return b
}

func (t *Thread) freeBuffer(b *Buffer) {
	t.state.block.Release(b.key)
	// All threads of the block hold a collective allocation, whether they have asked yet or not.
	if b.released++; b.released < t.state.holders(b.key) {
		return
	}
	b.Freed = true
	t.state.clock.Pending(b.shadow, func(p region.Party) {
		place := t.state.program.Place(p.Site)
		t.report(kernel.Finding{Message: fmt.Sprintf("the scope of %s ends while the asynchronous copy that thread %d issued at %s is in flight: nobody has waited for it",
			b.Name, p.Thread, placeText(place)), Space: b.Space, Object: b.Name, Edge: kernel.NoWait,
			Fix: "wait for the copy before the scope ends", Missing: "a wait for the copy before the end of the scope",
			Accesses: []kernel.Access{{Op: "copy", Source: place, Thread: kernel.ThreadID{Block: t.state.block.Index, Thread: t.state.block.ThreadIndex(0, p.Thread)}},
				{Op: "release", Source: t.source(), Thread: t.id()}}}, kernel.AsyncMisuse, kernel.Error, fmt.Sprint(b.Name, p.Site))
	})
	delete(t.state.buffers, b.key)
}

// holders is the number of threads that hold an allocation.
func (s *blockState) holders(k memory.AllocKey) int {
	if k.ID < 0 || !s.program.ThreadAxis {
		return 1
	}
	return int(s.block.Launch.Block.Count())
}

// Private allocates an array for a thread that is the only one of its block; it lives as
// long as the block.
func (t *Thread) Private(name string, space kernel.Space, d DType, shape []int) *Buffer {
	m := memory.NewBuffer(0, name, space, 0, int64(Count(shape)*d.Size()), t.state.block.Launch.Uninit && !t.state.program.Zero)
	b := &Buffer{Buffer: m, Type: d, Dims: shape, Source: t.source()}
	if !t.state.program.Zero {
		b.undefine()
	}
	b.shadow = t.state.program.shadow(m)
	return b
}
