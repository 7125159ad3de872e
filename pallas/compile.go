package pallas

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpusim/tensor"
)

// step is what an equation has become.
type step struct {
	site  int
	quiet bool // it only computes integers: it cannot fail, and is not counted by itself
	run   func(m *machine)
}

// code is a compiled program. Its functions have no variables of their own, because none
// calls itself: there is one frame for all of them.
type code struct {
	steps    []step
	ints     []int64        // frames begin with these: they hold the constants
	vals     []tensor.Value // likewise
	refs     int
	items    int
	operands []operand
	prims    map[string]bool // that the program uses
}

// compiler makes the code of a module.
type compiler struct {
	module *Module
	code
	block *[]step // that is being written
	site  int
	prim  string
	warp  bool // inside of warps
	depth int
}

// badProgram ends the compilation.
type badProgram struct{ err error }

// fail ends the compilation because of what the file says.
func (c *compiler) fail(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if c.prim != "" {
		err = fmt.Errorf("%s: %s: %w", c.place(), c.prim, err)
	}
	panic(badProgram{err})
}

// unsupported ends it because of what this package does not do.
func (c *compiler) unsupported(format string, args ...any) {
	panic(badProgram{&UnsupportedError{fmt.Sprintf(format, args...), c.place()}})
}

func (c *compiler) place() Place {
	if c.site >= 0 && c.site < len(c.module.Sources) {
		return c.module.Sources[c.site]
	}
	return Place{}
}

func (m *Module) compile() (err error) {
	c := &compiler{module: m, site: -1}
	c.prims = map[string]bool{}
	defer func() {
		if v := recover(); v != nil {
			bad, ok := v.(badProgram)
			if !ok {
				panic(v)
			}
			err = bad.err
		}
	}()
	var params []*variable
	for i := range m.Operands {
		params = append(params, c.operand(i, params))
	}
	c.steps, _ = c.function(m.Kernel, params)
	m.code = &c.code
	return nil
}

// scope is the variables of a function that is being compiled.
type scope struct {
	vars []*variable
	uses []int
}

// maxDepth limits the nesting of functions, so that a bad file does not exhaust the stack.
const maxDepth = 200

// maxVars limits the variables of a function.
const maxVars = 1 << 22

// function compiles a function whose parameters are these variables.
func (c *compiler) function(f *Function, params []*variable) (steps []step, out []*variable) {
	switch {
	case f == nil:
		c.fail("a function is missing")
	case f.Vars < 0 || f.Vars > maxVars:
		c.fail("a function has %d variables", f.Vars)
	case len(f.In) != len(params):
		c.fail("a function has %d parameters and is given %d operands", len(f.In), len(params))
	}
	if c.depth++; c.depth > maxDepth {
		c.fail("functions are nested more than %d times", maxDepth)
	}
	s := &scope{vars: make([]*variable, f.Vars), uses: f.uses()}
	for i, n := range f.In {
		c.define(s, n, params[i])
	}
	for i := range f.Consts {
		k := &f.Consts[i]
		d, err := typeOf(k.DType, k.Shape)
		if err != nil {
			c.fail("a constant: %v", err)
		}
		if n := tensor.Count(k.Shape) * d.Size(); n != len(k.Data) {
			c.fail("a constant has %d bytes of data, its shape needs %d", len(k.Data), n)
		}
		v := tensor.Make(d, k.Shape)
		copy(v.Data, k.Data)
		c.define(s, k.Var, c.constant(v))
	}
	outer, site, prim := c.block, c.site, c.prim
	c.block = &steps
	for _, e := range f.Eqns {
		c.equation(s, e)
	}
	c.block, c.site, c.prim = outer, site, prim
	for _, a := range f.Out {
		out = append(out, c.atom(s, a))
	}
	c.depth--
	return steps, out
}

// uses counts how often each variable is used.
func (f *Function) uses() []int {
	n := make([]int, f.Vars)
	atom := func(a *Atom) {
		if a != nil && a.Literal == nil && a.Var >= 0 && a.Var < len(n) {
			n[a.Var]++
		}
	}
	for _, e := range f.Eqns {
		if e == nil {
			continue
		}
		for _, o := range e.In {
			if o != nil {
				atom(&o.Atom)
				for i := range o.View {
					o.View[i].atoms(atom)
				}
			}
		}
		atom(e.When)
		var p struct {
			Device *DeviceSpec `json:"device"`
		}
		if e.Prim == "semaphore_signal" && json.Unmarshal(e.Params, &p) == nil {
			p.Device.atoms(atom)
		}
	}
	for i := range f.Out {
		atom(&f.Out[i])
	}
	return n
}

func (t *Transform) atoms(f func(*Atom)) {
	for i := range t.Index {
		f(t.Index[i].At)
		f(t.Index[i].List)
		f(t.Index[i].Start)
	}
	for i := range t.Cluster {
		f(&t.Cluster[i].At)
	}
	t.Device.atoms(f)
}

func (d *DeviceSpec) atoms(f func(*Atom)) {
	if d == nil {
		return
	}
	f(d.Logical)
	for _, x := range d.Mesh {
		if x != nil {
			f(&x.At)
		}
	}
}

func (c *compiler) define(s *scope, n int, v *variable) {
	if n < 0 || n >= len(s.vars) {
		c.fail("variable %d of %d", n, len(s.vars))
	}
	if s.vars[n] != nil {
		c.fail("variable %d is defined twice", n)
	}
	s.vars[n] = v
}

// atom is the variable that an atom stands for.
func (c *compiler) atom(s *scope, a Atom) *variable {
	if a.Literal != nil {
		return c.constant(*a.Literal)
	}
	if a.Var < 0 || a.Var >= len(s.vars) {
		c.fail("variable %d of %d", a.Var, len(s.vars))
	}
	if s.vars[a.Var] == nil {
		c.fail("variable %d is used before it is defined", a.Var)
	}
	return s.vars[a.Var]
}

// equation compiles an equation.
func (c *compiler) equation(s *scope, e *Eqn) {
	if e == nil {
		c.fail("an equation is missing")
	}
	c.site, c.prim = e.Src, e.Prim
	c.prims[e.Prim] = true
	var when *variable
	if e.When != nil {
		when = c.integer(s, &Operation{Atom: *e.When})
		if len(e.Out) > 0 {
			c.fail("it has results, and happens only on a condition")
		}
	}
	outer := c.block
	var steps []step
	c.block = &steps
	if f, ok := emitters[e.Prim]; ok {
		f(c, s, e)
	} else if f, ok := tensor.Find(e.Prim); ok {
		c.primitive(s, e, f)
	} else {
		c.unsupported("the primitive %s", e.Prim)
	}
	c.block = outer
	if when != nil {
		slot := when.slot
		c.emit(func(m *machine) {
			if m.ints[slot] != 0 {
				m.exec(steps)
			}
		})
		return
	}
	*c.block = append(*c.block, steps...)
}

// emit adds a step to the block.
func (c *compiler) emit(run func(m *machine)) {
	*c.block = append(*c.block, step{site: c.site, run: run})
}

// quiet adds a step that only computes integers.
func (c *compiler) quiet(run func(m *machine)) {
	*c.block = append(*c.block, step{site: c.site, quiet: true, run: run})
}

// params reads the parameters of an equation.
func (c *compiler) params(e *Eqn, to any) {
	if len(e.Params) == 0 {
		return
	}
	if err := json.Unmarshal(e.Params, to); err != nil {
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) {
			c.fail("the parameter %s is no %s", strings.ToLower(t.Field), t.Type)
		}
		c.fail("its parameters: %v", err)
	}
}

// operands checks the number of operands.
func (c *compiler) operands(e *Eqn, least, most int) {
	if len(e.In) < least || len(e.In) > most {
		c.fail("%d operands", len(e.In))
	}
}

// results checks the number of results.
func (c *compiler) results(e *Eqn, n int) {
	if len(e.Out) != n {
		c.fail("%d results in place of %d", len(e.Out), n)
	}
}

// given is an operand that must not be left out, and be no reference with a view.
func (c *compiler) given(s *scope, o *Operation) *variable {
	if o == nil {
		c.fail("an operand is left out")
	}
	if o.IsRef && len(o.View) > 0 {
		c.fail("an operand has a view, and must not")
	}
	return c.atom(s, o.Atom)
}

// integer is an operand that is an integer or boolean scalar.
func (c *compiler) integer(s *scope, o *Operation) *variable {
	v := c.given(s, o)
	if v.class != scalar {
		c.fail("an operand is %v, and an integer is expected", v)
	}
	return v
}

// array is an operand that is an array or a scalar.
func (c *compiler) array(s *scope, o *Operation) *variable {
	v := c.given(s, o)
	if v.class > value {
		c.fail("an operand is %v, and an array is expected", v)
	}
	return v
}

// result makes the variable of a result that has to be of this kind; nil if it is not used.
func (c *compiler) result(s *scope, r Result, k kind) *variable {
	if k.class <= value {
		if got := c.declared(r); !got.same(k) {
			c.fail("the result is %v, and said to be %v", k, got)
		}
	}
	if r.Var < 0 {
		return nil
	}
	if r.Var >= len(s.vars) {
		c.fail("variable %d of %d", r.Var, len(s.vars))
	}
	v := c.fresh(k)
	c.define(s, r.Var, v)
	if s.uses[r.Var] == 0 {
		return nil
	}
	return v
}

// declared is the kind of a result that is an array, as the file says.
func (c *compiler) declared(r Result) kind {
	d, err := typeOf(r.DType, r.Shape)
	if err != nil {
		c.fail("a result: %v", err)
	}
	if n := tensor.Count(r.Shape) * d.Size(); n > maxValue {
		c.fail("a value of %v of shape %v takes %d bytes: at most %d are possible", d, r.Shape, n, maxValue)
	}
	return arrayKind(d, r.Shape)
}

// get reads a variable as an array.
func (v *variable) get() func(m *machine) tensor.Value {
	slot, d := v.slot, v.dtype
	if v.class == scalar {
		return func(m *machine) tensor.Value { return tensor.Int(d, m.ints[slot]) }
	}
	return func(m *machine) tensor.Value { return m.vals[slot] }
}

// set is what stores an array in a variable; it does nothing for a variable that is nil.
func (c *compiler) set(v *variable) func(m *machine, x tensor.Value) {
	if v == nil {
		return func(*machine, tensor.Value) {}
	}
	slot := v.slot
	if v.class == scalar {
		return func(m *machine, x tensor.Value) { m.ints[slot] = x.Int(0) }
	}
	if c.module.Options.SkipFloats && v.dtype.Float() {
		inf := infinite(v.kind)
		return func(m *machine, _ tensor.Value) { m.vals[slot] = inf }
	}
	return func(m *machine, x tensor.Value) { m.vals[slot] = x }
}

// infinite is what stands for numbers that a program with skip_floating_point_ops does not
// compute.
func infinite(k kind) tensor.Value {
	out := tensor.Make(k.dtype, k.shape)
	one := tensor.Float(k.dtype, math.Inf(1))
	for i := 0; i < len(out.Data); i += len(one.Data) {
		copy(out.Data[i:], one.Data)
	}
	return out
}

// maxValue is the most bytes of a value that a thread computes.
const maxValue = 1 << 30

// emitters compile the primitives that are not those of package tensor.
var emitters map[string]func(c *compiler, s *scope, e *Eqn)

func init() {
	emitters = map[string]func(c *compiler, s *scope, e *Eqn){}
	for _, list := range []map[string]func(*compiler, *scope, *Eqn){control, scopes, memoryOps, copyOps, syncOps, tensorCores, others} {
		for name, f := range list {
			emitters[name] = f
		}
	}
}

// equal reports whether two shapes are the same.
func equal(a, b []int) bool { return slices.Equal(a, b) }
