package tensor

import (
	"fmt"
	"slices"
)

// windows is where the slices of a gather or scatter lie in the operand and in the other
// array, which is the result of a gather and the updates of a scatter.
type windows struct {
	*Indexing
	operand   []int // extents
	indices   Value
	count     int
	sizes     []int // of a slice, along each dimension of the operand
	steps     []int // of the operand
	batch     []int // extents of the indices without their last dimension
	batchStep []int // of the other array, along each of these
	shape     []int // of a slice without the dimensions that the other array does not have
	from, to  []int // steps along these in the operand and in the other array
	index     []int
}

// windowsOf checks dimension numbers. If sizes is nil they follow from the other array.
func windowsOf(x *Indexing, operand []int, indices Value, sizes, other []int) (*windows, error) {
	if x == nil {
		return nil, fmt.Errorf("dimension numbers are missing")
	}
	n := len(operand)
	if len(indices.Shape) == 0 || !indices.Type.integer() {
		return nil, fmt.Errorf("indices are %s", describe(indices.Type, indices.Shape))
	}
	last := len(indices.Shape) - 1
	if !distinct(x.Window, len(other)) || !distinct(slices.Concat(x.Collapsed, x.Batch), n) || !distinct(slices.Concat(x.Map, x.Batch), n) ||
		!distinct(x.IndexBatch, last) || len(x.Batch) != len(x.IndexBatch) || len(x.Map) != indices.Shape[last] ||
		len(x.Window)+len(x.Collapsed)+len(x.Batch) != n || len(other) != last+len(x.Window) {
		return nil, fmt.Errorf("dimension numbers %+v do not fit operand %v, indices %v and %v", *x, operand, indices.Shape, other)
	}
	switch x.Mode {
	case "", "clip", "fill", "drop":
	default:
		return nil, fmt.Errorf("mode %q is not supported", x.Mode)
	}
	w := &windows{Indexing: x, operand: operand, indices: indices, steps: strides(operand), batch: indices.Shape[:last], index: make([]int, last)}
	w.count = Count(w.batch)
	w.sizes = slices.Clone(sizes)
	if sizes == nil {
		w.sizes = make([]int, n)
	}
	if len(w.sizes) != n {
		return nil, fmt.Errorf("slice sizes %v of operand %v", sizes, operand)
	}
	to := strides(other)
	k := 0
	for d := range n {
		if slices.Contains(x.Collapsed, d) || slices.Contains(x.Batch, d) {
			if sizes == nil {
				w.sizes[d] = 1
			}
			if w.sizes[d] != 1 {
				return nil, fmt.Errorf("slice sizes %v, but dimension %d is left out", sizes, d)
			}
		} else {
			e := other[x.Window[k]]
			if sizes == nil {
				w.sizes[d] = e
			}
			if w.sizes[d] != e {
				return nil, fmt.Errorf("slice sizes %v do not give %v", sizes, other)
			}
			w.shape, w.from, w.to = append(w.shape, e), append(w.from, w.steps[d]), append(w.to, to[x.Window[k]])
			k++
		}
		if w.sizes[d] > operand[d] && w.count > 0 {
			return nil, fmt.Errorf("slice sizes %v of operand %v", w.sizes, operand)
		}
	}
	for d := range other {
		if !slices.Contains(x.Window, d) {
			if other[d] != w.batch[len(w.batchStep)] {
				return nil, fmt.Errorf("indices %v do not give %v", indices.Shape, other)
			}
			w.batchStep = append(w.batchStep, to[d])
		}
	}
	for i, d := range x.Batch {
		if w.batch[x.IndexBatch[i]] > operand[d] {
			return nil, fmt.Errorf("batch dimension %d of %v is less than that of the indices %v", d, operand, indices.Shape)
		}
	}
	return w, nil
}

// at is where slice i begins in the operand, moved so that it lies within, and in the other
// array. It also says whether it lay within.
func (w *windows) at(i int) (operand, other int, inside bool) {
	rest := i
	for d := len(w.batch) - 1; d >= 0; d-- {
		w.index[d] = rest % w.batch[d]
		rest /= w.batch[d]
		other += w.index[d] * w.batchStep[d]
	}
	inside = true
	k := len(w.Map)
	for c, d := range w.Map {
		limit := w.operand[d] - w.sizes[d]
		start := clampStart(w.indices, i*k+c, limit)
		if x := w.indices.Int(i*k + c); x != int64(start) {
			inside = false
		}
		operand += start * w.steps[d]
	}
	for j, d := range w.Batch {
		operand += w.index[w.IndexBatch[j]] * w.steps[d]
	}
	return operand, other, inside
}

// gather takes slices of the operand.
func gather(p *Params, out Type, in []Value) (Value, error) {
	a := in[0]
	if out.DType != a.Type {
		return Value{}, mismatch(out, a.Type, out.Shape)
	}
	sizes := p.Sizes
	if sizes == nil {
		sizes = []int{}
	}
	w, err := windowsOf(p.Gather, a.Shape, in[1], sizes, out.Shape)
	if err != nil {
		return Value{}, err
	}
	v := Make(a.Type, out.Shape)
	if len(v.Data) == 0 {
		return v, nil
	}
	fill := w.Mode == "fill" || w.Mode == "drop"
	blank := Value{Type: a.Type, Data: alloc(a.Type.Size())}
	blank.setBits(0, w.fill(a.Type))
	none := make([]int, len(w.shape))
	size := a.Type.Size()
	for i := range w.count {
		from, to, inside := w.at(i)
		if fill && !inside {
			copyStrided(size, w.shape, v.Data, to, w.to, blank.Data, 0, none)
			continue
		}
		copyStrided(size, w.shape, v.Data, to, w.to, a.Data, from, w.from)
	}
	return v, nil
}

// fill is the representation of what is out of bounds.
func (x *Indexing) fill(d DType) uint64 {
	switch {
	case x.Fill != nil:
		return d.encode(*x.Fill)
	case d.Signed() && !d.Float():
		return 1 << (d.Bits() - 1)
	}
	return d.undefined()
}

// scatter writes slices into the operand, in their order, by an operation with what is there.
func scatter(name string, op opcode) Primitive {
	return one(name, 3, func(p *Params, out Type, in []Value) (Value, error) {
		a, u := in[0], in[2]
		if out.DType != a.Type || u.Type != a.Type || !sameShape(out.Shape, a.Shape) {
			return Value{}, mismatch(out, a.Type, a.Shape)
		}
		if op != opSet && !op.defined(a.Type) {
			return Value{}, unsupported(a.Type)
		}
		w, err := windowsOf(p.Gather, a.Shape, in[1], nil, u.Shape)
		if err != nil {
			return Value{}, err
		}
		v := Value{Type: a.Type, Shape: out.Shape, Data: alloc(len(a.Data))}
		copy(v.Data, a.Data)
		if len(u.Data) == 0 {
			return v, nil
		}
		size := a.Type.Size()
		row := strides(w.shape)
		old, add := Make(a.Type, w.shape), Make(a.Type, w.shape)
		for i := range w.count {
			to, from, inside := w.at(i)
			switch {
			case w.Mode != "clip" && !inside:
			case op == opSet:
				copyStrided(size, w.shape, v.Data, to, w.from, u.Data, from, w.to)
			default:
				copyStrided(size, w.shape, old.Data, 0, row, v.Data, to, w.from)
				copyStrided(size, w.shape, add.Data, 0, row, u.Data, from, w.to)
				applyBinary(op, a.Type, old.Data, old.Data, add.Data)
				copyStrided(size, w.shape, v.Data, to, w.from, old.Data, 0, row)
			}
		}
		return v, nil
	})
}
