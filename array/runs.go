package array

import (
	"cmp"
	"slices"

	"gpusim/race/region"
	"gpusim/tensor"
)

// each calls f for every stretch of consecutive elements in row major order: the number of
// its first element, its offset in the buffer, and how many elements it has. Elements that
// lie outside of the buffer are passed over.
func (r *Ref) each(f func(i, off, n int)) {
	size := r.typ.Size()
	k, inner := len(r.dims), 1
	for k > 0 && (r.dims[k-1].full() && r.dims[k-1].stride == inner*size || r.dims[k-1].size == 1 && r.dims[k-1].full()) {
		inner *= r.dims[k-1].size
		k--
	}
	total := inner
	for _, d := range r.dims[:k] {
		total *= d.size
	}
	if total == 0 {
		return
	}
	if k == 0 {
		f(0, r.off, inner)
		return
	}
	index := make([]int, k)
	for i := 0; i < total; i += inner {
		off, exists := r.off, true
		for j := range index {
			off += r.dims[j].at(index[j])
			exists = exists && r.dims[j].exists(index[j])
		}
		if exists {
			f(i, off, inner)
		}
		for j := k - 1; j >= 0; j-- {
			if index[j]++; index[j] < r.dims[j].size {
				break
			}
			index[j] = 0
		}
	}
}

// runs is the bytes of the view, in ascending runs that are as long as possible.
func (r *Ref) runs() []region.Run {
	// Bytes have no order: the dimensions are taken by their strides.
	s := *r
	sorted := func(a, b dim) int { return cmp.Compare(b.stride, a.stride) }
	if !slices.IsSortedFunc(s.dims, sorted) {
		s.dims = slices.Clone(s.dims)
		slices.SortStableFunc(s.dims, sorted)
	}
	size := int64(r.typ.Size())
	var out []region.Run
	s.each(func(_, off, n int) {
		x := region.Run{Off: int64(off), Len: int64(n) * size}
		if k := len(out); k > 0 && out[k-1].Off+out[k-1].Len == x.Off {
			out[k-1].Len += x.Len
			return
		}
		out = append(out, x)
	})
	if !slices.IsSortedFunc(out, func(a, b region.Run) int { return cmp.Compare(a.Off, b.Off) }) {
		slices.SortFunc(out, func(a, b region.Run) int { return cmp.Compare(a.Off, b.Off) })
	}
	return out
}

// masked is the bytes of those elements of the view for which the mask holds.
func (r *Ref) masked(mask tensor.Value) []region.Run {
	size := r.typ.Size()
	var out []region.Run
	r.each(func(i, off, n int) {
		for k := range n {
			if mask.Data[i+k] == 0 {
				continue
			}
			x := region.Run{Off: int64(off + k*size), Len: int64(size)}
			if m := len(out); m > 0 && out[m-1].Off+out[m-1].Len == x.Off {
				out[m-1].Len += x.Len
				continue
			}
			out = append(out, x)
		}
	})
	slices.SortFunc(out, func(a, b region.Run) int { return cmp.Compare(a.Off, b.Off) })
	return out
}

// whole reports whether every element of the view exists.
func (r *Ref) whole() bool {
	return !slices.ContainsFunc(r.dims, func(d dim) bool {
		if d.list == nil {
			return !d.full()
		}
		return slices.ContainsFunc(d.list, func(i int) bool { return i < d.lo || i >= d.hi })
	})
}

// read is the content of the view. What does not exist is zero, or what uninitialised
// memory holds.
func (r *Ref) read(undefined bool) tensor.Value {
	v := tensor.Make(r.typ, r.Shape())
	if undefined && !r.whole() {
		tensor.Undefined(r.typ, v.Data)
	}
	size := r.typ.Size()
	r.each(func(i, off, n int) { move(v.Data[i*size:], r.Buffer.Data[off:], n*size) })
	return v
}

// write changes the content of the view; a single element is stored everywhere.
func (r *Ref) write(v tensor.Value) {
	size := r.typ.Size()
	one := len(v.Data) == size
	r.each(func(i, off, n int) {
		if !one {
			move(r.Buffer.Data[off:], v.Data[i*size:], n*size)
		} else {
			for k := range n {
				move(r.Buffer.Data[off+k*size:], v.Data, size)
			}
		}
		r.Buffer.SetValid(int64(off), int64(n*size), true)
	})
}

// writeMasked changes those elements of the view for which the mask holds.
func (r *Ref) writeMasked(v, mask tensor.Value) {
	size := r.typ.Size()
	one := v.Len() == 1
	r.each(func(i, off, n int) {
		for k := range n {
			if mask.Data[i+k] == 0 {
				continue
			}
			from := (i + k) * size
			if one {
				from = 0
			}
			move(r.Buffer.Data[off+k*size:], v.Data[from:], size)
			r.Buffer.SetValid(int64(off+k*size), int64(size), true)
		}
	})
}

// move copies n bytes; single elements, the most common case of strided views, at once.
func move(to, from []byte, n int) {
	switch n {
	case 2:
		*(*[2]byte)(to) = *(*[2]byte)(from)
	case 4:
		*(*[4]byte)(to) = *(*[4]byte)(from)
	default:
		copy(to[:n], from[:n])
	}
}
