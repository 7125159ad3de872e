package pallas

import (
	"gpusim/array"
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/tensor"
)

var scopes = map[string]func(c *compiler, s *scope, e *Eqn){
	"run_scoped": (*compiler).runScoped,
	"run_state":  (*compiler).runState,
	"get_global": (*compiler).getGlobal,
	"warps":      (*compiler).warps,
}

// allocation is what array allocates, and the variable that refers to it.
func (c *compiler) allocation(x *Scratch) (array.Scratch, *variable) {
	if x == nil {
		c.fail("an allocation is missing")
	}
	x.Name = printable(x.Name)
	out := array.Scratch{Name: x.Name, Shape: x.Shape, Arrivals: x.Arrivals, OrdersTensorCore: x.OrdersTensorCore, LeaderTracked: x.LeaderTracked, Packed: x.Packed}
	k := kind{class: reference, shape: x.Shape}
	if err := extent("an allocation", x.Shape, maxElements); err != nil {
		c.fail("%s: %v", x.Name, err)
	}
	switch x.Kind {
	case "array", "accumulator":
		d, err := typeOf(x.DType, x.Shape)
		if err != nil {
			c.fail("%s: %v", x.Name, err)
		}
		out.Type, k.dtype = d, d
		if x.Kind == "accumulator" {
			out.Kind, k.space, k.acc = array.AccumulatorKind, kernel.Local, true
			break
		}
		out.Space = c.memorySpace(x)
		k.space = out.Space
	case "union":
		if x.Bytes < 1 || x.Bytes > maxElements {
			c.fail("the union %s has %d bytes", x.Name, x.Bytes)
		}
		out.Space, out.Bytes, out.Type = c.memorySpace(x), x.Bytes, tensor.U8
		k.space, k.dtype, k.shape, k.union = out.Space, tensor.U8, []int{x.Bytes}, true
	case "barrier", "cluster_barrier":
		if x.Arrivals < 1 {
			c.fail("the barrier %s has %d arrivals", x.Name, x.Arrivals)
		}
		out.Kind, k.class = array.BarrierKind, barriers
		if x.Kind == "cluster_barrier" {
			out.Kind, out.Axes = array.ClusterBarrierKind, x.Axes
			for _, a := range x.Axes {
				c.clusterDims(a)
			}
		}
	case "semaphore":
		out.Kind, k.class = array.SemaphoreKind, semaphores
	default:
		c.fail("the allocation %s has the kind %q, which is not known", x.Name, x.Kind)
	}
	if n, most := size(&out), limit(&out); n > most {
		c.fail("the allocation %s has %d %s: at most %d are possible", x.Name, n, map[bool]string{true: "bytes", false: "elements"}[k.class == reference], most)
	}
	return out, c.fresh(k)
}

// size is the number of bytes of an allocation, or of its barriers or semaphores.
func size(x *array.Scratch) int {
	switch {
	case x.Bytes > 0:
		return x.Bytes
	case x.Kind == array.Array || x.Kind == array.AccumulatorKind:
		return tensor.Count(x.Shape) * x.Type.Size()
	}
	return tensor.Count(x.Shape)
}

// limit is far above what any block has of a kind of memory. The capacities of architectures
// are findings; this keeps a program that was damaged from taking the memory of the machine.
func limit(x *array.Scratch) int {
	switch {
	case x.Kind != array.Array && x.Kind != array.AccumulatorKind:
		return 1 << 16
	case x.Space == kernel.Global:
		return maxElements
	}
	return 1 << 28
}

func (c *compiler) memorySpace(x *Scratch) kernel.Space {
	switch x.Space {
	case "smem":
		return kernel.Shared
	case "gmem":
		return kernel.Global
	case "tmem":
		return kernel.Tensor
	}
	c.fail("the allocation %s lies in %q", x.Name, x.Space)
	return kernel.Generic
}

// allocations are those of a scope.
func (c *compiler) allocations(list []*Scratch) ([]array.Scratch, []*variable) {
	out, vars := make([]array.Scratch, len(list)), make([]*variable, len(list))
	for i, x := range list {
		out[i], vars[i] = c.allocation(x)
	}
	return out, vars
}

// hold gives variables what a scope has allocated.
func (m *machine) hold(vars []*variable, items []array.Item) {
	for i, v := range vars {
		if v.class == reference {
			m.refs[v.slot] = items[i].Ref
		} else {
			m.items[v.slot] = items[i]
		}
	}
}

func (c *compiler) runScoped(s *scope, e *Eqn) {
	var p struct {
		Scratch []*Scratch
		Threads bool
		Body    *Function
	}
	c.params(e, &p)
	list, vars := c.allocations(p.Scratch)
	body, out := c.function(p.Body, append(c.all(s, e.In), vars...))
	c.outcome(s, e, out, true)
	if len(list) == 0 {
		c.emit(func(m *machine) { m.exec(body) })
		return
	}
	var axes []memory.Axis
	if p.Threads {
		axes = []memory.Axis{memory.ThreadAxis}
	}
	c.emit(func(m *machine) {
		m.t.Scoped(list, axes, func(items []array.Item) {
			m.hold(vars, items)
			m.exec(body)
		})
	})
}

// runState runs its body with references that live in registers; their last values are
// its results.
func (c *compiler) runState(s *scope, e *Eqn) {
	var p struct {
		Scratch []*Scratch
		Body    *Function
	}
	c.params(e, &p)
	if len(p.Scratch) != len(e.In) || len(e.Out) != len(e.In) {
		c.fail("%d operands and %d results for %d references", len(e.In), len(e.Out), len(p.Scratch))
	}
	params := make([]*variable, len(p.Scratch))
	var list []array.Scratch
	var vars []*variable
	inits, sets := make([]func(*machine) tensor.Value, 0, len(params)), make([]func(*machine, tensor.Value), 0, len(params))
	for i, x := range p.Scratch {
		if x == nil { // a reference that is handed on
			params[i] = c.given(s, e.In[i])
			if e.Out[i].Var >= 0 && s.used(e.Out[i].Var) {
				c.fail("what a reference holds at the end is not known")
			}
			continue
		}
		if x.Kind != "accumulator" {
			c.fail("the state %s has the kind %q", x.Name, x.Kind)
		}
		a, v := c.allocation(x)
		params[i], list, vars = v, append(list, a), append(vars, v)
		k := arrayKind(v.dtype, v.shape)
		init := func(*machine) tensor.Value { return tensor.Make(k.dtype, k.shape) }
		if e.In[i] != nil {
			o := c.array(s, e.In[i])
			if !o.same(k) {
				c.fail("the state %s begins as %v, and is %v", x.Name, o, k)
			}
			init = o.get()
		}
		inits = append(inits, init)
		sets = append(sets, c.set(c.result(s, e.Out[i], k)))
	}
	body, _ := c.function(p.Body, params)
	c.emit(func(m *machine) {
		m.t.Scoped(list, nil, func(items []array.Item) {
			m.hold(vars, items)
			for i, v := range vars {
				m.t.StoreAccumulator(m.refs[v.slot], inits[i](m))
			}
			m.exec(body)
			for i, v := range vars {
				sets[i](m, m.t.LoadAccumulator(m.refs[v.slot], 0))
			}
		})
	})
}

func (s *scope) used(n int) bool { return n < len(s.uses) && s.uses[n] > 0 }

// getGlobal is semaphores of the whole kernel, one array for every call in the program.
func (c *compiler) getGlobal(s *scope, e *Eqn) {
	var p struct {
		Call  int
		Shape []int
	}
	c.params(e, &p)
	c.operands(e, 0, 0)
	c.results(e, 1)
	if err := extent("an array of semaphores", p.Shape, 1<<20); err != nil {
		c.fail("%v", err)
	}
	v := c.result(s, e.Out[0], kind{class: semaphores, shape: p.Shape})
	if v == nil {
		return
	}
	c.emit(func(m *machine) { m.items[v.slot] = m.t.GlobalSemaphores(p.Call, p.Shape) })
}

// warps runs its body in the four warps of the thread.
func (c *compiler) warps(s *scope, e *Eqn) {
	var p struct{ Body *Function }
	c.params(e, &p)
	c.results(e, 0)
	if c.warp {
		c.fail("warps are forked inside of a warp")
	}
	c.warp = true
	body, _ := c.function(p.Body, c.all(s, e.In))
	c.warp = false
	c.emit(func(m *machine) {
		m.t.Warps(func(w *array.Thread) { m.inWarp(w).exec(body) })
	})
}

// inWarp is the machine of a warp, which has variables of its own from here on.
func (m *machine) inWarp(w *array.Thread) *machine {
	return &machine{frame: m.copyOf(), t: w, module: m.module, buffers: m.buffers, point: m.point, block: m.block, device: m.device}
}
