package pallas

import (
	"fmt"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

var syncOps = map[string]func(c *compiler, s *scope, e *Eqn){
	"barrier_arrive":       (*compiler).barrierArrive,
	"barrier_wait":         (*compiler).barrierWait,
	"barrier_test":         (*compiler).barrierTest,
	"semaphore_signal":     (*compiler).semaphoreSignal,
	"semaphore_wait":       (*compiler).semaphoreWait,
	"semaphore_read":       (*compiler).semaphoreRead,
	"try_cluster_cancel":   (*compiler).tryCancel,
	"query_cluster_cancel": (*compiler).queryCancel,
}

// object compiles an operand that is one of an array of barriers or semaphores: its number
// in the array.
func (c *compiler) object(s *scope, o *Operation, want class) (slot int, number func(m *machine) int) {
	if o == nil {
		c.fail("an operand is left out")
	}
	v := c.atom(s, o.Atom)
	if v.class != want {
		c.fail("an operand is %v, and %v are expected", v, want)
	}
	shape := v.shape
	var slots []int
	for _, t := range o.View {
		for _, x := range t.Index {
			if x.At == nil {
				c.fail("%v are selected by something else than numbers", want)
			}
			slots = append(slots, c.integer(s, &Operation{Atom: *x.At}).slot)
		}
	}
	if len(slots) > len(shape) {
		c.fail("%d indices of %v of shape %v", len(slots), want, shape)
	}
	for _, n := range shape[len(slots):] {
		if n != 1 {
			c.fail("the operand does not select one of %v of shape %v", want, shape)
		}
	}
	if tensor.Count(shape) == 0 {
		c.fail("%v of shape %v", want, shape)
	}
	if len(slots) == 0 {
		return v.slot, func(*machine) int { return 0 }
	}
	return v.slot, func(m *machine) int {
		n := 0
		for i, at := range slots {
			x := m.ints[at]
			if x < 0 || x >= int64(shape[i]) {
				m.t.Fail(kernel.OutOfBounds, want.String(), fmt.Sprintf("index %d of %v of shape %v is out of bounds", x, want, shape), "use an index within the shape")
			}
			n = n*shape[i] + int(x)
		}
		return n
	}
}

func (c *compiler) barrier(s *scope, o *Operation) func(m *machine) *array.Barrier {
	slot, number := c.object(s, o, barriers)
	return func(m *machine) *array.Barrier { return m.items[slot].Barriers[number(m)] }
}

func (c *compiler) semaphore(s *scope, o *Operation) func(m *machine) *array.Semaphore {
	slot, number := c.object(s, o, semaphores)
	return func(m *machine) *array.Semaphore { return m.items[slot].Semaphores[number(m)] }
}

func (c *compiler) barrierArrive(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 0)
	b := c.barrier(s, e.In[0])
	c.emit(func(m *machine) { m.t.Arrive(b(m)) })
}

func (c *compiler) barrierWait(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 0)
	b := c.barrier(s, e.In[0])
	c.emit(func(m *machine) { m.t.Wait(b(m)) })
}

func (c *compiler) barrierTest(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 1)
	b := c.barrier(s, e.In[0])
	v := c.result(s, e.Out[0], kind{class: scalar, dtype: tensor.Bool})
	c.emit(func(m *machine) {
		done := truth(m.t.Test(b(m)))
		if v != nil {
			m.ints[v.slot] = done
		}
	})
}

func (c *compiler) semaphoreSignal(s *scope, e *Eqn) {
	var p struct{ Device *DeviceSpec }
	c.params(e, &p)
	c.operands(e, 2, 2)
	c.results(e, 0)
	sem, n := c.semaphore(s, e.In[0]), c.integer(s, e.In[1]).slot
	switch {
	case p.Device == nil:
		c.emit(func(m *machine) { m.t.Signal(sem(m), int(m.ints[n]), -1) })
	case p.Device.All:
		c.emit(func(m *machine) {
			for d := range m.module.Devices {
				m.t.Signal(sem(m), int(m.ints[n]), d)
			}
		})
	default:
		device := c.device(s, p.Device)
		c.emit(func(m *machine) { m.t.Signal(sem(m), int(m.ints[n]), device(m)) })
	}
}

func (c *compiler) semaphoreWait(s *scope, e *Eqn) {
	c.operands(e, 2, 3)
	c.results(e, 0)
	sem, n := c.semaphore(s, e.In[0]), c.integer(s, e.In[1]).slot
	decrement := func(*machine) bool { return true }
	if len(e.In) == 3 {
		slot := c.integer(s, e.In[2]).slot
		decrement = func(m *machine) bool { return m.ints[slot] != 0 }
	}
	c.emit(func(m *machine) { m.t.WaitSemaphore(sem(m), int(m.ints[n]), decrement(m)) })
}

func (c *compiler) semaphoreRead(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 1)
	sem := c.semaphore(s, e.In[0])
	v := c.result(s, e.Out[0], kind{class: scalar, dtype: tensor.I32})
	c.emit(func(m *machine) {
		n := m.t.ReadSemaphore(sem(m))
		if v != nil {
			m.ints[v.slot] = int64(int32(n))
		}
	})
}

// answer is the operand that holds an answer of try_cluster_cancel.
func (c *compiler) answer(s *scope, o *Operation) viewed {
	v := c.view(s, o, works)
	c.space(v, "answer", kernel.Shared)
	if tensor.Count(v.shape)*v.dtype.Size() != 16 {
		c.fail("the answer has 16 bytes, and %v has %d", v.kind, tensor.Count(v.shape)*v.dtype.Size())
	}
	return v
}

func (c *compiler) tryCancel(s *scope, e *Eqn) {
	var p struct {
		Threads bool
		Cluster []int
	}
	c.params(e, &p)
	c.operands(e, 2, 2)
	c.results(e, 0)
	v, b := c.answer(s, e.In[0]), c.barrier(s, e.In[1])
	dims := c.clusterDims(p.Cluster)
	c.emit(func(m *machine) { m.t.TryCancel(v.get(m), b(m), p.Threads, dims) })
}

func (c *compiler) queryCancel(s *scope, e *Eqn) {
	var p struct{ Dims []int }
	c.params(e, &p)
	c.operands(e, 1, 1)
	c.results(e, len(p.Dims)+1)
	v := c.answer(s, e.In[0])
	out := make([]*variable, len(e.Out))
	for i := range e.Out {
		k := kind{class: scalar, dtype: tensor.I32}
		if i == len(p.Dims) {
			k.dtype = tensor.Bool
		} else if p.Dims[i] < 0 || p.Dims[i] >= len(c.module.Grid) {
			c.fail("dimension %d of a grid of shape %v", p.Dims[i], c.module.Grid)
		}
		out[i] = c.result(s, e.Out[i], k)
	}
	c.emit(func(m *machine) {
		point, ok := m.t.QueryCancel(v.get(m))
		for i, o := range out {
			switch {
			case o == nil:
			case i == len(p.Dims):
				m.ints[o.slot] = truth(ok)
			default:
				m.ints[o.slot] = int64(point[p.Dims[i]])
			}
		}
	})
}
