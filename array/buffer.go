package array

import (
	"gpusim/kernel"
	"gpusim/memory"
	"gpusim/race/region"
	"gpusim/tensor"
)

// Buffer is memory that threads access by regions.
type Buffer struct {
	*memory.Buffer
	Type   tensor.DType
	Dims   []int
	Source kernel.Source // of its allocation

	key      memory.AllocKey
	block    int            // of its cluster, for shared and tensor memory
	shadow   *region.Shadow // of the physical memory that it lies in
	base     int64          // its place there
	object   int            // its number for the detector
	released int            // threads that have released it
	columns  int            // of tensor memory
	groups   []uint8        // of a union: for each byte the group through which it was written last
	writers  []int          // of a union: the site of each group's last write
	peers    []*Buffer      // by device
	device   int            // its place there
}

// Ref is a view of a buffer.
type Ref struct {
	Buffer *Buffer
	typ    tensor.DType
	off    int // in bytes
	dims   []dim
	multi  []int // devices: a store goes to the buffer of each of them
	group  uint8 // of a member of a union: 1 more than the number of its group
}

// dim is a dimension of a view: its extent, and the distance of its elements in bytes.
// Elements from lo up to hi exist. With a list, element i lies where the list says.
type dim struct {
	size, stride int
	lo, hi       int
	list         []int
	hidden       bool // it stands for an index that does not exist, and is none of the shape
}

func newDim(size, stride int) dim { return dim{size: size, stride: stride, hi: size} }

// at is the distance of element i from the first.
func (d *dim) at(i int) int {
	if d.list != nil {
		return d.list[i] * d.stride
	}
	return i * d.stride
}

// exists reports whether element i lies inside of the buffer.
func (d *dim) exists(i int) bool {
	if d.list != nil {
		return d.list[i] >= d.lo && d.list[i] < d.hi
	}
	return i >= d.lo && i < d.hi
}

// full reports whether all elements exist.
func (d *dim) full() bool { return d.list == nil && d.lo == 0 && d.hi == d.size }

// All is a view of the whole buffer.
func (b *Buffer) All() Ref { return Ref{Buffer: b}.shaped(b.Type, b.Dims, 0) }

// shaped is a dense view from an offset in bytes on.
func (r Ref) shaped(d tensor.DType, shape []int, off int) Ref {
	out := Ref{Buffer: r.Buffer, typ: d, off: off, dims: make([]dim, len(shape)), multi: r.multi, group: r.group}
	n := d.Size()
	for i := len(shape) - 1; i >= 0; i-- {
		out.dims[i] = newDim(shape[i], n)
		n *= shape[i]
	}
	return out
}

// Shape is the view's shape.
func (r Ref) Shape() []int {
	s := make([]int, 0, len(r.dims))
	for i := range r.dims {
		if !r.dims[i].hidden {
			s = append(s, r.dims[i].size)
		}
	}
	return s
}

// DType is the type of the view's elements.
func (r Ref) DType() tensor.DType { return r.typ }

// count is the number of elements.
func (r *Ref) count() int {
	n := 1
	for i := range r.dims {
		n *= r.dims[i].size
	}
	return n
}
