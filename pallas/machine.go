package pallas

import (
	"gpusim/array"
	"gpusim/tensor"
)

// frame has the values of all variables of a thread.
type frame struct {
	ints  []int64
	vals  []tensor.Value
	refs  []array.Ref
	items []array.Item
}

// machine runs the code for one thread.
type machine struct {
	frame
	t       *array.Thread
	module  *Module
	buffers []array.Ref // of the thread's device
	point   []int       // coordinates in the whole grid
	block   []int       // coordinates in the cluster
	device  []int       // coordinates in the mesh

	// What only lives within a step.
	moved   frame
	args    []tensor.Value
	indices [maxDims]array.Index
	coords  [maxDims]int
}

// newFrame is a frame that holds the constants.
func (c *code) newFrame() frame {
	f := frame{ints: make([]int64, len(c.ints)), vals: make([]tensor.Value, len(c.vals)), refs: make([]array.Ref, c.refs), items: make([]array.Item, c.items)}
	copy(f.ints, c.ints)
	copy(f.vals, c.vals)
	return f
}

// copyOf is another frame with the same values.
func (f *frame) copyOf() frame {
	return frame{ints: append([]int64(nil), f.ints...), vals: append([]tensor.Value(nil), f.vals...),
		refs: append([]array.Ref(nil), f.refs...), items: append([]array.Item(nil), f.items...)}
}

// exec runs steps. A run of quiet ones counts as one operation.
func (m *machine) exec(steps []step) {
	counted := false
	for i := range steps {
		s := &steps[i]
		if !s.quiet {
			m.t.At(s.site)
			counted = false
		} else if !counted {
			m.t.Tick(1)
			counted = true
		}
		s.run(m)
	}
}

// coordinates of a linear index, whose last dimension varies fastest.
func coordinates(linear int, extent []int) []int {
	c := make([]int, len(extent))
	for i := len(c) - 1; i >= 0; i-- {
		c[i] = linear % extent[i]
		linear /= extent[i]
	}
	return c
}
