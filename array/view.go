package array

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpusim/kernel"
	"gpusim/tensor"
)

// Index selects along one dimension: an element, which drops the dimension, a slice, or
// the elements of a list.
type Index struct {
	Start, Size, Stride int
	Element             bool
	List                []int
}

func (i Index) String() string {
	switch {
	case i.List != nil:
		return fmt.Sprint(i.List)
	case i.Element:
		return fmt.Sprint(i.Start)
	case i.Stride != 1:
		return fmt.Sprintf("%d:%d:%d", i.Start, i.Start+i.Size*i.Stride, i.Stride)
	}
	return fmt.Sprintf("%d:%d", i.Start, i.Start+i.Size)
}

// last is the last index that is selected.
func (i Index) last() int {
	if i.Element {
		return i.Start
	}
	return i.Start + (i.Size-1)*i.Stride
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

// At narrows the view; missing indices select everything.
func (r Ref) At(indices ...Index) (Ref, error) {
	if len(indices) > len(r.dims) {
		return Ref{}, &BoundsError{r.Buffer.Name, indices, r.Shape()}
	}
	for i, x := range indices {
		size := r.dims[i].size
		for _, k := range x.List {
			if k < 0 || k >= size {
				return Ref{}, &BoundsError{r.Buffer.Name, indices, r.Shape()}
			}
		}
		if x.List == nil && (x.Element || x.Size > 0) && (x.Start < 0 || x.last() < 0 || x.Start >= size || x.last() >= size) {
			return Ref{}, &BoundsError{r.Buffer.Name, indices, r.Shape()}
		}
	}
	return r.clipped(indices), nil
}

// clipped narrows the view; what lies outside of it does not exist.
func (r Ref) clipped(indices []Index) Ref {
	out := Ref{Buffer: r.Buffer, typ: r.typ, off: r.off, multi: r.multi, group: r.group, dims: make([]dim, 0, len(r.dims))}
	for i, d := range r.dims {
		if i >= len(indices) {
			out.dims = append(out.dims, d)
			continue
		}
		x := indices[i]
		switch {
		case x.List != nil:
			n := dim{size: len(x.List), stride: d.stride, lo: d.lo, hi: d.hi, list: x.List}
			if d.list != nil {
				n.list = nil
				for _, k := range x.List {
					n.list = append(n.list, d.list[k])
				}
			}
			out.dims = append(out.dims, n)
		case x.Element && (d.list != nil || !d.exists(x.Start)):
			if d.list != nil && x.Start >= 0 && x.Start < d.size && d.exists(x.Start) {
				out.off += d.at(x.Start)
			} else {
				out.dims = append(out.dims, dim{size: 1, lo: 1, hi: 1, hidden: true})
			}
		case x.Element:
			out.off += d.at(x.Start)
		case d.list != nil:
			n := dim{size: x.Size, stride: d.stride, lo: d.lo, hi: d.hi}
			for k := range x.Size {
				n.list = append(n.list, d.list[x.Start+k*x.Stride])
			}
			out.dims = append(out.dims, n)
		default:
			out.off += x.Start * d.stride
			n := dim{size: x.Size, stride: d.stride * x.Stride, hi: x.Size}
			for n.lo < n.size && !d.exists(x.Start+n.lo*x.Stride) {
				n.lo++
			}
			for n.hi > n.lo && !d.exists(x.Start+(n.hi-1)*x.Stride) {
				n.hi--
			}
			out.dims = append(out.dims, n)
		}
	}
	return out
}

// Index narrows a view; an index outside of it ends the launch, unless it is a read of a
// program that may read there. op is "read" or the like, doing "reading", as in JAX's
// messages.
func (t *Thread) Index(r Ref, op, doing string, indices ...Index) Ref {
	out, err := r.At(indices...)
	var bounds *BoundsError
	if !errors.As(err, &bounds) {
		return out
	}
	if op == "read" && t.program().ReadOutside && len(indices) <= len(r.dims) {
		return r.clipped(indices)
	}
	t.report(kernel.Finding{Message: fmt.Sprintf("Out-of-bounds %s of %s: %s %s", op, bounds.Buffer, doing, bounds), Space: r.Buffer.Space, Object: r.Buffer.Name,
		Fix:      "keep the indices within the shape",
		Accesses: []kernel.Access{{Op: op, Source: t.source(), Thread: t.id()}}}, kernel.OutOfBounds, kernel.Error, bounds.Error())
	t.launch().Stop(string(kernel.OutOfBounds), true)
	panic(stopped{})
}

// IndexCopy narrows a view for a bulk copy, whose box may lie partly outside: nothing is
// written there, and zeros are read (PTX ISA, "Tensors", out of bound access).
func (t *Thread) IndexCopy(r Ref, indices ...Index) Ref {
	if len(indices) > len(r.dims) {
		return t.Index(r, "copy", "copying", indices...)
	}
	return r.clipped(indices)
}

// Transpose permutes the dimensions.
func (r Ref) Transpose(perm []int) Ref {
	out := r
	out.dims = make([]dim, len(perm))
	for i, p := range perm {
		out.dims[i] = r.dims[p]
	}
	return out
}

// Reshape gives the view another shape of as many elements, in row major order.
func (r Ref) Reshape(shape []int) (Ref, error) {
	if tensor.Count(shape) != r.count() {
		return Ref{}, fmt.Errorf("a view of shape %s cannot be reshaped to %s", shapeText(r.Shape()), shapeText(shape))
	}
	out := r
	out.dims = make([]dim, len(shape))
	// Dimensions are matched in groups of equal products; each group has to be dense in itself.
	i, j := 0, 0
	for i < len(r.dims) || j < len(shape) {
		i0, j0 := i, j
		have, want := 1, 1
		for {
			if i < len(r.dims) && (have <= want || j == len(shape)) {
				have *= r.dims[i].size
				i++
			} else if j < len(shape) {
				want *= shape[j]
				j++
			}
			if have == want && (i == len(r.dims)) == (j == len(shape)) || have == want && i > i0 && j > j0 {
				break
			}
		}
		if err := regroup(r.dims[i0:i], shape[j0:j], out.dims[j0:j]); err != nil {
			return Ref{}, fmt.Errorf("a view of shape %s cannot be reshaped to %s: %w", shapeText(r.Shape()), shapeText(shape), err)
		}
	}
	return out, nil
}

// regroup lays dimensions over the same elements as others.
func regroup(from []dim, shape []int, to []dim) error {
	var real []dim
	for _, d := range from {
		if d.size != 1 {
			real = append(real, d)
		}
	}
	if len(real) == 1 && slices.Max(shape) == real[0].size { // only dimensions of extent 1 come or go
		for k, n := range shape {
			to[k] = newDim(1, 0)
			if n == real[0].size {
				to[k] = real[0]
				real[0].size = -1
			}
		}
		return nil
	}
	stride := 0
	for k := range real {
		if !real[k].full() {
			return errors.New("it lies partly outside of its buffer, or gathers")
		}
		if k > 0 && real[k-1].stride != real[k].stride*real[k].size {
			return errors.New("it is not dense")
		}
		stride = real[k].stride
	}
	for k := len(shape) - 1; k >= 0; k-- {
		to[k] = newDim(shape[k], stride)
		stride *= shape[k]
	}
	return nil
}

// Bitcast gives the elements another type. If its size differs, the next to last dimension
// grows or shrinks, as with pltpu and plgpu references; a view of one dimension changes that.
func (r Ref) Bitcast(d tensor.DType, dim int) (Ref, error) {
	from, to := r.typ.Size(), d.Size()
	if from*8 != r.typ.Bits() && r.typ != tensor.Bool || to*8 != d.Bits() && d != tensor.Bool {
		return Ref{}, fmt.Errorf("a reference of %v cannot be bitcast to %v: types below a byte are kept unpacked", r.typ, d)
	}
	out := r
	out.typ = d
	if from == to {
		return out, nil
	}
	out.dims = slices.Clone(r.dims)
	x := &out.dims[dim]
	if !x.full() || x.stride != from || x.size*from%to != 0 {
		return Ref{}, fmt.Errorf("a view of %v of shape %s cannot be bitcast to %v: its dimension %d is not dense", r.typ, shapeText(r.Shape()), d, dim)
	}
	*x = newDim(x.size*from/to, to)
	return out, nil
}

// Alias is a view of the buffer's bytes from an offset on, with a type and shape of its own:
// the member of a union, which belongs to a group.
func (r Ref) Alias(d tensor.DType, shape []int, off, group int) (Ref, error) {
	if off < 0 || off+tensor.Count(shape)*d.Size() > len(r.Buffer.Data) {
		return Ref{}, fmt.Errorf("%v of shape %s at byte %d exceeds the %d bytes of %s", d, shapeText(shape), off, len(r.Buffer.Data), r.Buffer.Name)
	}
	r.group = uint8(group + 1)
	return r.shaped(d, shape, off), nil
}

// OnDevice is the view of the same buffer on another device.
func (t *Thread) OnDevice(r Ref, device int) Ref {
	b := r.Buffer
	switch {
	case b.Space != kernel.Global || b.peers == nil && t.program().devices() > 1:
		t.Fail(kernel.OutOfBounds, "remote", fmt.Sprintf("%s has no counterpart on other devices", b.Name), "use a parameter of the kernel in global memory")
	case device < 0 || device >= t.program().devices():
		t.Fail(kernel.OutOfBounds, "remote", fmt.Sprintf("there is no device %d: the mesh has %d", device, t.program().devices()), "use a device of the mesh")
	case b.peers != nil:
		r.Buffer = b.peers[device]
	}
	return r
}

// Multicast is the view of the same buffer on all devices: stores reach each of them.
func (t *Thread) Multicast(r Ref) Ref {
	r.multi = make([]int, t.program().devices())
	for i := range r.multi {
		r.multi[i] = i
	}
	return r
}

// OnBlock is the view of the same buffer in another block of the cluster. coords are the
// block's coordinates, -1 along the dimensions that the own block's hold for.
func (t *Thread) OnBlock(r Ref, coords []int) Ref {
	at := t.InCluster()
	for i, x := range coords {
		if x < 0 {
			continue
		}
		if x >= t.program().Cluster[i] {
			t.Fail(kernel.OutOfBounds, "cluster", fmt.Sprintf("there is no block %d along dimension %d of a cluster of shape %s", x, i, shapeText(t.program().Cluster)), "use a block of the cluster")
		}
		at[i] = x
	}
	r.Buffer = t.cluster.counterpart(r.Buffer, linear(at, t.program().Cluster))
	return r
}
