package pallas

import (
	"fmt"
	"slices"

	"gpusim/kernel"
	"gpusim/tensor"
)

// class is what a variable holds.
type class uint8

const (
	scalar    class = iota // an integer or boolean with an empty shape
	value                  // another array, also a floating-point scalar
	reference              // to an array
	barriers
	semaphores
)

func (c class) String() string {
	return [...]string{"an integer", "an array", "a reference", "barriers", "semaphores"}[c]
}

// kind is the type of a variable, which is known before the kernel runs.
type kind struct {
	class class
	dtype tensor.DType // of elements
	shape []int
	space kernel.Space // of a reference
	union bool         // the reference is to bytes whose members have types
	acc   bool         // the reference is to an accumulator
}

func arrayKind(d tensor.DType, shape []int) kind {
	k := kind{class: value, dtype: d, shape: shape}
	if len(shape) == 0 && !d.Float() {
		k.class = scalar
	}
	return k
}

func (k kind) String() string {
	switch k.class {
	case scalar, value:
		return fmt.Sprintf("%s%v", k.dtype, k.shape)
	case reference:
		return fmt.Sprintf("a reference to %s%v", k.dtype, k.shape)
	}
	return fmt.Sprintf("%s%v", k.class, k.shape)
}

// same reports whether one variable can take the place of another.
func (k kind) same(o kind) bool {
	return k.class == o.class && (k.class > reference || k.dtype == o.dtype) && slices.Equal(k.shape, o.shape)
}

func (k kind) typ() tensor.Type { return tensor.Type{DType: k.dtype, Shape: k.shape} }

// variable is a place in the frames of threads: one of the list for its class.
type variable struct {
	kind
	slot int
}

// fresh makes a variable.
func (c *compiler) fresh(k kind) *variable {
	v := &variable{kind: k}
	switch k.class {
	case scalar:
		v.slot = len(c.ints)
		c.ints = append(c.ints, 0)
	case value:
		v.slot = len(c.vals)
		c.vals = append(c.vals, tensor.Value{})
	case reference:
		v.slot = c.refs
		c.refs++
	default:
		v.slot = c.items
		c.items++
	}
	return v
}

// constant makes a variable whose value never changes.
func (c *compiler) constant(v tensor.Value) *variable {
	x := c.fresh(arrayKind(v.Type, v.Shape))
	if x.class == scalar {
		c.ints[x.slot] = v.Int(0)
	} else {
		c.vals[x.slot] = v
	}
	return x
}

// move is a step that gives variables the values of others, all at once.
func (c *compiler) move(from, to []*variable) func(*machine) {
	type pair struct{ from, to int }
	var list [barriers + 1][]pair
	for i := range from {
		k := min(from[i].class, barriers)
		if from[i].slot != to[i].slot {
			list[k] = append(list[k], pair{from[i].slot, to[i].slot})
		}
	}
	n := len(list[scalar])
	if len(list[value])+len(list[reference])+len(list[barriers]) == 0 && n == 1 {
		p := list[scalar][0]
		return func(m *machine) { m.ints[p.to] = m.ints[p.from] }
	}
	return func(m *machine) {
		m.moved.ints = m.moved.ints[:0]
		for _, p := range list[scalar] {
			m.moved.ints = append(m.moved.ints, m.ints[p.from])
		}
		for i, p := range list[scalar] {
			m.ints[p.to] = m.moved.ints[i]
		}
		m.moved.vals = m.moved.vals[:0]
		for _, p := range list[value] {
			m.moved.vals = append(m.moved.vals, m.vals[p.from])
		}
		for i, p := range list[value] {
			m.vals[p.to] = m.moved.vals[i]
		}
		m.moved.refs = m.moved.refs[:0]
		for _, p := range list[reference] {
			m.moved.refs = append(m.moved.refs, m.refs[p.from])
		}
		for i, p := range list[reference] {
			m.refs[p.to] = m.moved.refs[i]
		}
		m.moved.items = m.moved.items[:0]
		for _, p := range list[barriers] {
			m.moved.items = append(m.moved.items, m.items[p.from])
		}
		for i, p := range list[barriers] {
			m.items[p.to] = m.moved.items[i]
		}
	}
}
