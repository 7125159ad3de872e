package pallas

import (
	"fmt"

	"gpusim/array"
	"gpusim/kernel"
	"gpusim/tensor"
)

// access says how the view of an operand is used: for the messages about indices, and
// whether it may lie partly outside.
type access struct {
	op, doing string
	box       bool // of a bulk copy
}

var (
	reads  = access{op: "read", doing: "reading"}
	swaps  = access{op: "swap", doing: "swapping"}
	copied = access{op: "copy", doing: "copying"}
	stored = access{op: "store", doing: "writing"}
	boxed  = access{op: "copy", doing: "copying", box: true}
	works  = access{op: "access", doing: "accessing"}
)

// viewed is a view whose kind is known.
type viewed struct {
	kind
	get func(m *machine) array.Ref
	// points are arrays of indices, which select elements (or slices) one by one; get is the
	// view before them.
	points *points
}

// view compiles an operand that is a reference to an array.
func (c *compiler) view(s *scope, o *Operation, a access) viewed {
	v := c.maybePoints(s, o, a)
	if v.points != nil {
		c.unsupported("indices that are arrays along several dimensions, in %s", c.prim)
	}
	return v
}

func (c *compiler) maybePoints(s *scope, o *Operation, a access) viewed {
	if o == nil {
		c.fail("a reference is left out")
	}
	base := c.atom(s, o.Atom)
	if base.class != reference {
		c.fail("an operand is %v, and a reference is expected", base)
	}
	slot := base.slot
	v := viewed{kind: base.kind, get: func(m *machine) array.Ref { return m.refs[slot] }}
	for i := range o.View {
		if v.points != nil {
			c.unsupported("a transform of what indices that are arrays select, in %s", c.prim)
		}
		v = c.transform(s, v, &o.View[i], a)
	}
	if v.union {
		c.fail("a union is used as a whole")
	}
	return v
}

// then is a view that does one more thing.
func (v viewed) then(k kind, f func(m *machine, r array.Ref) array.Ref) viewed {
	get := v.get
	return viewed{kind: k, get: func(m *machine) array.Ref { return f(m, get(m)) }}
}

// tried is one more thing that may fail.
func (v viewed) tried(k kind, what string, f func(m *machine, r array.Ref) (array.Ref, error)) viewed {
	return v.then(k, func(m *machine, r array.Ref) array.Ref {
		out, err := f(m, r)
		if err != nil {
			m.t.Fail(kernel.WouldNotLower, what, err.Error(), "use a view that lies in one piece")
		}
		return out
	})
}

func (c *compiler) transform(s *scope, v viewed, t *Transform, a access) viewed {
	k := v.kind
	switch {
	case t.Alias != "":
		d, err := typeOf(t.Alias, t.Shape)
		switch {
		case err != nil:
			c.fail("a member of a union: %v", err)
		case !k.union:
			c.fail("a member of what is no union")
		case t.Group < 0 || t.Group > 254:
			c.fail("a member of a union belongs to group %d", t.Group)
		case t.Offset < 0 || t.Offset+tensor.Count(t.Shape)*d.Size() > k.shape[0]:
			c.fail("a member of a union lies at bytes %d to %d of %d", t.Offset, t.Offset+tensor.Count(t.Shape)*d.Size(), k.shape[0])
		}
		k.union, k.dtype, k.shape = false, d, t.Shape
		return v.tried(k, "alias", func(_ *machine, r array.Ref) (array.Ref, error) { return r.Alias(d, k.shape, t.Offset, t.Group) })
	case k.union:
		c.fail("a transform of a union as a whole")
	case t.Transpose != nil:
		k.shape = c.permuted(k.shape, t.Transpose)
		return v.then(k, func(_ *machine, r array.Ref) array.Ref { return r.Transpose(t.Transpose) })
	case t.Bitcast != "":
		return c.bitcast(v, t)
	case t.Reshape != nil:
		if err := extent("an array", t.Reshape, maxElements); err != nil || tensor.Count(t.Reshape) != tensor.Count(k.shape) {
			c.fail("a view of shape %v cannot be reshaped to %v", k.shape, t.Reshape)
		}
		k.shape = t.Reshape
		return v.tried(k, "reshape", func(_ *machine, r array.Ref) (array.Ref, error) { return r.Reshape(t.Reshape) })
	case t.Expand != nil:
		return c.expand(v, t.Expand)
	case t.Multicast:
		return v.then(k, func(m *machine, r array.Ref) array.Ref { return m.t.Multicast(r) })
	case t.Device != nil:
		device := c.device(s, t.Device)
		return v.then(k, func(m *machine, r array.Ref) array.Ref {
			if n := device(m); n >= 0 {
				return m.t.OnDevice(r, n)
			}
			return r
		})
	case t.Cluster != nil:
		return c.onBlock(s, v, t.Cluster)
	}
	return c.index(s, v, t.Index, a)
}

func (c *compiler) permuted(shape, perm []int) []int {
	if len(perm) != len(shape) {
		c.fail("a permutation %v of %d dimensions", perm, len(shape))
	}
	out, seen := make([]int, len(shape)), make([]bool, len(shape))
	for i, p := range perm {
		if p < 0 || p >= len(shape) || seen[p] {
			c.fail("%v is no permutation", perm)
		}
		seen[p] = true
		out[i] = shape[p]
	}
	return out
}

func (c *compiler) bitcast(v viewed, t *Transform) viewed {
	k := v.kind
	d, err := typeOf(t.Bitcast, t.Shape)
	if err != nil || len(t.Shape) != len(k.shape) || tensor.Count(t.Shape)*d.Size() != tensor.Count(k.shape)*k.dtype.Size() {
		c.fail("%v cannot be seen as %s%v", k, t.Bitcast, t.Shape)
	}
	dim := len(k.shape) - 1
	for i := range k.shape {
		if k.shape[i] != t.Shape[i] {
			dim = i
		}
	}
	if dim < 0 && k.dtype.Size() != d.Size() {
		c.fail("%v cannot be seen as %s%v", k, t.Bitcast, t.Shape)
	}
	k.dtype, k.shape = d, t.Shape
	return v.tried(k, "bitcast", func(_ *machine, r array.Ref) (array.Ref, error) { return r.Bitcast(d, dim) })
}

// expand sees (m, b*n) as (b, m, n).
func (c *compiler) expand(v viewed, batch []int) viewed {
	k := v.kind
	n := tensor.Count(batch)
	if len(k.shape) != 2 || n <= 0 || k.shape[1]%n != 0 {
		c.fail("%v has no batch of %v", k, batch)
	}
	split := append(append([]int{k.shape[0]}, batch...), k.shape[1]/n)
	perm := make([]int, len(split))
	for i := range batch {
		perm[i] = i + 1
	}
	perm[len(batch)+1] = len(batch) + 1
	k.shape = c.permuted(split, perm)
	return v.tried(k, "expand", func(_ *machine, r array.Ref) (array.Ref, error) {
		out, err := r.Reshape(split)
		if err != nil {
			return out, err
		}
		return out.Transpose(perm), nil
	})
}

// onBlock is a view of the same buffer in another block of the cluster.
func (c *compiler) onBlock(s *scope, v viewed, list []ClusterSpec) viewed {
	rank := len(c.module.Cluster)
	slots, dims := make([]int, len(list)), make([]int, len(list))
	for i, x := range list {
		if x.Dim < 0 || x.Dim >= rank {
			c.fail("dimension %d of a cluster of shape %v", x.Dim, c.module.Cluster)
		}
		slots[i], dims[i] = c.integer(s, &Operation{Atom: x.At}).slot, x.Dim
	}
	return v.then(v.kind, func(m *machine, r array.Ref) array.Ref {
		coords := m.coords[:rank]
		for i := range coords {
			coords[i] = -1
		}
		for i, d := range dims {
			if m.ints[slots[i]] < 0 {
				m.t.Fail(kernel.OutOfBounds, "cluster", fmt.Sprintf("there is no block %d along dimension %d of a cluster of shape %v", m.ints[slots[i]], d, m.module.Cluster), "use a block of the cluster")
			}
			coords[d] = int(m.ints[slots[i]])
		}
		return m.t.OnBlock(r, coords)
	})
}

// device is the number of a device that the program names; -1 is the own one.
func (c *compiler) device(s *scope, d *DeviceSpec) func(m *machine) int {
	if d.Logical != nil {
		slot := c.integer(s, &Operation{Atom: *d.Logical}).slot
		return func(m *machine) int { return int(m.ints[slot]) }
	}
	if len(d.Mesh) != len(c.module.Axes) {
		c.fail("a device has %d coordinates in a mesh of %d dimensions", len(d.Mesh), len(c.module.Axes))
	}
	if len(d.Mesh) == 0 {
		return func(*machine) int { return -1 }
	}
	coords := make([]func(m *machine) int, len(d.Mesh))
	for i, x := range d.Mesh {
		if x == nil {
			coords[i] = func(m *machine) int { return m.device[i] }
			continue
		}
		slot, div, mod := c.integer(s, &Operation{Atom: x.At}).slot, max(x.Div, 1), x.Mod
		coords[i] = func(m *machine) int {
			n := int(m.ints[slot]) / div
			if mod > 0 {
				n %= mod
			}
			return n
		}
	}
	return func(m *machine) int {
		n := 0
		for i, f := range coords {
			at, size := f(m), m.module.Axes[i].Size
			if at < 0 || at >= size {
				m.t.Fail(kernel.OutOfBounds, "remote", fmt.Sprintf("there is no device %d along axis %s, which has %d", at, m.module.Axes[i].Name, size), "use a device of the mesh")
			}
			n = n*size + at
		}
		return n
	}
}

// index compiles indices. Missing ones select everything.
func (c *compiler) index(s *scope, v viewed, list []IndexSpec, a access) viewed {
	k := v.kind
	if len(list) > len(k.shape) {
		c.fail("%d indices of a view of shape %v", len(list), k.shape)
	}
	var arrays int
	for _, x := range list {
		if x.List != nil {
			arrays++
		}
	}
	if arrays > 1 {
		return c.pointwise(s, v, list, a)
	}
	var shape []int
	slots := make([]int, len(list)) // of the start, the element or the list
	for i, x := range list {
		switch {
		case x.List != nil:
			l := c.array(s, &Operation{Atom: *x.List})
			if len(l.shape) != 1 || l.dtype.Float() {
				return c.pointwise(s, v, list, a)
			}
			slots[i] = l.slot
			shape = append(shape, l.shape[0])
		case x.At != nil:
			slots[i] = c.integer(s, &Operation{Atom: *x.At}).slot
		case x.Start != nil:
			if x.Size < 0 || x.Size > maxElements || x.Stride < 0 || x.Stride > maxElements {
				c.fail("a slice of %d elements with the stride %d", x.Size, x.Stride)
			}
			slots[i] = c.integer(s, &Operation{Atom: *x.Start}).slot
			shape = append(shape, x.Size)
		default:
			c.fail("an index has neither at nor start nor list")
		}
	}
	k.shape = append(shape, k.shape[len(list):]...)
	n := len(list)
	fill := func(m *machine) []array.Index {
		for i := range list {
			x := &list[i]
			switch {
			case x.At != nil:
				m.indices[i] = array.Index{Start: int(m.ints[slots[i]]), Element: true}
			case x.List != nil:
				v := m.vals[slots[i]]
				at := make([]int, v.Len())
				for j := range at {
					at[j] = int(v.Int(j))
				}
				m.indices[i] = array.Index{List: at}
			default:
				m.indices[i] = array.Index{Start: int(m.ints[slots[i]]), Size: x.Size, Stride: max(x.Stride, 1)}
			}
		}
		return m.indices[:n]
	}
	if a.box {
		return v.then(k, func(m *machine, r array.Ref) array.Ref { return m.t.IndexCopy(r, fill(m)...) })
	}
	return v.then(k, func(m *machine, r array.Ref) array.Ref { return m.t.Index(r, a.op, a.doing, fill(m)...) })
}

// points are indices that are arrays of one shape.
type points struct {
	list   []IndexSpec
	slots  []int
	shape  []int // of the arrays
	slices []int // shape of what each of them selects
	front  int   // where the dimensions of the arrays come among those of the slices
	a      access
}

// pointwise compiles indices that are arrays. Those of them that are scalars are arrays
// too, in a jaxpr.
func (c *compiler) pointwise(s *scope, v viewed, list []IndexSpec, a access) viewed {
	p := &points{list: list, slots: make([]int, len(list)), front: -1, a: a}
	together, last := true, -1
	for i, x := range list {
		switch {
		case x.List != nil:
			l := c.array(s, &Operation{Atom: *x.List})
			if l.class != value || l.dtype.Float() || p.shape != nil && !equal(p.shape, l.shape) {
				c.fail("an index is %v", l)
			}
			p.shape, p.slots[i] = l.shape, l.slot
			if p.front < 0 {
				p.front = len(p.slices)
			}
			together = together && (last < 0 || last == i-1)
			last = i
		case x.Start != nil && x.Size >= 0 && x.Size <= maxElements:
			p.slots[i] = c.integer(s, &Operation{Atom: *x.Start}).slot
			p.slices = append(p.slices, x.Size)
		default:
			c.fail("an index is no array, beside others that are")
		}
	}
	p.slices = append(p.slices, v.shape[len(list):]...)
	if !together {
		p.front = 0
	}
	k := v.kind
	k.shape = append(append(append([]int(nil), p.slices[:p.front]...), p.shape...), p.slices[p.front:]...)
	return viewed{kind: k, get: v.get, points: p}
}

// each calls f for the view of every point.
func (p *points) each(m *machine, r array.Ref, f func(i int, r array.Ref)) {
	for i := range tensor.Count(p.shape) {
		for j, x := range p.list {
			if x.List != nil {
				m.indices[j] = array.Index{Start: int(m.vals[p.slots[j]].Int(i)), Element: true}
			} else {
				m.indices[j] = array.Index{Start: int(m.ints[p.slots[j]]), Size: x.Size, Stride: max(x.Stride, 1)}
			}
		}
		f(i, m.t.Index(r, p.a.op, p.a.doing, m.indices[:len(p.list)]...))
	}
}

// places calls f for every stretch of the whole array that belongs to a point: where it
// begins in the array and in what the point selects.
func (p *points) places(size int) func(i int, f func(whole, part, n int)) {
	inner := tensor.Count(p.slices[p.front:]) * size
	outer, count := tensor.Count(p.slices[:p.front]), tensor.Count(p.shape)
	return func(i int, f func(whole, part, n int)) {
		for o := range outer {
			f((o*count+i)*inner, o*inner, inner)
		}
	}
}
