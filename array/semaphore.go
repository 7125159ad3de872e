package array

import (
	"fmt"

	"gpusim/exec"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Semaphore is a counter in global memory: signals add to it, and a wait lasts until it has
// reached a value. A wait is ordered after the signals that it takes to reach the value, in
// the order in which they came: it may be over before others come, so it promises no more.
type Semaphore struct {
	Name     string
	key      memory.AllocKey
	id       semaphoreKey
	value    int
	signals  []signal
	consumed int // by waits
	waiting  []*Thread
}

// signal is what is known once signals have added up to a total.
type signal struct {
	total int
	clock *region.Phase
}

// known is what a wait for a value is ordered after, nil for nothing.
func (s *Semaphore) known(n int) *region.Phase {
	if n <= 0 { // it is over without any
		return nil
	}
	for _, x := range s.signals {
		if x.total >= s.consumed+n {
			return x.clock
		}
	}
	if k := len(s.signals); k > 0 {
		return s.signals[k-1].clock
	}
	return nil
}

// forget drops signals that no wait needs any more: the last one that has been consumed
// stands for those before it.
func (s *Semaphore) forget() {
	for len(s.signals) > 1 && s.signals[1].total <= s.consumed {
		s.signals = s.signals[1:]
	}
}

// semaphoreKey names a semaphore. Those of the same allocation on other devices differ in
// the device only.
type semaphoreKey struct {
	device     int
	point      uint64 // of the grid; of all points, ^0
	block      int
	thread, id int
	call       int // of get_global; else -1
	index      int
}

func (t *Thread) allocSemaphores(s Scratch, axes []memory.Axis) Item {
	n := tensor.Count(s.Shape)
	key := t.alloc(s, kernel.Global, int64(4*n), axes, false)
	id := semaphoreKey{point: t.cluster.point, block: t.blockIndex, thread: key.Thread, id: key.ID, call: -1}
	return t.semaphores(s.Name, key, id, s.Shape, n)
}

// GlobalSemaphores are the semaphores of the kernel that belong to one call of get_global.
func (t *Thread) GlobalSemaphores(call int, shape []int) Item {
	return t.semaphores("global semaphore", memory.AllocKey{}, semaphoreKey{point: ^uint64(0), call: call}, shape, tensor.Count(shape))
}

func (t *Thread) semaphores(name string, key memory.AllocKey, id semaphoreKey, shape []int, n int) Item {
	out := Item{Shape: shape}
	id.device = t.cluster.device
	for i := range n {
		id.index = i
		one := name
		if n > 1 {
			one = fmt.Sprintf("%s[%d]", name, i)
		}
		s := t.program().semaphore(id, one)
		s.key = key
		out.Semaphores = append(out.Semaphores, s)
	}
	return out
}

// semaphore is the semaphore of a name, which whoever comes first makes.
func (p *Program) semaphore(id semaphoreKey, name string) *Semaphore {
	s := p.sems[id]
	if s == nil {
		s = &Semaphore{Name: name, id: id}
		p.sems[id] = s
	}
	return s
}

// Signal adds to a semaphore, on the own device (-1) or on another one.
func (t *Thread) Signal(s *Semaphore, n, device int) {
	p := t.program()
	if device >= 0 {
		if device >= p.devices() {
			t.Fail(kernel.OutOfBounds, "signal", fmt.Sprintf("there is no device %d: the mesh has %d", device, p.devices()), "signal to a device of the mesh")
		}
		id := s.id
		id.device = device
		s = p.semaphore(id, s.Name)
	}
	s.value += n
	if p.races {
		x := signal{total: s.value + s.consumed, clock: &region.Phase{}}
		if k := len(s.signals); k > 0 {
			x.clock.Join(s.signals[k-1].clock)
		}
		t.clock.Arrive(x.clock, false)
		s.signals = append(s.signals, x)
	}
	for _, w := range s.waiting {
		w.wake()
	}
	s.waiting = nil
}

// WaitSemaphore waits until a semaphore has reached a value, and takes it off again if
// decrement.
func (t *Thread) WaitSemaphore(s *Semaphore, n int, decrement bool) {
	for s.value < n {
		s.waiting = append(s.waiting, t)
		t.await(semaphoreWait{s, n})
	}
	if k := s.known(n); k != nil {
		t.clock.Depart(k, false)
	}
	if decrement {
		s.value -= n
		s.consumed += n
		s.forget()
	}
}

// ReadSemaphore is the value of a semaphore, which orders nothing.
func (t *Thread) ReadSemaphore(s *Semaphore) int {
	t.suspend(exec.Yielded) // whoever reads it in a loop waits for somebody else
	return s.value
}

type semaphoreWait struct {
	s *Semaphore
	n int
}

func (w semaphoreWait) waits(t *Thread) exec.Wait {
	return exec.Wait{Outside: true, What: "semaphore " + w.s.Name, Needs: fmt.Sprintf("%d more %s: it has %d of %d", w.n-w.s.value, plural(w.n-w.s.value, "signal"), w.s.value, w.n)}
}
