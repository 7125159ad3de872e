package array

import (
	"errors"
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Kind is what an allocation of a scope is.
type Kind uint8

// The kinds.
const (
	Array Kind = iota
	BarrierKind
	ClusterBarrierKind
	SemaphoreKind
	AccumulatorKind // of wgmma, in registers
)

// Scratch is an allocation of a scope: an array, or an array of synchronisation objects.
type Scratch struct {
	Name  string
	Kind  Kind
	Space kernel.Space // of an array: Shared, Global or Tensor
	Type  tensor.DType
	Shape []int
	// Bytes is the size of a union, which has no type; 0: the size follows from the shape.
	Bytes int
	// Packed: elements of tensor memory that are smaller than its columns share one.
	Packed bool
	// Arrivals completes a phase of a barrier.
	Arrivals int
	// OrdersTensorCore: waiting on the barrier orders the work of the tensor core, too.
	OrdersTensorCore bool
	// Axes are the dimensions of the cluster along which a cluster barrier is collective; a
	// composite axis has several.
	Axes [][]int
	// LeaderTracked: arrivals at a cluster barrier reach the first block along the axes only.
	LeaderTracked bool
}

// Item is what a scope has allocated: a view, or synchronisation objects in row major order.
type Item struct {
	Ref        Ref
	Barriers   []*Barrier
	Semaphores []*Semaphore
	Shape      []int // of the objects
}

// Scoped allocates, runs the body and releases again. axes are those along which the
// allocation is collective.
func (t *Thread) Scoped(list []Scratch, axes []memory.Axis, body func([]Item)) {
	site := t.site
	if t.warp >= 0 && len(list) > 0 {
		t.Fail(kernel.AllocationMisuse, "allocate", fmt.Sprintf("%s of %s allocates %s: a warp cannot allocate, only the thread that it belongs to", t.where(), exec.Place(t.source()), list[0].Name),
			"move run_scoped out of the core_map over warps")
	}
	if len(axes) > 0 && len(list) > 0 {
		t.Meet(list[0].Name)
	}
	shared, tmem := t.smemTop, t.tmemTop
	items := make([]Item, len(list))
	for i, s := range list {
		t.site = site
		items[i] = t.allocate(s, axes)
	}
	body(items)
	t.site = site
	for _, x := range items {
		for _, b := range x.Barriers {
			t.freeBarrier(b)
		}
		if len(x.Semaphores) > 0 { // an array of them is one allocation
			t.release(x.Semaphores[0].key)
		}
		if x.Ref.Buffer != nil {
			t.freeBuffer(x.Ref.Buffer)
		}
	}
	t.smemTop, t.tmemTop = shared, tmem
}

func (t *Thread) allocate(s Scratch, axes []memory.Axis) Item {
	switch s.Kind {
	case BarrierKind, ClusterBarrierKind:
		return t.allocBarriers(s, axes)
	case SemaphoreKind:
		return t.allocSemaphores(s, axes)
	}
	return Item{Ref: t.allocBuffer(s, axes).All()}
}

// alloc asks the shared-memory actor for a name, and waits for the answer. Without peers
// the allocation is that of the threads of the block.
func (t *Thread) alloc(s Scratch, space kernel.Space, size int64, axes []memory.Axis, wholeCluster bool) memory.AllocKey {
	threads := t.program().threads()
	r := memory.Request{Space: space, Block: t.cluster.block.Linear, Thread: t.index, Size: size, Name: s.Name, Site: t.source(),
		Collective: axes, Private: !t.program().ThreadAxis, Accumulator: s.Kind == AccumulatorKind, First: t.blockIndex * threads, Peers: threads}
	switch {
	case wholeCluster:
		r.Private, r.First, r.Peers = false, 0, threads*len(t.cluster.blocks)
		r.Collective = []memory.Axis{memory.ThreadAxis}
	case s.Kind == SemaphoreKind && len(axes) == 0:
		r.Private = true
	}
	var a *memory.Allocation
	var err error
	answered := false
	t.cluster.block.Alloc(t.index, r, func(x *memory.Allocation, e error) { a, err, answered = x, e, true })
	for !answered {
		t.suspend(exec.Blocked)
	}
	var desync *memory.DesyncError
	if errors.As(err, &desync) {
		t.desynchronised(desync)
	}
	if err != nil {
		t.Fail(kernel.AllocationMisuse, "allocate", err.Error(), "name the axis of threads, and no axis of the cluster, in collective_axes")
	}
	return a.Key
}

func (t *Thread) desynchronised(e *memory.DesyncError) {
	t.launch().Desynchronised(t.cluster.block.Linear, e)
	t.launch().Stop(string(kernel.AllocationMisuse), true)
	panic(stopped{})
}

func (t *Thread) release(k memory.AllocKey) { t.cluster.block.Release(k) }

func (t *Thread) allocBuffer(s Scratch, axes []memory.Axis) *Buffer {
	size := int64(s.Bytes)
	if s.Bytes == 0 {
		size = int64(tensor.Count(s.Shape) * s.Type.Size())
	} else {
		s.Type, s.Shape = tensor.U8, []int{s.Bytes}
	}
	space := s.Space
	if s.Kind == AccumulatorKind {
		space = kernel.Local
	}
	base := t.place(space, size)
	key := t.alloc(s, space, size, axes, false)
	if b := t.block().buffers[key]; b != nil {
		return b
	}
	if space == kernel.Global {
		l := t.launch()
		if size > l.Room {
			t.Fail(kernel.AllocationMisuse, "allocate", fmt.Sprintf("%s of %d bytes of global memory is more than the %d bytes that are left of the limit on memory (--max-memory)", s.Name, size, l.Room), "use less scratch in global memory, or fewer blocks at once")
		}
		l.Room -= size
	}
	b := t.cluster.newBuffer(t.blockIndex, key, s, space, size, base, t.source())
	t.claim(b, s)
	return b
}

// alignment of arrays in shared memory.
const alignment = 1024

// place is where the next allocation of the thread lies in physical memory. Threads that
// allocate collectively come to the same answer.
func (t *Thread) place(space kernel.Space, size int64) int64 {
	var top *int64
	switch space {
	case kernel.Shared:
		top = &t.smemTop
	case kernel.Tensor:
		top = &t.tmemTop
	default:
		return 0
	}
	base := *top
	*top += (size + alignment - 1) / alignment * alignment
	return base
}

func (c *cluster) newBuffer(at int, key memory.AllocKey, s Scratch, space kernel.Space, size, base int64, site kernel.Source) *Buffer {
	p := c.program
	zero := p.Zero || s.Kind == AccumulatorKind
	b := &Buffer{Buffer: memory.NewBuffer(key.ID, s.Name, space, 0, size, !zero && c.block.Launch.Uninit),
		Type: s.Type, Dims: s.Shape, Source: site, key: key, block: at, base: base}
	if !zero {
		tensor.Undefined(s.Type, b.Data)
	}
	switch space {
	case kernel.Shared:
		b.shadow = &c.blocks[at].shared
	case kernel.Tensor:
		b.shadow = &c.blocks[at].tmem
	default:
		b.shadow = &region.Shadow{}
	}
	c.blocks[at].buffers[key] = p.number(b, nil)
	return b
}

// elsewhere is the key that an allocation has in another block of the cluster.
func (c *cluster) elsewhere(k memory.AllocKey, block int) memory.AllocKey {
	n := c.program.threads()
	k.Thread = block*n + k.Thread%n
	return k
}

// counterpart is the buffer of another block that stands for the same allocation. That
// block may not have come to it yet.
func (c *cluster) counterpart(b *Buffer, block int) *Buffer {
	if b.block == block || b.Space == kernel.Global {
		return b
	}
	key := c.elsewhere(b.key, block)
	if o := c.blocks[block].buffers[key]; o != nil {
		return o
	}
	if o := c.blocks[block].ended[key]; o != nil {
		return o
	}
	return c.newBuffer(block, key, Scratch{Name: b.Name, Type: b.Type, Shape: b.Dims}, b.Space, b.Size(), b.base, b.Source)
}

func (t *Thread) freeBuffer(b *Buffer) {
	t.release(b.key)
	// All threads of the block hold a collective allocation, whether they have asked yet or not.
	if b.released++; b.released < t.cluster.holders(b.key) {
		return
	}
	b.Freed = true
	if b.Space == kernel.Global {
		t.launch().Room += b.Size()
	}
	t.unclaim(b)
	t.inFlight(b)
	delete(t.block().buffers, b.key)
	if len(t.cluster.blocks) > 1 && b.Space != kernel.Local {
		t.block().ended[b.key] = b
	}
}

// holders is the number of threads that hold an allocation.
func (c *cluster) holders(k memory.AllocKey) int {
	if k.ID < 0 || !c.program.ThreadAxis {
		return 1
	}
	return c.program.threads()
}

// Private allocates an array for the thread's block alone, which lives as long as the
// block: a kernel's operand that is a copy. It lies below what scopes allocate.
func (t *Thread) Private(name string, space kernel.Space, d tensor.DType, shape []int) *Buffer {
	size := int64(tensor.Count(shape) * d.Size())
	base := t.place(space, size)
	// Ids below those of the shared-memory actor: the threads of the block count alike.
	t.bodies++
	key := memory.AllocKey{Space: space, Block: t.cluster.block.Linear, Thread: t.blockIndex * t.program().threads(), ID: t.bodies}
	if b := t.block().buffers[key]; b != nil {
		return b
	}
	s := Scratch{Name: name, Space: space, Type: d, Shape: shape}
	b := t.cluster.newBuffer(t.blockIndex, key, s, space, size, base, t.source())
	t.claim(b, s)
	return b
}

// meeting is the barrier at the entry of a collective scope: the compiler emits one,
// because the scope may use memory again that an earlier one has released.
type meeting struct {
	name    string
	site    kernel.Source
	arrived []*Thread
	clock   region.Phase
	open    bool
}

// Meet waits until all threads of the block have come to the same place: the entry of a
// scope, or of the kernel.
func (t *Thread) Meet(name string) {
	n := t.program().threads()
	if n == 1 {
		return
	}
	t.bodies++
	m := t.block().meetings[t.bodies]
	if m == nil {
		m = &meeting{name: name, site: t.source()}
		t.block().meetings[t.bodies] = m
	}
	if first := m.site; exec.Place(first) != exec.Place(t.source()) || m.name != name {
		t.desynchronised(&memory.DesyncError{Threads: [2]int{m.arrived[0].ID, t.ID}, Sites: [2]kernel.Source{first, t.source()}, Names: [2]string{m.name, name}})
	}
	m.arrived = append(m.arrived, t)
	t.clock.Arrive(&m.clock, false)
	if len(m.arrived) == n {
		m.open = true
		delete(t.block().meetings, t.bodies)
		for _, o := range m.arrived[:n-1] {
			o.wake()
		}
	}
	for i := range n {
		if o := t.cluster.threads[t.blockIndex*n+i]; o.out && o.bodies < t.bodies {
			o.unmet()
		}
	}
	for !m.open {
		t.await(m)
	}
	t.clock.Depart(&m.clock, false)
}

func (m *meeting) waits(t *Thread) exec.Wait {
	return exec.Wait{What: fmt.Sprintf("the entry of the scope of %s", m.name),
		Needs: fmt.Sprintf("%d more of the block's %d threads", t.program().threads()-len(m.arrived), t.program().threads())}
}

// unmet reports a scope that other threads have entered and this one, at its end, has not.
func (t *Thread) unmet() {
	if m := t.block().meetings[t.bodies+1]; m != nil {
		t.desynchronised(&memory.DesyncError{Threads: [2]int{m.arrived[0].ID, t.ID}, Sites: [2]kernel.Source{m.site}, Names: [2]string{m.name}})
	}
}
