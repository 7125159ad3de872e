package lint

import (
	"fmt"
	"slices"
	"strings"

	"gpusim/pallas"
	"gpusim/tensor"
)

// class is what a variable holds.
type class uint8

const (
	unknown class = iota
	array         // or a scalar
	reference
	union
	accumulator
	barrier
	clusterBarrier
	semaphore
)

// value is what is known of a variable.
type value struct {
	class
	dtype  tensor.DType
	shape  []int
	loaded bool // it depends on what was read from memory, so that it has a layout of its own
	space  string
	scratch
}

// scratch is how an array in memory lies.
type scratch struct {
	pallas.Physical
	packed     bool
	collective bool
}

func (v value) bits() int { return v.dtype.Bits() }

// explicit reports whether the program says how the array lies in shared memory.
func (v value) explicit() bool { return len(v.Tiling) > 0 || v.Swizzle > 0 }

// wide reports whether it is an array of more than zero dimensions.
func (v value) wide() bool { return v.class == array && len(v.shape) > 0 }

// dim is a dimension of a view.
type dim struct {
	of     int // a dimension of the array, -1 if that is not known
	size   int
	stride int
	list   bool // its elements are those of a list
	start  int  // if it is known
	known  bool
}

// view is what the transforms of a use select.
type view struct {
	value
	base     []int // the shape of the array
	dims     []dim
	lists    []int // positions in the first indices that are lists
	indexed  int   // how many times it is indexed with slices
	strided  bool  // some slice has a stride
	restride bool  // some slice has a stride that the compiler cannot have there
	swapped  bool  // the last two dimensions have changed places
	cast     bool  // it has another type of elements
	shaped   bool  // it was reshaped
	moved    bool  // it was transposed
	picked   map[int]bool
	atom     func(*pallas.Atom) value
}

// see follows the transforms of a use; atom is what is known of an index.
func see(v value, steps []pallas.Transform, atom func(*pallas.Atom) value) view {
	w := view{value: v, base: v.shape, picked: map[int]bool{}, atom: atom}
	w.whole(v.shape)
	for i := range steps {
		w.apply(&steps[i])
	}
	w.shape = nil
	for _, d := range w.dims {
		w.shape = append(w.shape, d.size)
	}
	return w
}

// whole makes the view that of all of an array.
func (w *view) whole(shape []int) {
	w.dims = nil
	for i, n := range shape {
		w.dims = append(w.dims, dim{of: i, size: n, stride: 1, known: true})
	}
}

func (w *view) apply(t *pallas.Transform) {
	switch {
	case t.Alias != "":
		d, _ := tensor.FindDType(t.Alias)
		w.class, w.dtype, w.base, w.Physical = reference, d, t.Shape, t.Physical
		w.packed = true // that is not known
		w.whole(t.Shape)
	case t.Index != nil:
		w.index(t.Index)
	case t.Transpose != nil:
		old := w.dims
		if len(t.Transpose) != len(old) {
			return
		}
		w.dims = make([]dim, len(old))
		for i, p := range t.Transpose {
			if p < 0 || p >= len(old) {
				w.dims = old
				return
			}
			w.dims[i] = old[p]
		}
		n := len(old)
		w.moved = w.moved || !slices.IsSorted(t.Transpose)
		if n >= 2 && t.Transpose[n-1] == n-2 && t.Transpose[n-2] == n-1 {
			w.swapped = !w.swapped
		}
	case t.Reshape != nil:
		w.shaped = true
		w.unknown(t.Reshape)
	case t.Bitcast != "":
		w.cast = true
		w.dtype, _ = tensor.FindDType(t.Bitcast)
		w.unknown(t.Shape)
	case t.Expand != nil:
		if n := len(w.dims); n >= 2 {
			shape := slices.Clone(t.Expand)
			columns := w.dims[n-1].size
			for _, b := range t.Expand {
				columns /= max(b, 1)
			}
			w.unknown(append(shape, w.dims[n-2].size, columns))
		}
	}
}

func (w *view) unknown(shape []int) {
	w.dims = nil
	for _, n := range shape {
		w.dims = append(w.dims, dim{of: -1, size: n, stride: 1})
	}
}

func (w *view) index(list []pallas.IndexSpec) {
	var out []dim
	sliced := false
	for i, x := range list {
		if i >= len(w.dims) {
			break
		}
		d := w.dims[i]
		switch {
		case x.At != nil:
			w.picked[d.of] = true
			continue
		case x.List != nil:
			if w.indexed == 0 {
				w.lists = append(w.lists, i)
			}
			d.list = true
			d.known = false
			d.size = elements(w.atom(x.List).shape)
		case x.Start != nil:
			sliced = true
			start, known := constant(x.Start)
			if stride := max(x.Stride, 1); stride > 1 {
				w.strided = true
				w.restride = w.restride || !known || w.indexed > 0
				d.stride *= stride
			}
			d.start, d.known = d.start+start, d.known && known
			d.size = x.Size
		}
		out = append(out, d)
	}
	if sliced || len(w.lists) > 0 {
		w.indexed++
	}
	w.dims = append(out, w.dims[min(len(list), len(w.dims)):]...)
}

// constant is the value of an atom that is a literal.
func constant(a *pallas.Atom) (int, bool) {
	if a == nil || a.Literal == nil || len(a.Literal.Shape) > 0 {
		return 0, false
	}
	return int(a.Literal.Int(0)), true
}

// plain reports whether only indices lead to the view.
func (w *view) plain() bool { return !w.cast && !w.shaped && !w.moved }

// contiguous reports whether the view is one piece of an array that lies row by row; it is
// false where that is not known.
func (w *view) contiguous() bool {
	if !w.plain() {
		return false
	}
	parts := make([]int, len(w.base)) // what is taken of each dimension
	for _, d := range w.dims {
		if d.of < 0 || d.list || d.stride != 1 && d.size != 1 {
			return false
		}
		parts[d.of] = d.size
	}
	for i := range parts {
		if parts[i] == 0 && w.picked[i] {
			parts[i] = 1
		}
	}
	whole := true
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] != 1 && !whole {
			return false
		}
		if parts[i] != w.base[i] {
			whole = false
		}
	}
	return true
}

// elements is how many the array has.
func elements(shape []int) int { return tensor.Count(shape) }

// shapeText is a shape as Python shows it.
func shapeText(shape []int) string {
	s := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}
