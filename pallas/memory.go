package pallas

import (
	"gpusim/array"
	"gpusim/tensor"
)

var memoryOps = map[string]func(c *compiler, s *scope, e *Eqn){
	"get":                  (*compiler).load,
	"swap":                 (*compiler).swap,
	"addupdate":            (*compiler).addUpdate,
	"masked_load":          (*compiler).maskedLoad,
	"masked_swap":          (*compiler).maskedSwap,
	"atomic_store":         (*compiler).atomicStore,
	"multimem_store":       (*compiler).multimemStore,
	"multimem_load_reduce": (*compiler).multimemLoadReduce,
}

// element is the kind of a view's content.
func (v viewed) element() kind { return arrayKind(v.dtype, v.shape) }

// stored is an operand that is to be stored in a view.
func (c *compiler) stored(s *scope, o *Operation, v viewed) func(m *machine) tensor.Value {
	x := c.array(s, o)
	if !x.same(v.element()) {
		c.fail("%v is to be stored in a view of %v", x, v.element())
	}
	return x.get()
}

func (c *compiler) load(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 1)
	v := c.maybePoints(s, e.In[0], reads)
	set := c.set(c.result(s, e.Out[0], v.element()))
	if v.points == nil {
		c.emit(func(m *machine) { set(m, m.t.Load(v.get(m))) })
		return
	}
	place := v.points.places(v.dtype.Size())
	c.emit(func(m *machine) {
		out := tensor.Make(v.dtype, v.shape)
		v.points.each(m, v.get(m), func(i int, r array.Ref) {
			x := m.t.Load(r)
			place(i, func(whole, part, n int) { copy(out.Data[whole:whole+n], x.Data[part:]) })
		})
		set(m, out)
	})
}

func (c *compiler) swap(s *scope, e *Eqn) {
	c.operands(e, 2, 2)
	v := c.maybePoints(s, e.In[0], swaps)
	get := c.stored(s, e.In[1], v)
	var old *variable
	if len(e.Out) > 0 {
		c.results(e, 1)
		old = c.result(s, e.Out[0], v.element())
	}
	set := c.set(old)
	if v.points != nil {
		c.swapPoints(v, get, set, old != nil)
		return
	}
	if old == nil {
		c.emit(func(m *machine) { m.t.Store(v.get(m), get(m)) })
		return
	}
	c.emit(func(m *machine) { set(m, m.t.Swap(v.get(m), get(m))) })
}

func (c *compiler) swapPoints(v viewed, get func(*machine) tensor.Value, set func(*machine, tensor.Value), result bool) {
	place := v.points.places(v.dtype.Size())
	c.emit(func(m *machine) {
		x, old := get(m), tensor.Make(v.dtype, v.shape)
		v.points.each(m, v.get(m), func(i int, r array.Ref) {
			one := tensor.Make(v.dtype, v.points.slices)
			place(i, func(whole, part, n int) { copy(one.Data[part:part+n], x.Data[whole:]) })
			if result {
				was := m.t.Load(r)
				place(i, func(whole, part, n int) { copy(old.Data[whole:whole+n], was.Data[part:]) })
			}
			m.t.Store(r, one)
		})
		set(m, old)
	})
}

func (c *compiler) addUpdate(s *scope, e *Eqn) {
	c.operands(e, 2, 2)
	c.results(e, 0)
	v := c.view(s, e.In[0], swaps)
	get := c.stored(s, e.In[1], v)
	c.emit(func(m *machine) { m.t.AddUpdate(v.get(m), get(m)) })
}

// mask is an operand that says which elements of a view are meant.
func (c *compiler) mask(s *scope, o *Operation, v viewed) func(m *machine) tensor.Value {
	x := c.array(s, o)
	k := arrayKind(tensor.Bool, v.shape)
	if x.same(k) {
		return x.get()
	}
	if x.dtype != tensor.Bool || tensor.Count(x.shape) == 0 {
		c.fail("the mask is %v for a view of shape %v", x, v.shape)
	}
	// The mask is spread over the view, as numpy does.
	lead := len(v.shape) - len(x.shape)
	axes := make([]int, len(x.shape))
	for i, n := range x.shape {
		if lead < 0 || n != 1 && n != v.shape[lead+i] {
			c.fail("the mask is %v for a view of shape %v", x, v.shape)
		}
		axes[i] = lead + i
	}
	get := x.get()
	spread, _ := tensor.Find("broadcast_in_dim")
	p := &tensor.Params{Axes: axes}
	types := []tensor.Type{k.typ()}
	return func(m *machine) tensor.Value {
		return m.compute("broadcast_in_dim", spread, p, types, []tensor.Value{get(m)})[0]
	}
}

func (c *compiler) maskedLoad(s *scope, e *Eqn) {
	c.operands(e, 2, 3)
	c.results(e, 1)
	masked := access{op: "read", doing: "reading", box: true} // what the mask leaves out may lie outside
	v := c.view(s, e.In[0], masked)
	mask := c.mask(s, e.In[1], v)
	k := v.element()
	other := tensor.Make(k.dtype, k.shape)
	tensor.Undefined(k.dtype, other.Data)
	get := func(*machine) tensor.Value { return other }
	if len(e.In) == 3 && e.In[2] != nil {
		x := c.array(s, e.In[2])
		if x.dtype != k.dtype || len(x.shape) > 0 && !equal(x.shape, k.shape) {
			c.fail("%v stands for what the mask leaves out of %v", x, k)
		}
		get = x.get()
	}
	set := c.set(c.result(s, e.Out[0], k))
	c.emit(func(m *machine) { set(m, m.t.LoadMasked(v.get(m), mask(m), get(m))) })
}

func (c *compiler) maskedSwap(s *scope, e *Eqn) {
	c.operands(e, 3, 3)
	v := c.view(s, e.In[0], access{op: "swap", doing: "swapping", box: true})
	get, mask := c.stored(s, e.In[1], v), c.mask(s, e.In[2], v)
	var old *variable
	if len(e.Out) > 0 {
		c.results(e, 1)
		old = c.result(s, e.Out[0], v.element())
	}
	set := c.set(old)
	c.emit(func(m *machine) { set(m, m.t.SwapMasked(v.get(m), get(m), mask(m), old != nil)) })
}

// reduction is an operation that combines values, by JAX's name.
func (c *compiler) reduction(op string) string {
	switch op {
	case "add", "min", "max", "and", "or", "xor":
		return op
	case "inc", "dec":
		c.unsupported("the reduction %s", op)
	}
	c.fail("the reduction %q is not known", op)
	return ""
}

type reductionParams struct{ Op string }

func (c *compiler) atomicStore(s *scope, e *Eqn) {
	var p reductionParams
	c.params(e, &p)
	c.operands(e, 2, 3)
	c.results(e, 0)
	op := c.reduction(p.Op)
	v := c.view(s, e.In[0], access{op: "atomic", doing: "updating"})
	get := c.stored(s, e.In[1], v)
	if len(e.In) == 2 || e.In[2] == nil {
		c.emit(func(m *machine) { m.t.AtomicStore(v.get(m), get(m), nil, op) })
		return
	}
	mask := c.mask(s, e.In[2], v)
	c.emit(func(m *machine) {
		x := mask(m)
		m.t.AtomicStore(v.get(m), get(m), &x, op)
	})
}

func (c *compiler) multimemStore(s *scope, e *Eqn) {
	c.operands(e, 2, 2)
	c.results(e, 0)
	v := c.view(s, e.In[0], swaps)
	get := c.stored(s, e.In[1], v)
	c.emit(func(m *machine) { m.t.MultimemStore(v.get(m), get(m)) })
}

func (c *compiler) multimemLoadReduce(s *scope, e *Eqn) {
	var p reductionParams
	c.params(e, &p)
	c.operands(e, 1, 1)
	c.results(e, 1)
	op := c.reduction(p.Op)
	v := c.view(s, e.In[0], reads)
	set := c.set(c.result(s, e.Out[0], v.element()))
	c.emit(func(m *machine) { set(m, m.t.MultimemLoadReduce(v.get(m), op)) })
}
