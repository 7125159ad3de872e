package pallas

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"gpusim/array"
	"gpusim/kernel"
)

func init() {
	for name, h := range map[string]primitive{
		"select_n":             {2, 0, selectN},
		"clamp":                {3, 0, clamp},
		"convert_element_type": {1, 0, convert},
		"bitcast_convert_type": {1, 0, bitcast},
		"integer_pow":          {1, 0, integerPow},
		"is_finite":            {1, 0, isFinite},
		"round":                {1, 0, round},
		"reshape":              {1, 0, reshape},
		"squeeze":              {1, 0, reshape},
		"expand_dims":          {1, 0, reshape},
		"copy":                 {1, 0, identity},
		"stop_gradient":        {1, 0, identity},
		"layout_cast":          {1, 0, identity},
		"optimization_barrier": {1, 0, func(_ *interpreter, q *Eqn, f frame) { f.set(q, f.all(q.In)...) }},
		"broadcast_in_dim":     {1, 0, broadcast},
		"transpose":            {1, 0, transpose},
		"iota":                 {0, 0, iota_},
		"slice":                {1, 0, slice},
		"dynamic_slice":        {1, 0, dynamicSlice},
		"concatenate":          {1, 0, concatenate},
		"dot_general":          {2, 0, dot},
	} {
		handlers[name] = h
	}
	for name, op := range map[string]string{"reduce_sum": "add", "reduce_prod": "mul", "reduce_max": "max", "reduce_min": "min", "reduce_and": "and", "reduce_or": "or"} {
		handlers[name] = primitive{1, 0, reduce(binaries[op])}
	}
}

// unsupported ends the launch because of a type for which a primitive is not implemented.
func (x *interpreter) unsupported(q *Eqn, d array.DType) {
	x.t.Fail(kernel.WouldNotLower, q.Prim, fmt.Sprintf("%s of %s is not supported", q.Prim, d), "convert the operand first")
}

func identity(_ *interpreter, q *Eqn, f frame) { f.set(q, f.get(q.In[0])) }

func reshape(_ *interpreter, q *Eqn, f frame) { f.set(q, f.value(q.In[0]).WithShape(q.Out[0].Shape)) }

func selectN(_ *interpreter, q *Eqn, f frame) {
	which := f.value(q.In[0])
	cases := make([]array.Value, len(q.In)-1)
	for i := range cases {
		cases[i] = f.value(q.In[i+1])
	}
	out := array.Make(cases[0].Type, cases[0].Shape)
	for i := range out.Len() {
		c := cases[min(max(which.I[at(which, i)], 0), int64(len(cases)-1))]
		if out.F != nil {
			out.F[i] = c.F[i]
		} else {
			out.I[i] = c.I[i]
		}
	}
	f.set(q, out)
}

func clamp(_ *interpreter, q *Eqn, f frame) {
	low, v, high := f.value(q.In[0]), f.value(q.In[1]), f.value(q.In[2])
	out := array.Make(v.Type, v.Shape)
	for i := range out.F {
		out.F[i] = math.Min(math.Max(v.F[i], low.F[at(low, i)]), high.F[at(high, i)])
	}
	for i := range out.I {
		x := v.I[i]
		if lo := low.I[at(low, i)]; less(v.Type, x, lo) {
			x = lo
		}
		if hi := high.I[at(high, i)]; less(v.Type, hi, x) {
			x = hi
		}
		out.I[i] = x
	}
	f.set(q, out)
}

// convert changes the type. Floating-point numbers are truncated to integers, those out of
// range saturate and NaN becomes 0, as in XLA.
func convert(_ *interpreter, q *Eqn, f frame) {
	v, to := f.value(q.In[0]), q.Out[0].dtype
	out := array.Make(to, v.Shape)
	for i := range v.Len() {
		switch {
		case v.F != nil && out.F != nil:
			out.F[i] = to.Round(v.F[i])
		case out.F != nil:
			out.F[i] = fromInt(to, v.Type, v.I[i])
		case to == array.Bool:
			if v.F != nil && v.F[i] != 0 || v.I != nil && v.I[i] != 0 {
				out.I[i] = 1
			}
		case v.F != nil:
			out.I[i] = toInt(to, v.F[i])
		default:
			out.I[i] = to.Wrap(v.I[i])
		}
	}
	f.set(q, out)
}

func fromInt(to, from array.DType, x int64) float64 {
	switch {
	case from == array.U64 && to == array.F32:
		return float64(float32(uint64(x)))
	case from == array.U64:
		return to.Round(float64(uint64(x)))
	case to == array.F32:
		return float64(float32(x))
	}
	return to.Round(float64(x))
}

func toInt(to array.DType, x float64) int64 {
	if math.IsNaN(x) {
		return 0
	}
	x = math.Trunc(x)
	n := 8 * to.Size()
	if to.Signed() {
		switch limit := math.Ldexp(1, n-1); {
		case x >= limit:
			return math.MaxInt64 >> (64 - n)
		case x < -limit:
			return math.MinInt64 >> (64 - n)
		}
		return int64(x)
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, n):
		return to.Wrap(-1)
	}
	return to.Wrap(int64(uint64(x)))
}

func bitcast(x *interpreter, q *Eqn, f frame) {
	v, to := f.value(q.In[0]), q.Out[0].dtype
	if to.Size() != v.Type.Size() {
		x.unsupported(q, v.Type)
	}
	out := array.Make(to, v.Shape)
	for i := range v.Len() {
		out.SetBits(i, v.Bits(i))
	}
	f.set(q, out)
}

func integerPow(_ *interpreter, q *Eqn, f frame) {
	v, y := f.value(q.In[0]), q.Params.Y
	out := array.Make(v.Type, v.Shape)
	for i := range v.F {
		p := 1.0
		for range max(y, -y) {
			p = v.Type.Round(p * v.F[i])
		}
		if y < 0 {
			p = v.Type.Round(1 / p)
		}
		out.F[i] = p
	}
	for i := range v.I {
		p := int64(1)
		for range y {
			p = v.Type.Wrap(p * v.I[i])
		}
		out.I[i] = p
	}
	f.set(q, out)
}

func isFinite(_ *interpreter, q *Eqn, f frame) {
	v := f.value(q.In[0])
	out := array.Make(array.Bool, v.Shape)
	for i, x := range v.F {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			out.I[i] = 1
		}
	}
	f.set(q, out)
}

// round rounds to an integer: halves away from zero, or to even if y is 1.
func round(x *interpreter, q *Eqn, f frame) {
	v := f.value(q.In[0])
	how := math.Round
	if q.Params.Y == 1 {
		how = math.RoundToEven
	}
	out := array.Make(v.Type, v.Shape)
	for i, e := range v.F {
		out.F[i] = how(e)
	}
	f.set(q, out)
}

// strides of a shape in row major order.
func strides(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// gather makes an array whose element at an index lies at the sum of index times step from
// base in v.
func gather(v array.Value, shape []int, base int, step []int) array.Value {
	index := make([]int, len(shape))
	from := base
	return v.Take(shape, func(int) int {
		at := from
		for k := len(index) - 1; k >= 0; k-- {
			index[k]++
			from += step[k]
			if index[k] < shape[k] {
				break
			}
			from -= index[k] * step[k]
			index[k] = 0
		}
		return at
	})
}

func broadcast(_ *interpreter, q *Eqn, f frame) {
	v := f.value(q.In[0])
	shape := q.Out[0].Shape
	step := make([]int, len(shape))
	s := strides(v.Shape)
	for i, d := range q.Params.Axes {
		if v.Shape[i] > 1 {
			step[d] = s[i]
		}
	}
	f.set(q, gather(v, shape, 0, step))
}

func transpose(_ *interpreter, q *Eqn, f frame) { f.set(q, permute(f.value(q.In[0]), q.Params.Axes)) }

func permute(v array.Value, perm []int) array.Value {
	s := strides(v.Shape)
	shape, step := make([]int, len(perm)), make([]int, len(perm))
	for i, p := range perm {
		shape[i], step[i] = v.Shape[p], s[p]
	}
	return gather(v, shape, 0, step)
}

func iota_(_ *interpreter, q *Eqn, f frame) {
	shape := q.Out[0].Shape
	out := array.Make(q.Out[0].dtype, shape)
	s := strides(shape)[q.Params.Dim]
	for i := range out.Len() {
		n := i / s % shape[q.Params.Dim]
		if out.F != nil {
			out.F[i] = out.Type.Round(float64(n))
		} else {
			out.I[i] = out.Type.Wrap(int64(n))
		}
	}
	f.set(q, out)
}

func slice(_ *interpreter, q *Eqn, f frame) {
	v := f.value(q.In[0])
	step := strides(v.Shape)
	base := 0
	for i, b := range q.Params.Start {
		base += b * step[i]
		if len(q.Params.Strides) > 0 {
			step[i] *= q.Params.Strides[i]
		}
	}
	f.set(q, gather(v, q.Out[0].Shape, base, step))
}

// dynamicSlice clamps its start so that the slice lies within the operand.
func dynamicSlice(_ *interpreter, q *Eqn, f frame) {
	v := f.value(q.In[0])
	step := strides(v.Shape)
	base := 0
	for i, n := range q.Params.Sizes {
		at := int(f.value(q.In[i+1]).Scalar())
		base += min(max(at, 0), v.Shape[i]-n) * step[i]
	}
	f.set(q, gather(v, q.Params.Sizes, base, step))
}

func concatenate(_ *interpreter, q *Eqn, f frame) {
	d := q.Params.Dim
	out := array.Make(q.Out[0].dtype, q.Out[0].Shape)
	inner := array.Count(out.Shape[d+1:])
	row := out.Shape[d] * inner
	off := 0
	for _, a := range q.In {
		v := f.value(a)
		n := v.Shape[d] * inner
		for i := range array.Count(v.Shape[:d]) {
			if out.F != nil {
				copy(out.F[i*row+off:], v.F[i*n:(i+1)*n])
			} else {
				copy(out.I[i*row+off:], v.I[i*n:(i+1)*n])
			}
		}
		off += n
	}
	f.set(q, out)
}

// reduce folds the elements along some axes. Sums and products of floating-point numbers
// are rounded once, at the end.
func reduce(op binaryOp) handler {
	return func(x *interpreter, q *Eqn, f frame) {
		v := f.value(q.In[0])
		var perm, kept []int
		for i, n := range v.Shape {
			if !slices.Contains(q.Params.Axes, i) {
				perm, kept = append(perm, i), append(kept, n)
			}
		}
		v = permute(v, append(perm, q.Params.Axes...))
		out := array.Make(v.Type, kept)
		if out.Len() == 0 || v.Len() == 0 {
			f.set(q, out)
			return
		}
		n := v.Len() / out.Len()
		if v.F != nil && op.float == nil {
			x.unsupported(q, v.Type)
		}
		for i := range out.F {
			acc := v.F[i*n]
			for _, e := range v.F[i*n+1 : (i+1)*n] {
				acc = op.float(acc, e)
			}
			out.F[i] = v.Type.Round(acc)
		}
		for i := range out.I {
			acc := v.I[i*n]
			for _, e := range v.I[i*n+1 : (i+1)*n] {
				acc = v.Type.Wrap(op.int(v.Type, acc, e))
			}
			out.I[i] = acc
		}
		f.set(q, out)
	}
}

// dot multiplies matrices: batch dimensions, then free ones of the left and of the right.
// Floating-point products are summed in double precision and rounded once.
func dot(x *interpreter, q *Eqn, f frame) {
	a, b := f.value(q.In[0]), f.value(q.In[1])
	d := q.Params.Dot
	a, m := matrices(a, d[2], d[0], false)
	b, n := matrices(b, d[3], d[1], true)
	batch, k := 1, 1
	for _, i := range d[0] {
		k *= f.value(q.In[0]).Shape[i]
	}
	for _, i := range d[2] {
		batch *= f.value(q.In[0]).Shape[i]
	}
	out := array.Make(q.Out[0].dtype, q.Out[0].Shape)
	if (a.F == nil) != (out.F == nil) {
		x.unsupported(q, a.Type)
	}
	for i := range batch {
		if out.F != nil {
			c := out.F[i*m*n : (i+1)*m*n]
			if m*n*k > 0 {
				gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a.F[i*m*k:], k, b.F[i*k*n:], n, 0, c, n)
			}
			for j := range c {
				c[j] = out.Type.Round(c[j])
			}
			continue
		}
		for r := range m {
			for c := range n {
				var sum int64
				for l := range k {
					sum += a.I[(i*m+r)*k+l] * b.I[(i*k+l)*n+c]
				}
				out.I[(i*m+r)*n+c] = out.Type.Wrap(sum)
			}
		}
	}
	f.set(q, out)
}

// matrices brings the batch dimensions to the front and the contracted ones behind the free
// ones, or before them. It also returns the number of free elements.
func matrices(v array.Value, batch, contracted []int, before bool) (array.Value, int) {
	var free []int
	n := 1
	for i, s := range v.Shape {
		if !slices.Contains(batch, i) && !slices.Contains(contracted, i) {
			free = append(free, i)
			n *= s
		}
	}
	perm := append([]int(nil), batch...)
	if before {
		perm = append(append(perm, contracted...), free...)
	} else {
		perm = append(append(perm, free...), contracted...)
	}
	return permute(v, perm), n
}
