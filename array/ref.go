package array

import (
	"fmt"
	"strings"

	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
)

// Buffer is memory that threads access by regions.
type Buffer struct {
	*memory.Buffer
	Type     DType
	Dims     []int
	Source   kernel.Source // of its allocation
	key      memory.AllocKey
	shadow   *region.Shadow
	released int // threads that have released it
}

// Ref is a view of a buffer.
type Ref struct {
	Buffer *Buffer
	off    int // in elements
	dims   []dim
}

type dim struct{ size, stride int }

// All is a view of the whole buffer.
func (b *Buffer) All() Ref {
	r := Ref{Buffer: b, dims: make([]dim, len(b.Dims))}
	n := 1
	for i := len(b.Dims) - 1; i >= 0; i-- {
		r.dims[i] = dim{b.Dims[i], n}
		n *= b.Dims[i]
	}
	return r
}

// Index selects along one dimension: an element, which drops the dimension, or a slice.
type Index struct {
	Start, Size, Stride int
	Element             bool
}

func (i Index) String() string {
	switch {
	case i.Element:
		return fmt.Sprint(i.Start)
	case i.Stride != 1:
		return fmt.Sprintf("%d:%d:%d", i.Start, i.Start+i.Size*i.Stride, i.Stride)
	}
	return fmt.Sprintf("%d:%d", i.Start, i.Start+i.Size)
}

// BoundsError is an index outside of a view.
type BoundsError struct {
	Buffer  string
	Indices []Index
	Shape   []int
}

func (e *BoundsError) Error() string {
	parts := make([]string, len(e.Indices))
	for i, x := range e.Indices {
		parts[i] = x.String()
	}
	return fmt.Sprintf("[%s] but buffer has shape %s.", strings.Join(parts, ", "), shapeText(e.Shape))
}

// shapeText is a shape as Python shows it.
func shapeText(shape []int) string {
	s := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

// Shape is the view's shape.
func (r Ref) Shape() []int {
	s := make([]int, len(r.dims))
	for i, d := range r.dims {
		s[i] = d.size
	}
	return s
}

// At narrows the view; missing indices select everything.
func (r Ref) At(indices ...Index) (Ref, error) {
	out := Ref{Buffer: r.Buffer, off: r.off}
	for i, d := range r.dims {
		if i >= len(indices) {
			out.dims = append(out.dims, d)
			continue
		}
		x := indices[i]
		last := x.Start
		if !x.Element {
			last += (x.Size - 1) * x.Stride
		}
		if (x.Element || x.Size > 0) && (x.Start < 0 || last < 0 || last >= d.size) {
			return Ref{}, &BoundsError{r.Buffer.Name, indices, r.Shape()}
		}
		out.off += x.Start * d.stride
		if !x.Element {
			out.dims = append(out.dims, dim{x.Size, d.stride * x.Stride})
		}
	}
	return out, nil
}

// Transpose permutes the dimensions.
func (r Ref) Transpose(perm []int) Ref {
	out := Ref{Buffer: r.Buffer, off: r.off}
	for _, p := range perm {
		out.dims = append(out.dims, r.dims[p])
	}
	return out
}

// each calls f for every element in row major order, with its offset in elements.
func (r Ref) each(f func(i, off int)) {
	n := Count(r.Shape())
	if n == 0 {
		return
	}
	index := make([]int, len(r.dims))
	off := r.off
	for i := range n {
		f(i, off)
		for k := len(index) - 1; k >= 0; k-- {
			index[k]++
			off += r.dims[k].stride
			if index[k] < r.dims[k].size {
				break
			}
			off -= index[k] * r.dims[k].stride
			index[k] = 0
		}
	}
}

// runs is the bytes of the view, in runs that are as long as possible.
func (r Ref) runs() []region.Run {
	size := int64(r.Buffer.Type.Size())
	k, length := len(r.dims), 1
	for ; k > 0 && (r.dims[k-1].stride == length || r.dims[k-1].size == 1); k-- {
		length *= r.dims[k-1].size
	}
	var out []region.Run
	Ref{Buffer: r.Buffer, off: r.off, dims: r.dims[:k]}.each(func(_, off int) {
		out = append(out, region.Run{Off: int64(off) * size, Len: int64(length) * size})
	})
	return out
}

// read is the content of the view.
func (r Ref) read() Value {
	v := Make(r.Buffer.Type, r.Shape())
	size := r.Buffer.Type.Size()
	r.each(func(i, off int) { v.SetBits(i, load(r.Buffer.Data[off*size:], size)) })
	return v
}

// write changes the content of the view.
func (r Ref) write(v Value) {
	size := r.Buffer.Type.Size()
	one := v.Len() == 1
	r.each(func(i, off int) {
		if one {
			i = 0
		}
		store(r.Buffer.Data[off*size:], size, v.Bits(i))
	})
	for _, x := range r.runs() {
		r.Buffer.SetValid(x.Off, x.Len, true)
	}
}
