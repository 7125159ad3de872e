package pallas

import (
	"gpusim/tensor"
)

var control = map[string]func(c *compiler, s *scope, e *Eqn){
	"cond":       (*compiler).cond,
	"while":      (*compiler).while,
	"scan":       (*compiler).scan,
	"axis_index": (*compiler).axisIndex,
	"axis_size":  (*compiler).axisSize,
}

// all are operands that may be anything.
func (c *compiler) all(s *scope, list []*Operation) []*variable {
	out := make([]*variable, len(list))
	for i, o := range list {
		out[i] = c.given(s, o)
	}
	return out
}

// outcome defines the results of an equation that are these variables, or makes variables
// of their kinds.
func (c *compiler) outcome(s *scope, e *Eqn, kinds []*variable, alias bool) []*variable {
	c.results(e, len(kinds))
	out := make([]*variable, len(kinds))
	for i, r := range e.Out {
		if kinds[i].class <= value {
			if got := c.declared(r); !got.same(kinds[i].kind) {
				c.fail("the result is %v, and said to be %v", kinds[i], got)
			}
		}
		out[i] = kinds[i]
		if !alias {
			out[i] = c.fresh(kinds[i].kind)
		}
		if r.Var >= 0 {
			c.define(s, r.Var, out[i])
		}
	}
	return out
}

// agree checks that variables can take the place of others.
func (c *compiler) agree(what string, got, want []*variable) {
	if len(got) != len(want) {
		c.fail("%s: %d values in place of %d", what, len(got), len(want))
	}
	for i := range got {
		if !got[i].same(want[i].kind) {
			c.fail("%s: value %d is %v in place of %v", what, i, got[i], want[i])
		}
	}
}

// cond runs the branch with the given index, which is clamped.
func (c *compiler) cond(s *scope, e *Eqn) {
	var p struct{ Branches []*Function }
	c.params(e, &p)
	if len(e.In) == 0 || len(p.Branches) == 0 {
		c.fail("%d operands, %d branches", len(e.In), len(p.Branches))
	}
	which := c.integer(s, e.In[0])
	in := c.all(s, e.In[1:])
	branches := make([][]step, len(p.Branches))
	var out []*variable
	for i, f := range p.Branches {
		steps, results := c.function(f, in)
		if i == 0 {
			out = c.outcome(s, e, results, false)
		}
		c.agree("a branch", results, out)
		if len(out) > 0 {
			steps = append(steps, step{site: c.site, quiet: true, run: c.move(results, out)})
		}
		branches[i] = steps
	}
	slot, last := which.slot, int64(len(branches)-1)
	c.emit(func(m *machine) { m.exec(branches[min(max(m.ints[slot], 0), last)]) })
}

// carried makes variables of the same kinds, and the step that gives them the values.
func (c *compiler) carried(from []*variable) ([]*variable, func(*machine)) {
	to := make([]*variable, len(from))
	for i, v := range from {
		to[i] = c.fresh(v.kind)
	}
	return to, c.move(from, to)
}

func (c *compiler) while(s *scope, e *Eqn) {
	var p struct {
		Cond, Body *Function
		CondConsts int `json:"cond_consts"`
		Consts     int
	}
	c.params(e, &p)
	if p.CondConsts < 0 || p.Consts < 0 || p.Consts > len(e.In) || p.CondConsts > len(e.In)-p.Consts {
		c.fail("%d operands, of which %d and %d are constants", len(e.In), p.CondConsts, p.Consts)
	}
	in := c.all(s, e.In)
	first, second := in[:p.CondConsts:p.CondConsts], in[p.CondConsts:p.CondConsts+p.Consts:p.CondConsts+p.Consts]
	carry, begin := c.carried(in[p.CondConsts+p.Consts:])
	test, holds := c.function(p.Cond, append(first, carry...))
	if len(holds) != 1 || holds[0].class != scalar {
		c.fail("its condition has no truth value as its result")
	}
	body, next := c.function(p.Body, append(second, carry...))
	c.agree("the body", next, carry)
	again := c.move(next, carry)
	c.outcome(s, e, carry, true)
	slot, site := holds[0].slot, c.site
	c.emit(func(m *machine) {
		begin(m)
		for {
			m.exec(test)
			if m.ints[slot] == 0 {
				return
			}
			m.exec(body)
			again(m)
			m.t.At(site)
		}
	})
}

// scan runs its body for each element of the leading dimension of its inputs.
func (c *compiler) scan(s *scope, e *Eqn) {
	var p struct {
		Body    *Function
		Length  int
		Reverse bool
		Consts  int
		Carry   int
	}
	c.params(e, &p)
	if p.Consts < 0 || p.Carry < 0 || p.Consts > len(e.In) || p.Carry > len(e.In)-p.Consts || p.Length < 0 {
		c.fail("%d operands, of which %d are constants and %d are carried, for %d rounds", len(e.In), p.Consts, p.Carry, p.Length)
	}
	in := c.all(s, e.In)
	consts := in[:p.Consts:p.Consts]
	carry, begin := c.carried(in[p.Consts : p.Consts+p.Carry])
	var rows []func(m *machine, k int)
	params := append(consts, carry...)
	for _, v := range in[p.Consts+p.Carry:] {
		row, run := c.row(v, p.Length)
		params, rows = append(params, row), append(rows, run)
	}
	body, out := c.function(p.Body, params)
	if len(out) < p.Carry {
		c.fail("the body has %d results, and %d are carried", len(out), p.Carry)
	}
	next, ys := out[:p.Carry], out[p.Carry:]
	c.agree("the body", next, carry)
	again := c.move(next, carry)
	results := append([]*variable(nil), carry...)
	var collect []func(m *machine, k int)
	var fresh []func(m *machine)
	for _, y := range ys {
		if y.class > value {
			c.fail("the body has %v as a result that is collected", y)
		}
		all := c.fresh(kind{class: value, dtype: y.dtype, shape: append([]int{p.Length}, y.shape...)})
		results = append(results, all)
		slot, get, k := all.slot, y.get(), all.kind
		n := tensor.Count(y.shape) * y.dtype.Size()
		fresh = append(fresh, func(m *machine) { m.vals[slot] = tensor.Make(k.dtype, k.shape) })
		collect = append(collect, func(m *machine, i int) { copy(m.vals[slot].Data[i*n:], get(m).Data) })
	}
	c.outcome(s, e, results, true)
	site := c.site
	c.emit(func(m *machine) {
		begin(m)
		for _, f := range fresh {
			f(m)
		}
		for i := range p.Length {
			if i > 0 {
				m.t.At(site)
			}
			if p.Reverse {
				i = p.Length - 1 - i
			}
			for _, f := range rows {
				f(m, i)
			}
			m.exec(body)
			for _, f := range collect {
				f(m, i)
			}
			again(m)
		}
	})
}

// row is a variable for an element of the leading dimension of another one.
func (c *compiler) row(v *variable, length int) (*variable, func(m *machine, k int)) {
	if v.class != value || len(v.shape) == 0 || v.shape[0] != length {
		c.fail("it goes through %v in %d rounds", v, length)
	}
	k := arrayKind(v.dtype, v.shape[1:])
	to := c.fresh(k)
	set, slot := c.set(to), v.slot
	n := tensor.Count(k.shape) * k.dtype.Size()
	if k.class == scalar {
		return to, func(m *machine, i int) { m.ints[to.slot] = m.vals[slot].Int(i) }
	}
	return to, func(m *machine, i int) {
		x := tensor.Make(k.dtype, k.shape)
		copy(x.Data, m.vals[slot].Data[i*n:(i+1)*n])
		set(m, x)
	}
}

// part is one of the axes that a name stands for.
type part struct {
	Kind string
	Dim  int
}

// axisParts reads the axes of an equation, and their extents.
func (c *compiler) axisParts(e *Eqn) ([]part, []int) {
	var p struct{ Of []part }
	c.params(e, &p)
	c.operands(e, 0, 0)
	c.results(e, 1)
	sizes := make([]int, len(p.Of))
	for i, a := range p.Of {
		var of []int
		switch a.Kind {
		case "thread":
			of = []int{c.module.Threads}
		case "warp":
			of = []int{4}
			if !c.warp {
				c.fail("it asks for a warp outside of warps")
			}
		case "cluster":
			of = c.module.Cluster
		case "grid":
			of = c.module.Grid
		case "device":
			for _, x := range c.module.Axes {
				of = append(of, x.Size)
			}
		default:
			c.fail("the axis %q is not known", a.Kind)
		}
		if a.Dim < 0 || a.Dim >= len(of) {
			c.fail("dimension %d of %d of the %s", a.Dim, len(of), a.Kind)
		}
		sizes[i] = of[a.Dim]
	}
	return p.Of, sizes
}

func (c *compiler) axisIndex(s *scope, e *Eqn) {
	parts, sizes := c.axisParts(e)
	v := c.result(s, e.Out[0], kind{class: scalar, dtype: tensor.I32})
	if v == nil {
		return
	}
	slot := v.slot
	if len(parts) == 1 {
		p := parts[0]
		c.quiet(func(m *machine) { m.ints[slot] = int64(m.axis(p)) })
		return
	}
	c.quiet(func(m *machine) {
		n := 0
		for i, p := range parts {
			n = n*sizes[i] + m.axis(p)
		}
		m.ints[slot] = int64(n)
	})
}

// axis is the machine's index along an axis.
func (m *machine) axis(p part) int {
	switch p.Kind {
	case "thread":
		return m.t.ID
	case "warp":
		return m.t.Warp()
	case "cluster":
		return m.block[p.Dim]
	case "grid":
		return m.point[p.Dim]
	}
	return m.device[p.Dim]
}

func (c *compiler) axisSize(s *scope, e *Eqn) {
	_, sizes := c.axisParts(e)
	n := int64(1)
	for _, x := range sizes {
		n *= int64(x)
	}
	if v := c.result(s, e.Out[0], kind{class: scalar, dtype: tensor.I32}); v != nil {
		c.ints[v.slot] = n
	}
}
