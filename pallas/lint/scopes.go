package lint

import (
	"fmt"
	"slices"

	"gpusim/pallas"
	"gpusim/tensor"
)

// Limits of the hardware. The present architectures agree in them.
const (
	sharedBytes   = 227 * 1024 // of a block
	tensorColumns = 512
	tensorRows    = 128
	blockThreads  = 1024
	barrierBytes  = 8
	groupThreads  = 128 // of a thread of the program
)

// room is what is allocated at a time, at least.
type room struct {
	bytes, columns         int
	mostBytes, mostColumns int
	bytesAt, columnsAt     int // where the most was reached
	collective, single     bool
}

// launch looks at the extents of the kernel.
func (l *linter) launch() {
	if n := l.m.Threads * groupThreads; n > blockThreads {
		l.report(fmt.Sprintf("use at most %d threads", blockThreads/groupThreads),
			"a block of %d threads has %d threads of hardware, %d for each, and at most %d are possible", l.m.Threads, n, groupThreads, blockThreads)
	}
}

// operand is what a parameter of the kernel refers to.
func (l *linter) operand(o *pallas.Operand) value {
	if o.Kind == "scratch" {
		return l.allocate(o.Scratch)
	}
	if o.Buffer < 0 || o.Buffer >= len(l.m.Buffers) {
		return value{}
	}
	b := &l.m.Buffers[o.Buffer]
	if o.Window != nil {
		l.report("copy the block inside of the kernel", "the operand %s has a BlockSpec, which the compiler takes for pipelines only", b.Name)
		return value{}
	}
	return value{class: reference, dtype: b.Type(), shape: b.Shape, space: o.Kind}
}

// allocate is what an allocation refers to; what it takes is counted.
func (l *linter) allocate(x *pallas.Scratch) value {
	if x == nil {
		return value{}
	}
	v := value{shape: x.Shape, space: x.Space, scratch: scratch{Physical: x.Physical, packed: x.Packed, collective: x.Collective}}
	v.dtype, _ = tensor.FindDType(x.DType)
	switch x.Kind {
	case "array":
		v.class = reference
		l.array(x, v)
	case "union":
		v.class = union
		if x.Space == "tmem" {
			l.take(0, x.Bytes/(tensorRows*4))
		} else {
			l.take(x.Bytes, 0)
		}
	case "accumulator":
		v.class, v.space = accumulator, ""
		if v.dtype == tensor.U32 || v.dtype == tensor.U8 || v.dtype == tensor.U16 || v.dtype == tensor.U64 {
			l.report("use int32", "the accumulator %s has elements of %s: products of integers are added to signed ones", x.Name, v.dtype)
		}
	case "barrier":
		v.class = barrier
		l.take(barrierBytes*elements(x.Shape), 0)
	case "cluster_barrier":
		v.class = clusterBarrier
		l.take(barrierBytes*elements(x.Shape), 0)
	case "semaphore":
		v.class = semaphore
	}
	return v
}

func (l *linter) array(x *pallas.Scratch, v value) {
	bits := elements(x.Shape) * v.bits()
	if v.dtype == tensor.Bool {
		bits = elements(x.Shape) * 8
	}
	switch x.Space {
	case "smem":
		l.take((bits+7)/8, 0)
		if len(x.Tiling) > 0 && x.Swizzle > 0 && x.Tiling[len(x.Tiling)-1]*v.bits() != 8*x.Swizzle {
			l.report("", "the tiles of %s have rows of %d elements, and a swizzle of %d bytes needs %d", x.Name, x.Tiling[len(x.Tiling)-1], x.Swizzle, 8*x.Swizzle/max(v.bits(), 1))
		}
	case "gmem":
		l.report("pass it to the kernel as an output", "%s is allocated in global memory, which the compiler does for semaphores only", x.Name)
	case "tmem":
		l.tensorMemory(x, v)
	}
}

func (l *linter) tensorMemory(x *pallas.Scratch, v value) {
	if len(x.Shape) >= 2 {
		columns := x.Shape[len(x.Shape)-1]
		for _, n := range x.Shape[:len(x.Shape)-2] {
			columns *= n
		}
		rows := x.Shape[len(x.Shape)-2]
		if rows != tensorRows && rows != tensorRows/2 && v.bits() >= 32 { // smaller ones may have layouts of their own
			l.report("use 128 or 64 rows", "%s has %d rows in tensor memory: 64 and 128 are possible", x.Name, rows)
		}
		if x.Packed {
			columns = (columns*v.bits() + 31) / 32
		}
		if rows < tensorRows {
			columns = (columns + 1) / 2 // the layout may use all rows
		}
		if v.bits() >= 8 || x.Packed {
			l.take(0, columns)
		}
	}
	blocks := 1
	for _, n := range l.m.Cluster {
		blocks *= n
	}
	if x.Collective {
		l.room.collective = true
		if blocks%2 != 0 {
			l.report("make the cluster even, or the allocation not collective", "%s is collective in tensor memory, and the cluster of shape %v has an odd number of blocks", x.Name, l.m.Cluster)
		}
	} else {
		l.room.single = true
	}
	if l.room.collective && l.room.single {
		l.report("make all of them collective, or none", "collective and other allocations in tensor memory are mixed in a kernel")
	}
}

// take counts what an allocation takes.
func (l *linter) take(bytes, columns int) {
	r := &l.room
	r.bytes, r.columns = r.bytes+bytes, r.columns+columns
	if r.bytes > r.mostBytes {
		r.mostBytes, r.bytesAt = r.bytes, l.site
	}
	if r.columns > r.mostColumns {
		r.mostColumns, r.columnsAt = r.columns, l.site
	}
}

// capacity looks at the most that is allocated at a time.
func (l *linter) capacity() {
	r := &l.room
	if r.mostBytes > sharedBytes {
		l.site = r.bytesAt
		l.report("use smaller tiles, or fewer of them", "the kernel needs at least %d bytes of shared memory, and %s has %d for a block", r.mostBytes, l.arch, sharedBytes)
	}
	if r.mostColumns > tensorColumns {
		l.site = r.columnsAt
		l.report("use smaller accumulators, or fewer of them", "the kernel needs at least %d columns of tensor memory, and there are %d", r.mostColumns, tensorColumns)
	}
}

// holding goes through the functions of an equation; it returns the results.
func (l *linter) holding(e *pallas.Eqn, in []value) []value {
	p := params[nested](e)
	switch e.Prim {
	case "run_scoped":
		return l.runScoped(&p, in)
	case "run_state":
		return l.runState(e, &p, in)
	case "warps":
		for _, v := range in {
			if v.wide() {
				l.report("pass it through shared memory", "the code of warps uses an array of shape %v from outside: it can use scalars and references only", v.shape)
			}
		}
		outer := l.warp
		l.warp = true
		l.function(p.Body, in)
		l.warp = outer
		return nil
	case "cond":
		var out []value
		for i, b := range p.Branches {
			got := l.function(b, in[min(1, len(in)):])
			if i == 0 {
				out = got
			}
			join(out, got)
		}
		return out
	case "while":
		first := min(p.CondConsts, len(in))
		consts := min(first+p.Consts, len(in))
		l.function(p.Cond, slices.Concat(in[:first], in[consts:]))
		return l.loop(p.Body, in[first:consts], in[consts:], nil)
	}
	return l.scan(&p, in)
}

// counts reports whether a while loop is a fori_loop: it counts from its first carried
// value to its second one.
func (l *linter) counts(e *pallas.Eqn) bool {
	p := params[nested](e)
	if p.CondConsts != 0 || p.Cond == nil || len(p.Cond.Eqns) != 1 || len(p.Cond.In) < 2 {
		return false
	}
	test := p.Cond.Eqns[0]
	if test.Prim != "lt" || len(test.In) != 2 || test.In[0] == nil || test.In[1] == nil {
		return false
	}
	a, b := test.In[0].Atom, test.In[1].Atom
	return a.Literal == nil && b.Literal == nil && a.Var == p.Cond.In[0] && b.Var == p.Cond.In[1]
}

func (l *linter) scan(p *nested, in []value) []value {
	consts := min(p.Consts, len(in))
	carry := min(consts+p.Carry, len(in))
	outs := 0
	if p.Body != nil {
		outs = len(p.Body.Out) - p.Carry
	}
	switch {
	case p.Reverse:
		l.report("count down inside of a forward loop", "the compiler has no rule for a reversed loop")
	case carry < len(in):
		l.report("use a fori_loop over indices", "the compiler has no rule for a loop over the elements of an array")
	case outs > 0:
		l.report("store to a reference inside of a fori_loop", "the compiler has no rule for a loop that collects its results in an array")
	case p.Unroll > 1 && p.Length%p.Unroll != 0:
		l.report("use a divisor", "a loop of %d rounds is unrolled by %d, which does not divide them", p.Length, p.Unroll)
	}
	var xs []value
	for _, v := range in[carry:] {
		if len(v.shape) > 0 {
			v.shape = v.shape[1:]
		}
		xs = append(xs, v)
	}
	return l.loop(p.Body, in[:consts], in[consts:carry], xs)
}

// loop goes through a body, a second time if that carries more than at first.
func (l *linter) loop(body *pallas.Function, consts, carry, xs []value) []value {
	state := slices.Clone(carry)
	out := l.function(body, slices.Concat(consts, state, xs))
	if join(state, out[:min(len(state), len(out))]) {
		out = l.function(body, slices.Concat(consts, state, xs))
	}
	return out
}

// join adds to values what is known of others that can take their places.
func join(to, from []value) (changed bool) {
	for i := range to {
		if i < len(from) && from[i].loaded && !to[i].loaded {
			to[i].loaded, changed = true, true
		}
	}
	return changed
}

func (l *linter) runScoped(p *nested, in []value) []value {
	bytes, columns := l.room.bytes, l.room.columns
	all := slices.Clone(in)
	for _, x := range p.Scratch {
		if x == nil {
			continue
		}
		switch {
		case x.Kind == "accumulator" && p.Threads:
			l.report("allocate it in a run_scoped of its own", "the accumulator %s is allocated for all threads together: each thread has its own", x.Name)
		case x.Kind == "semaphore" && l.m.ThreadAxis && !p.Threads:
			l.report("add collective_axes with the name of the threads, or use pl.get_global", "the semaphore %s is allocated for each thread by itself", x.Name)
		case x.Kind != "accumulator" && x.Kind != "semaphore" && l.m.ThreadAxis && !p.Threads:
			l.report("add collective_axes with the name of the threads", "%s is allocated for each thread by itself: in a kernel with threads they allocate together", x.Name)
		}
		all = append(all, l.allocate(x))
	}
	out := l.function(p.Body, all)
	l.room.bytes, l.room.columns = bytes, columns
	return out
}

func (l *linter) runState(e *pallas.Eqn, p *nested, in []value) []value {
	state := slices.Clone(in)
	out := make([]value, len(in))
	some := false
	for i, x := range p.Scratch {
		if i >= len(state) || x == nil {
			continue
		}
		some = true
		if e.In[i] == nil {
			l.report("give it a value at first", "the state %s begins without a value", x.Name)
		}
		state[i] = l.allocate(x)
		out[i] = value{class: array, loaded: true}
	}
	if !some {
		l.report("leave out run_state", "run_state without an accumulator")
	}
	l.function(p.Body, state)
	return out
}
