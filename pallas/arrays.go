package pallas

import (
	"fmt"

	"gpusim/kernel"
	"gpusim/tensor"
)

// unused reports whether nobody uses the results of an equation.
func (c *compiler) unused(s *scope, e *Eqn) bool {
	for _, r := range e.Out {
		if r.Var >= 0 && r.Var < len(s.uses) && s.uses[r.Var] > 0 {
			return false
		}
	}
	return true
}

// primitive compiles a primitive on arrays.
func (c *compiler) primitive(s *scope, e *Eqn, f tensor.Primitive) {
	in := make([]*variable, len(e.In))
	for i, o := range e.In {
		in[i] = c.array(s, o)
	}
	if c.unused(s, e) {
		for _, r := range e.Out {
			c.result(s, r, c.declared(r))
		}
		return
	}
	if c.integers(s, e, in) {
		return
	}
	p := &tensor.Params{}
	c.params(e, p)
	types := make([]tensor.Type, len(e.Out))
	sets := make([]func(*machine, tensor.Value), len(e.Out))
	floats := true
	for i, r := range e.Out {
		k := c.declared(r)
		types[i], floats = k.typ(), floats && k.dtype.Float()
		sets[i] = c.set(c.result(s, r, k))
	}
	if floats && c.module.Options.SkipFloats {
		c.emit(func(m *machine) {
			for _, set := range sets {
				set(m, tensor.Value{})
			}
		})
		return
	}
	gets := make([]func(*machine) tensor.Value, len(in))
	for i, v := range in {
		gets[i] = v.get()
	}
	name := e.Prim
	if len(gets) == 1 && len(sets) == 1 {
		get, set := gets[0], sets[0]
		c.emit(func(m *machine) {
			m.args = append(m.args[:0], get(m))
			set(m, m.compute(name, f, p, types, m.args)[0])
		})
		return
	}
	c.emit(func(m *machine) {
		m.args = m.args[:0]
		for _, get := range gets {
			m.args = append(m.args, get(m))
		}
		for i, x := range m.compute(name, f, p, types, m.args) {
			sets[i](m, x)
		}
	})
}

// compute runs a primitive; what it cannot do ends the kernel.
func (m *machine) compute(name string, f tensor.Primitive, p *tensor.Params, types []tensor.Type, in []tensor.Value) []tensor.Value {
	out, err := f(p, types, in)
	if err == nil && len(out) != len(types) {
		err = fmt.Errorf("%s: %d results in place of %d", name, len(out), len(types))
	}
	for i := 0; err == nil && i < len(out); i++ {
		if out[i].Type != types[i].DType || !equal(out[i].Shape, types[i].Shape) {
			err = fmt.Errorf("%s: the result is %v%v, and said to be %v%v", name, out[i].Type, out[i].Shape, types[i].DType, types[i].Shape)
		}
	}
	if err != nil {
		m.t.Fail(kernel.WouldNotLower, name, err.Error(), "use types and shapes that the primitive takes")
	}
	return out
}

// wrapped reduces integers to a type.
func wrapped(d tensor.DType) func(int64) int64 {
	n := uint(64 - d.Bits())
	switch {
	case d == tensor.Bool:
		return func(x int64) int64 { return x & 1 }
	case d.Bits() == 64:
		return func(x int64) int64 { return x }
	case d.Signed():
		return func(x int64) int64 { return x << n >> n }
	}
	return func(x int64) int64 { return int64(uint64(x) << n >> n) }
}

// integers compiles a primitive on integer scalars as one on Go's integers. It reports
// whether it knows the primitive.
func (c *compiler) integers(s *scope, e *Eqn, in []*variable) bool {
	if len(e.Out) != 1 || len(in) == 0 {
		return false
	}
	to := c.declared(e.Out[0])
	if to.class != scalar {
		return false
	}
	for _, v := range in {
		if v.class != scalar {
			return false
		}
	}
	d := in[0].dtype
	for _, v := range in[1:] {
		if v.dtype != d && e.Prim != "select_n" && e.Prim != "clamp" {
			return false
		}
	}
	switch e.Prim {
	case "select_n":
		if len(in) < 3 || to.dtype != in[1].dtype {
			return false
		}
		for _, v := range in[2:] {
			if v.dtype != to.dtype {
				return false
			}
		}
		c.selection(s, e, in, to)
		return true
	case "convert_element_type":
		one := wrapped(to.dtype)
		if to.dtype == tensor.Bool {
			one = func(x int64) int64 {
				if x != 0 {
					return 1
				}
				return 0
			}
		}
		return c.unary(s, e, in, to, one)
	case "neg", "sign", "abs", "not", "square":
		if to.dtype != d {
			return false
		}
		return c.unary(s, e, in, to, unaryInteger(e.Prim, d))
	}
	two := binaryInteger(e.Prim, d)
	compares := comparisons[e.Prim]
	if two == nil || len(in) != 2 || compares && to.dtype != tensor.Bool || !compares && to.dtype != d {
		return false
	}
	v := c.result(s, e.Out[0], to)
	if v == nil {
		return true
	}
	a, b, o := in[0].slot, in[1].slot, v.slot
	if d == tensor.I32 {
		if run := fast(e.Prim, a, b, o); run != nil {
			c.quiet(run)
			return true
		}
	}
	c.quiet(func(m *machine) { m.ints[o] = two(m.ints[a], m.ints[b]) })
	return true
}

func (c *compiler) unary(s *scope, e *Eqn, in []*variable, to kind, f func(int64) int64) bool {
	if len(in) != 1 || f == nil {
		return false
	}
	if v := c.result(s, e.Out[0], to); v != nil {
		a, o := in[0].slot, v.slot
		c.quiet(func(m *machine) { m.ints[o] = f(m.ints[a]) })
	}
	return true
}

// selection picks one of its operands by the first; the index is clamped.
func (c *compiler) selection(s *scope, e *Eqn, in []*variable, to kind) {
	v := c.result(s, e.Out[0], to)
	if v == nil {
		return
	}
	which, o := in[0].slot, v.slot
	cases := make([]int, len(in)-1)
	for i := range cases {
		cases[i] = in[i+1].slot
	}
	last := int64(len(cases) - 1)
	c.quiet(func(m *machine) { m.ints[o] = m.ints[cases[min(max(m.ints[which], 0), last)]] })
}

func unaryInteger(prim string, d tensor.DType) func(int64) int64 {
	wrap := wrapped(d)
	switch prim {
	case "neg":
		return func(x int64) int64 { return wrap(-x) }
	case "square":
		return func(x int64) int64 { return wrap(x * x) }
	case "not":
		return func(x int64) int64 { return wrap(^x) }
	case "abs":
		if d.Signed() {
			return func(x int64) int64 { return wrap(max(x, -x)) }
		}
		return func(x int64) int64 { return x }
	case "sign":
		return func(x int64) int64 {
			switch {
			case x == 0:
				return 0
			case x < 0 && d.Signed():
				return -1
			}
			return 1
		}
	}
	return nil
}

var comparisons = map[string]bool{"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// binaryInteger is a primitive on two integers of a type. What has no result has XLA's.
func binaryInteger(prim string, d tensor.DType) func(a, b int64) int64 {
	wrap, bits := wrapped(d), uint64(d.Bits())
	less := func(a, b int64) bool { return a < b }
	if d == tensor.U64 {
		less = func(a, b int64) bool { return uint64(a) < uint64(b) }
	}
	switch prim {
	case "eq":
		return func(a, b int64) int64 { return truth(a == b) }
	case "ne":
		return func(a, b int64) int64 { return truth(a != b) }
	case "lt":
		return func(a, b int64) int64 { return truth(less(a, b)) }
	case "le":
		return func(a, b int64) int64 { return truth(!less(b, a)) }
	case "gt":
		return func(a, b int64) int64 { return truth(less(b, a)) }
	case "ge":
		return func(a, b int64) int64 { return truth(!less(a, b)) }
	case "and":
		return func(a, b int64) int64 { return a & b }
	case "or":
		return func(a, b int64) int64 { return a | b }
	case "xor":
		return func(a, b int64) int64 { return a ^ b }
	case "max":
		return func(a, b int64) int64 {
			if less(a, b) {
				return b
			}
			return a
		}
	case "min":
		return func(a, b int64) int64 {
			if less(b, a) {
				return b
			}
			return a
		}
	}
	if d == tensor.Bool {
		return nil
	}
	switch prim {
	case "add":
		return func(a, b int64) int64 { return wrap(a + b) }
	case "sub":
		return func(a, b int64) int64 { return wrap(a - b) }
	case "mul":
		return func(a, b int64) int64 { return wrap(a * b) }
	case "div":
		return func(a, b int64) int64 {
			switch {
			case b == 0:
				return wrap(-1)
			case d == tensor.U64:
				return int64(uint64(a) / uint64(b))
			case b == -1:
				return wrap(-a)
			}
			return wrap(a / b)
		}
	case "rem":
		return func(a, b int64) int64 {
			switch {
			case b == 0:
				return a
			case d == tensor.U64:
				return int64(uint64(a) % uint64(b))
			case b == -1:
				return 0
			}
			return wrap(a % b)
		}
	case "shift_left":
		return func(a, b int64) int64 {
			if uint64(b) >= bits {
				return 0
			}
			return wrap(a << uint64(b))
		}
	case "shift_right_logical":
		return func(a, b int64) int64 {
			if uint64(b) >= bits {
				return 0
			}
			return wrap(int64(uint64(a) << (64 - bits) >> (64 - bits) >> uint64(b)))
		}
	case "shift_right_arithmetic":
		return func(a, b int64) int64 { return wrap(a << (64 - bits) >> (64 - bits) >> min(uint64(b), bits-1)) }
	}
	return nil
}

// fast are the commonest primitives on 32-bit integers, without a call.
func fast(prim string, a, b, o int) func(*machine) {
	switch prim {
	case "add":
		return func(m *machine) { m.ints[o] = int64(int32(m.ints[a] + m.ints[b])) }
	case "sub":
		return func(m *machine) { m.ints[o] = int64(int32(m.ints[a] - m.ints[b])) }
	case "mul":
		return func(m *machine) { m.ints[o] = int64(int32(m.ints[a] * m.ints[b])) }
	case "eq":
		return func(m *machine) { m.ints[o] = truth(m.ints[a] == m.ints[b]) }
	case "ne":
		return func(m *machine) { m.ints[o] = truth(m.ints[a] != m.ints[b]) }
	case "lt":
		return func(m *machine) { m.ints[o] = truth(m.ints[a] < m.ints[b]) }
	case "ge":
		return func(m *machine) { m.ints[o] = truth(m.ints[a] >= m.ints[b]) }
	}
	return nil
}
