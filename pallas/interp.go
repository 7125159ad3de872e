package pallas

import (
	"fmt"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/memory"
)

// interpreter runs a module for one thread.
type interpreter struct {
	module *Module
	t      *array.Thread
	coords []int
}

// frame is the variables of a function: an array.Value, an array.Ref or an array.Item of
// barriers each.
type frame []any

// kernel runs the module with its operands.
func (x *interpreter) kernel(buffers []array.Ref) {
	m, t := x.module, x.t
	t.At(-1)
	args := make([]any, len(m.Operands))
	for i, o := range m.Operands {
		r := buffers[o.Buffer]
		if o.Space == "smem" {
			spec := &m.Buffers[o.Buffer]
			own := t.Private(spec.Name, kernel.Shared, spec.dtype, spec.Shape).All()
			if !o.Output || !spec.fresh() {
				t.Store(own, t.Load(r))
			}
			r = own
		}
		args[i] = r
	}
	x.call(m.Body, args)
	t.At(-1)
	for i, o := range m.Operands {
		if o.Space == "smem" && o.Output {
			t.Store(buffers[o.Buffer], t.Load(args[i].(array.Ref)))
		}
	}
}

// call runs a function.
func (x *interpreter) call(j *Jaxpr, args []any) []any {
	f := make(frame, j.Count)
	for i, n := range j.In {
		f[n] = args[i]
	}
	for i := range j.Const {
		f[j.Const[i].Var] = j.Const[i].value
	}
	for _, q := range j.Eqns {
		x.t.At(q.Src)
		if q.Params.Predicate && f.value(q.In[len(q.In)-1]).Scalar() == 0 {
			continue
		}
		q.run(x, q, f)
	}
	out := make([]any, len(j.Out))
	for i, a := range j.Out {
		out[i] = f.get(a)
	}
	return out
}

func (f frame) get(a Atom) any {
	if a.ID < 0 {
		return a.Value
	}
	return f[a.ID]
}

func (f frame) value(a Atom) array.Value { return f.get(a).(array.Value) }

func (f frame) all(list []Atom) []any {
	out := make([]any, len(list))
	for i, a := range list {
		out[i] = f.get(a)
	}
	return out
}

// set gives the results of an equation to its variables.
func (f frame) set(q *Eqn, results ...any) {
	for i, o := range q.Out {
		if o.ID >= 0 {
			f[o.ID] = results[i]
		}
	}
}

type handler func(x *interpreter, q *Eqn, f frame)

type primitive struct {
	in, views int // the least number of operands and of views
	run       handler
}

var handlers = map[string]primitive{
	"get":            {1, 1, (*interpreter).get},
	"swap":           {2, 1, (*interpreter).swap},
	"run_scoped":     {0, 0, (*interpreter).runScoped},
	"barrier_arrive": {1, 1, func(x *interpreter, q *Eqn, f frame) { x.t.Arrive(x.barrier(q, f, 0)) }},
	"barrier_arrive_and_wait": {1, 1, func(x *interpreter, q *Eqn, f frame) {
		b := x.barrier(q, f, 0)
		x.t.Arrive(b)
		x.t.Wait(b)
	}},
	"barrier_wait":      {1, 1, func(x *interpreter, q *Eqn, f frame) { x.t.Wait(x.barrier(q, f, 0)) }},
	"copy_gmem_to_smem": {3, 3, (*interpreter).copyIn},
	"copy_smem_to_gmem": {2, 2, (*interpreter).copyOut},
	"wait_smem_to_gmem": {0, 0, func(x *interpreter, q *Eqn, f frame) { x.t.WaitCopies(q.Params.N, q.Params.ReadOnly) }},
	"commit_group":      {0, 0, func(x *interpreter, q *Eqn, f frame) { x.t.CommitGroup() }},
	"commit_smem":       {0, 0, func(x *interpreter, q *Eqn, f frame) { x.t.FenceAsync() }},
	"set_max_registers": {0, 0, func(*interpreter, *Eqn, frame) {}},

	"call":       {0, 0, func(x *interpreter, q *Eqn, f frame) { f.set(q, x.call(q.Params.Jaxpr, f.all(q.In))...) }},
	"cond":       {1, 0, (*interpreter).cond},
	"while":      {0, 0, (*interpreter).while},
	"scan":       {0, 0, (*interpreter).scan},
	"axis_index": {0, 0, (*interpreter).axisIndex},
	"program_id": {0, 0, func(x *interpreter, q *Eqn, f frame) { f.set(q, array.Int(array.I32, int64(x.coords[q.Params.Dim]))) }},
	"num_programs": {0, 0, func(x *interpreter, q *Eqn, f frame) {
		f.set(q, array.Int(array.I32, int64(x.module.Grid[q.Params.Dim])))
	}},
}

// view applies the transforms of an operand that is a reference.
func (x *interpreter) view(q *Eqn, f frame, i int, op, doing string) array.Ref {
	r, ok := f.get(q.In[i]).(array.Ref)
	if !ok {
		x.t.Fail(kernel.AsyncMisuse, op, fmt.Sprintf("operand %d of %s is no array reference", i, q.Prim), "export the program again")
	}
	for _, v := range q.Params.Views[i] {
		if v.Transpose != nil {
			r = r.Transpose(v.Transpose)
			continue
		}
		r = x.t.Index(r, op, doing, x.indices(v.Index, f)...)
	}
	return r
}

func (x *interpreter) indices(list []IndexSpec, f frame) []array.Index {
	out := make([]array.Index, len(list))
	for i, s := range list {
		if s.At != nil {
			out[i] = array.Index{Start: int(f.value(*s.At).Scalar()), Element: true}
		} else {
			out[i] = array.Index{Start: int(f.value(*s.Start).Scalar()), Size: s.Size, Stride: max(s.Stride, 1)}
		}
	}
	return out
}

func (x *interpreter) get(q *Eqn, f frame) {
	f.set(q, x.t.Load(x.view(q, f, 0, "read", "reading")))
}

func (x *interpreter) swap(q *Eqn, f frame) {
	r := x.view(q, f, 0, "swap", "swapping")
	if len(q.Out) == 0 || q.Out[0].ID < 0 {
		x.t.Store(r, f.value(q.In[1]))
		return
	}
	f.set(q, x.t.Swap(r, f.value(q.In[1])))
}

func (x *interpreter) copyIn(q *Eqn, f frame) {
	src, dst := x.view(q, f, 0, "copy", "copying"), x.view(q, f, 1, "copy", "copying")
	x.t.CopyIn(src, dst, x.barrier(q, f, 2))
}

func (x *interpreter) copyOut(q *Eqn, f frame) {
	src, dst := x.view(q, f, 0, "copy", "copying"), x.view(q, f, 1, "copy", "copying")
	x.t.CopyOut(src, dst, q.Params.Commit)
}

// barrier selects one barrier of an operand; dimensions without an index have one element.
func (x *interpreter) barrier(q *Eqn, f frame, i int) *array.Barrier {
	item := f.get(q.In[i]).(array.Item)
	at, k := 0, 0
	for _, v := range q.Params.Views[i] {
		for _, s := range x.indices(v.Index, f) {
			if k == len(item.Shape) || s.Start < 0 || s.Start >= item.Shape[k] {
				x.t.Fail(kernel.OutOfBounds, "barrier", fmt.Sprintf("index %d of a barrier array of shape %v is out of bounds", s.Start, item.Shape), "use an index within the shape")
			}
			at = at*item.Shape[k] + s.Start
			k++
		}
	}
	for ; k < len(item.Shape); k++ {
		at *= item.Shape[k]
	}
	return item.Barriers[at]
}

func (x *interpreter) runScoped(q *Eqn, f frame) {
	p := q.Params
	list := make([]array.Scratch, len(p.Scratch))
	for i := range p.Scratch {
		list[i] = p.Scratch[i].scratch
	}
	var axes []memory.Axis
	for _, a := range p.Collective {
		if a == "thread" {
			axes = append(axes, memory.ThreadAxis)
		} else {
			axes = append(axes, memory.ClusterAxis)
		}
	}
	x.t.Scoped(list, axes, func(items []array.Item) {
		args := f.all(q.In)
		for _, it := range items {
			if it.Barriers != nil {
				args = append(args, it)
			} else {
				args = append(args, it.Ref)
			}
		}
		f.set(q, x.call(p.Jaxpr, args)...)
	})
}

func (x *interpreter) axisIndex(q *Eqn, f frame) {
	var n int
	switch p := q.Params; p.Axis {
	case "thread":
		n = x.t.ID
	case "grid":
		n = x.coords[p.Dim]
	case "one": // an axis of extent 1
	default:
		n = x.module.Axes[p.Axis]
	}
	f.set(q, array.Int(array.I32, int64(n)))
}

// cond runs the branch with the given index, which is clamped.
func (x *interpreter) cond(q *Eqn, f frame) {
	b := q.Params.Branches
	i := min(max(f.value(q.In[0]).Scalar(), 0), int64(len(b)-1))
	f.set(q, x.call(b[i], f.all(q.In[1:]))...)
}

func (x *interpreter) while(q *Eqn, f frame) {
	p := q.Params
	in := f.all(q.In)
	cond, body, carry := in[:p.CondN:p.CondN], in[p.CondN:p.CondN+p.Consts:p.CondN+p.Consts], in[p.CondN+p.Consts:]
	for x.call(p.Cond, append(cond, carry...))[0].(array.Value).Scalar() != 0 {
		x.t.At(q.Src)
		carry = x.call(p.Jaxpr, append(body, carry...))
	}
	f.set(q, carry...)
}

// scan runs its body for each element of the leading dimension of its inputs.
func (x *interpreter) scan(q *Eqn, f frame) {
	p := q.Params
	in := f.all(q.In)
	consts, carry, xs := in[:p.Consts:p.Consts], in[p.Consts:p.Consts+p.Carry], in[p.Consts+p.Carry:]
	ys := make([]array.Value, len(q.Out)-p.Carry)
	for i := range ys {
		ys[i] = array.Make(q.Out[p.Carry+i].dtype, q.Out[p.Carry+i].Shape)
	}
	for k := range p.Length {
		if p.Reverse {
			k = p.Length - 1 - k
		}
		x.t.At(q.Src)
		args := append(consts, carry...)
		for _, v := range xs {
			args = append(args, row(v.(array.Value), k))
		}
		out := x.call(p.Jaxpr, args)
		carry = out[:p.Carry]
		for i, v := range out[p.Carry:] {
			setRow(ys[i], k, v.(array.Value))
		}
	}
	results := append([]any(nil), carry...)
	for _, y := range ys {
		results = append(results, y)
	}
	f.set(q, results...)
}

// row is element k of the leading dimension.
func row(v array.Value, k int) array.Value {
	n := array.Count(v.Shape[1:])
	return v.Take(v.Shape[1:], func(i int) int { return k*n + i })
}

func setRow(v array.Value, k int, r array.Value) {
	n := r.Len()
	if v.F != nil {
		copy(v.F[k*n:], r.F)
	} else {
		copy(v.I[k*n:], r.I)
	}
}
