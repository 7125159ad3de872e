package array

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Load is the content of a view.
func (t *Thread) Load(r Ref) tensor.Value {
	runs := r.runs()
	t.access(r, runs, "load", false)
	t.initialised(r, runs)
	return r.read(true)
}

// Store changes the content of a view; a single element is stored everywhere.
func (t *Thread) Store(r Ref, v tensor.Value) {
	t.everywhere(r, func(r Ref) {
		t.access(r, r.runs(), "store", true)
		r.write(v)
	})
}

// Swap changes the content of a view and returns what it was before. It is not atomic.
func (t *Thread) Swap(r Ref, v tensor.Value) tensor.Value {
	old := t.Load(r)
	t.Store(r, v)
	return old
}

// AddUpdate adds to the content of a view. It is not atomic.
func (t *Thread) AddUpdate(r Ref, v tensor.Value) {
	t.Store(r, t.combine("add", t.Load(r), v))
}

// LoadMasked is the content of a view where the mask holds, and other elsewhere. Elements
// without the mask may lie outside.
func (t *Thread) LoadMasked(r Ref, mask, other tensor.Value) tensor.Value {
	runs := r.masked(mask)
	if !t.program().ReadOutside {
		t.within(r, runs, mask, "read")
	}
	t.access(r, runs, "load", false)
	t.initialised(r, runs)
	return t.choose(mask, r.read(true), other)
}

// SwapMasked changes those elements of a view for which the mask holds, and returns what
// was there before.
func (t *Thread) SwapMasked(r Ref, v, mask tensor.Value, result bool) tensor.Value {
	runs := r.masked(mask)
	t.within(r, runs, mask, "swap")
	if result {
		t.access(r, runs, "load", false)
		t.initialised(r, runs)
	}
	t.access(r, runs, "store", true)
	old := r.read(true)
	r.writeMasked(v, mask)
	return t.choose(mask, old, v)
}

// within checks that the elements for which the mask holds lie inside of the buffer. runs
// are those that do.
func (t *Thread) within(r Ref, runs []region.Run, mask tensor.Value, op string) {
	n := 0
	for _, x := range runs {
		n -= int(x.Len) / r.typ.Size()
	}
	for _, x := range mask.Data {
		if x != 0 {
			n++
		}
	}
	if n == 0 {
		return
	}
	there := make([]bool, r.count())
	r.each(func(i, _, n int) {
		for k := range n {
			there[i+k] = true
		}
	})
	for i := range there {
		if mask.Data[i] != 0 && !there[i] {
			t.failOn(r.Buffer, kernel.OutOfBounds, op, fmt.Sprintf("Out-of-bounds masked %s of %s: the mask holds for element %v of the %s of shape %s, which lies outside of the buffer of shape %s",
				op, r.Buffer.Name, coordinates(i, r.Shape()), op, shapeText(r.Shape()), shapeText(r.Buffer.Dims)), "let the mask hold for elements inside of the shape only")
		}
	}
}

// choose takes the elements of the first value where the mask holds, else of the other.
func (t *Thread) choose(mask, v, other tensor.Value) tensor.Value {
	return t.apply("select_n", nil, v.Shape, mask.WithShape(v.Shape), t.spread(other, v.Shape), v)
}

// access records an access of the thread itself.
func (t *Thread) access(r Ref, runs []region.Run, op string, write bool) {
	t.permitted(&r, runs, op, write, false)
	if t.program().races {
		if r.Buffer.Space == kernel.Tensor { // a load or store with its wait
			o := t.issue("access to tensor memory")
			o.Access(r.Buffer.shadow, r.Buffer.placed(runs), write, region.Tensor, r.Buffer.object, t.site)
			t.clock.Settle(o)
		} else {
			t.clock.Access(r.Buffer.shadow, r.Buffer.placed(runs), write, r.Buffer.object, t.site)
		}
	}
	t.traffic(r, runs)
}

// traffic counts a request.
func (t *Thread) traffic(r Ref, runs []region.Run) {
	c := t.launch().Counters
	if r.Buffer.Space == kernel.Global {
		c.GlobalRequests++
		for _, x := range runs {
			c.GlobalSectors += uint64((x.Off+x.Len+31)/32 - x.Off/32)
		}
	} else {
		c.SharedRequests++
	}
}

// placed is runs of the buffer as runs of the physical memory that it lies in.
func (b *Buffer) placed(runs []region.Run) []region.Run {
	if b.base == 0 {
		return runs
	}
	out := make([]region.Run, len(runs))
	for i, x := range runs {
		out[i] = region.Run{Off: x.Off + b.base, Len: x.Len}
	}
	return out
}

// everywhere does something with a view, or with that of every device if it is multicast.
func (t *Thread) everywhere(r Ref, do func(Ref)) {
	if r.multi == nil {
		do(r)
		return
	}
	for _, d := range r.multi {
		one := r
		one.multi = nil
		do(t.OnDevice(one, d))
	}
}

// permitted reports what is wrong with an access but for its order.
func (t *Thread) permitted(r *Ref, runs []region.Run, op string, write, async bool) {
	t.alive(*r, op)
	t.member(r, runs, write)
	t.afterEnd(r, write, async)
}

// alive reports an access to memory whose scope has ended.
func (t *Thread) alive(r Ref, op string) {
	b := r.Buffer
	if !b.Freed {
		return
	}
	what, fix := b.Name+" after the end of the scope in which it was allocated"+inBrackets(b.Source), "use the reference inside of its scope only"
	if b.Space != kernel.Global && t.block() != t.cluster.blocks[b.block] {
		what = fmt.Sprintf("%s of block %d of its cluster, whose scope%s has ended there", b.Name, b.block, inBrackets(b.Source))
		if b.Source.File == "" { // the kernel's own scratch
			what = fmt.Sprintf("%s of block %d of its cluster, which has ended", b.Name, b.block)
		}
		fix = fmt.Sprintf("let block %d wait at a ClusterBarrier until the other blocks are through with its memory", b.block)
	}
	t.failOn(b, kernel.UseAfterFree, op, t.where()+" accesses "+what, fix)
}

// initialised reports a read of bytes that nobody has written.
func (t *Thread) initialised(r Ref, runs []region.Run) {
	if r.Buffer.Valid == nil || t.program().Zero {
		return
	}
	for _, x := range runs {
		if r.Buffer.AllValid(x.Off, x.Len) {
			continue
		}
		off, size := x.Off, r.typ.Size()
		for r.Buffer.AllValid(off, int64(size)) {
			off += int64(size)
		}
		t.report(kernel.Finding{Message: fmt.Sprintf("%s reads uninitialised memory: element %d of %s", t.where(), off/int64(size), r.Buffer.Name),
			Fix: "write it first, or wait for the copy that does", Space: r.Buffer.Space, Object: r.Buffer.Name, Offset: off, Size: size,
			Accesses: []kernel.Access{{Op: "read", Source: t.source(), Thread: t.id()}}},
			kernel.UninitializedRead, kernel.Error, r.Buffer.Name)
		return
	}
}

// combine reduces two values of one type; their shapes fit.
func (t *Thread) combine(op string, a, b tensor.Value) tensor.Value {
	if _, ok := tensor.Find(op); !ok {
		t.Fail(kernel.AsyncMisuse, op, fmt.Sprintf("the reduction %q is not known", op), "use add, max, min, and, or, xor")
	}
	return t.apply(op, nil, a.Shape, a, b)
}

// spread repeats a single element to a shape.
func (t *Thread) spread(v tensor.Value, shape []int) tensor.Value {
	if v.Len() == tensor.Count(shape) {
		return v.WithShape(shape)
	}
	return t.apply("broadcast_in_dim", nil, shape, v.WithShape(nil))
}

// apply computes a primitive whose result has the type of the last operand.
func (t *Thread) apply(op string, p *tensor.Params, shape []int, in ...tensor.Value) tensor.Value {
	f, ok := tensor.Find(op)
	if !ok {
		panic("package tensor has no " + op)
	}
	if p == nil {
		p = &tensor.Params{}
	}
	d := in[len(in)-1].Type
	out, err := f(p, []tensor.Type{{DType: d, Shape: shape}}, in)
	if err != nil {
		t.Fail(kernel.AsyncMisuse, op, fmt.Sprintf("%s of %v: %v", op, d, err), "use a type that has this operation")
	}
	return out[0]
}
