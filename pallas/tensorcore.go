package pallas

import (
	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

var tensorCores = map[string]func(c *compiler, s *scope, e *Eqn){
	"mma":                   (*compiler).mma,
	"wgmma":                 (*compiler).wgmma,
	"wgmma_wait":            (*compiler).wgmmaWait,
	"wgmma_load":            (*compiler).wgmmaLoad,
	"wgmma_store":           (*compiler).wgmmaStore,
	"tcgen05_mma":           (*compiler).tcgen05,
	"tcgen05_commit_arrive": (*compiler).commitArrive,
	"copy_smem_to_tmem":     (*compiler).copyToTMEM,
	"load_tmem":             (*compiler).loadTMEM,
	"store_tmem":            (*compiler).storeTMEM,
	"commit_tmem":           bare(func(m *machine) { m.t.CommitTMEM() }),
	"wait_load_tmem":        bare(func(m *machine) { m.t.WaitLoadTMEM() }),
}

// product checks the shapes of acc + a @ b.
func (c *compiler) product(acc, a, b []int) {
	if len(acc) != 2 || len(a) != 2 || len(b) != 2 || acc[0] != a[0] || acc[1] != b[1] || a[1] != b[0] {
		c.fail("the product of shapes %v and %v added to %v", a, b, acc)
	}
}

// mma multiplies arrays in registers at once.
func (c *compiler) mma(s *scope, e *Eqn) {
	c.operands(e, 3, 3)
	c.results(e, 1)
	acc, a, b := c.array(s, e.In[0]), c.array(s, e.In[1]), c.array(s, e.In[2])
	c.product(acc.shape, a.shape, b.shape)
	set := c.set(c.result(s, e.Out[0], acc.kind))
	x, y, z := acc.get(), a.get(), b.get()
	c.emit(func(m *machine) {
		sum := x(m)
		out, err := tensor.MatMul(&sum, y(m), z(m), acc.dtype)
		if err != nil {
			m.t.Fail(kernel.WouldNotLower, "mma", err.Error(), "use operands that the tensor core multiplies")
		}
		set(m, out)
	})
}

// accumulator is an operand that is an accumulator of wgmma.
func (c *compiler) accumulator(s *scope, o *Operation) viewed {
	v := c.view(s, o, works)
	if !v.acc {
		c.fail("%v is no accumulator", v.kind)
	}
	return v
}

func (c *compiler) wgmma(s *scope, e *Eqn) {
	c.operands(e, 3, 3)
	c.results(e, 0)
	acc, b := c.accumulator(s, e.In[0]), c.view(s, e.In[2], works)
	c.space(b, "right operand", kernel.Shared)
	if e.In[1] == nil {
		c.fail("the left operand is left out")
	}
	if !e.In[1].IsRef {
		a := c.array(s, e.In[1])
		c.product(acc.shape, a.shape, b.shape)
		get := a.get()
		c.emit(func(m *machine) { m.t.WGMMA(acc.get(m), get(m), b.get(m)) })
		return
	}
	a := c.view(s, e.In[1], works)
	c.space(a, "left operand", kernel.Shared)
	c.product(acc.shape, a.shape, b.shape)
	c.emit(func(m *machine) { m.t.WGMMA(acc.get(m), a.get(m), b.get(m)) })
}

func (c *compiler) wgmmaWait(_ *scope, e *Eqn) {
	p := c.waitParams(e)
	c.emit(func(m *machine) { m.t.WaitWGMMA(p.N) })
}

func (c *compiler) wgmmaLoad(s *scope, e *Eqn) {
	var p struct{ N int }
	c.params(e, &p)
	c.operands(e, 1, 1)
	c.results(e, 1)
	acc := c.accumulator(s, e.In[0])
	set := c.set(c.result(s, e.Out[0], acc.element()))
	c.emit(func(m *machine) { set(m, m.t.LoadAccumulator(acc.get(m), p.N)) })
}

func (c *compiler) wgmmaStore(s *scope, e *Eqn) {
	c.operands(e, 2, 2)
	c.results(e, 0)
	acc := c.accumulator(s, e.In[0])
	get := c.stored(s, e.In[1], acc)
	c.emit(func(m *machine) { m.t.StoreAccumulator(acc.get(m), get(m)) })
}

type clusterParams struct {
	Cluster []int
	Kind    string
}

// collective reads whether two blocks do something together.
func (c *compiler) collective(e *Eqn) (clusterParams, bool) {
	var p clusterParams
	c.params(e, &p)
	if dims := c.clusterDims(p.Cluster); len(dims) > 0 && (len(dims) > 1 || dims[0] != len(c.module.Cluster)-1) {
		c.fail("an operation of the tensor core is collective along dimensions %v of a cluster of shape %v: only along the last one it can be", dims, c.module.Cluster)
	}
	return p, len(p.Cluster) > 0
}

// optional is a view that may be left out.
func (c *compiler) optional(s *scope, o *Operation) func(m *machine) *array.Ref {
	if o == nil {
		return func(*machine) *array.Ref { return nil }
	}
	v := c.view(s, o, works)
	c.space(v, "operand", kernel.Tensor)
	return func(m *machine) *array.Ref {
		r := v.get(m)
		return &r
	}
}

func (c *compiler) tcgen05(s *scope, e *Eqn) {
	_, collective := c.collective(e)
	c.operands(e, 8, 8)
	c.results(e, 0)
	acc, a, b := c.view(s, e.In[0], works), c.view(s, e.In[1], works), c.view(s, e.In[2], works)
	c.space(acc, "accumulator", kernel.Tensor)
	c.space(a, "left operand", kernel.Shared, kernel.Tensor)
	c.space(b, "right operand", kernel.Shared)
	accumulate := c.integer(s, e.In[3]).slot
	bar := func(*machine) *array.Barrier { return nil }
	if e.In[4] != nil {
		bar = c.barrier(s, e.In[4])
	}
	if (e.In[5] == nil) != (e.In[6] == nil) {
		c.fail("one operand has scales, and the other has none")
	}
	left, right, sparse := c.optional(s, e.In[5]), c.optional(s, e.In[6]), c.optional(s, e.In[7])
	as, bs := append([]int(nil), a.shape...), append([]int(nil), b.shape...)
	if e.In[7] != nil && len(as) == 2 {
		as[1] *= 2
	}
	if collective && len(bs) == 2 {
		bs[1] *= 2
	}
	c.product(acc.shape, as, bs)
	c.emit(func(m *machine) {
		m.t.MMA5(array.MMA5{Acc: acc.get(m), A: a.get(m), B: b.get(m), Accumulate: m.ints[accumulate] != 0, Barrier: bar(m),
			Collective: collective, AScale: left(m), BScale: right(m), Sparse: sparse(m)})
	})
}

func (c *compiler) commitArrive(s *scope, e *Eqn) {
	_, collective := c.collective(e)
	c.operands(e, 1, 1)
	c.results(e, 0)
	b := c.barrier(s, e.In[0])
	c.emit(func(m *machine) { m.t.CommitArrive(b(m), collective) })
}

func (c *compiler) copyToTMEM(s *scope, e *Eqn) {
	p, collective := c.collective(e)
	c.operands(e, 2, 2)
	c.results(e, 0)
	src, dst := c.view(s, e.In[0], works), c.view(s, e.In[1], works)
	c.space(src, "source", kernel.Shared)
	c.space(dst, "destination", kernel.Tensor)
	switch p.Kind {
	case "", "data":
		p.Kind = ""
		if src.dtype != dst.dtype || !equal(src.shape, dst.shape) {
			c.fail("a copy from %v to %v", src.kind, dst.kind)
		}
	case "scales", "sparse":
		if src.dtype != dst.dtype || tensor.Count(src.shape) != tensor.Count(dst.shape) {
			c.fail("a copy from %v to %v", src.kind, dst.kind)
		}
	default:
		c.fail("the kind %q is not known", p.Kind)
	}
	c.emit(func(m *machine) { m.t.CopyToTMEM(src.get(m), dst.get(m), p.Kind, collective) })
}

// loadTMEM loads from tensor memory, also with a reduction of the last dimension beside it.
func (c *compiler) loadTMEM(s *scope, e *Eqn) {
	var p reductionParams
	c.params(e, &p)
	c.operands(e, 1, 1)
	v := c.view(s, e.In[0], reads)
	c.space(v, "source", kernel.Tensor)
	k := v.element()
	if p.Op == "" {
		c.results(e, 1)
		set := c.set(c.result(s, e.Out[0], k))
		c.emit(func(m *machine) { set(m, m.t.LoadTMEM(v.get(m))) })
		return
	}
	c.results(e, 2)
	names := map[string][]string{"max": {"reduce_max"}, "min": {"reduce_min"}, "absmax": {"abs", "reduce_max"}, "absmin": {"abs", "reduce_min"}}[p.Op]
	if names == nil || len(k.shape) == 0 {
		c.fail("the reduction %q of a view of shape %v", p.Op, k.shape)
	}
	last := len(k.shape) - 1
	reduced := arrayKind(k.dtype, k.shape[:last])
	set, setReduced := c.set(c.result(s, e.Out[0], k)), c.set(c.result(s, e.Out[1], reduced))
	c.emit(func(m *machine) {
		x := m.t.LoadTMEM(v.get(m))
		set(m, x)
		for i, name := range names {
			f, _ := tensor.Find(name)
			to := k.typ()
			if i == len(names)-1 {
				to = reduced.typ()
			}
			x = m.compute(name, f, &tensor.Params{Axes: []int{last}}, []tensor.Type{to}, []tensor.Value{x})[0]
		}
		setReduced(m, x)
	})
}

func (c *compiler) storeTMEM(s *scope, e *Eqn) {
	c.operands(e, 2, 2)
	c.results(e, 0)
	v := c.view(s, e.In[0], stored)
	c.space(v, "destination", kernel.Tensor)
	get := c.stored(s, e.In[1], v)
	c.emit(func(m *machine) { m.t.StoreTMEM(v.get(m), get(m)) })
}
