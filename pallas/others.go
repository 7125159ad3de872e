package pallas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gpusim/kernel"
	"gpusim/tensor"
)

var others = map[string]func(c *compiler, s *scope, e *Eqn){
	"debug_print":                      (*compiler).print,
	"check":                            (*compiler).check,
	"delay":                            (*compiler).delay,
	"set_max_registers":                (*compiler).setMaxRegisters,
	"griddepcontrol_wait":              bare(func(*machine) {}), // a launch is alone: those before it are complete
	"griddepcontrol_launch_dependents": bare(func(*machine) {}),
}

// text is a text with values in it.
type text struct {
	parts []textPart
	gets  []func(m *machine) tensor.Value
}

type textPart struct {
	literal string
	arg     int // -1: a literal
	spec    string
}

// text reads the parts of a text whose values are operands.
func (c *compiler) text(s *scope, e *Eqn) *text {
	var p struct{ Parts []json.RawMessage }
	c.params(e, &p)
	t := &text{}
	for _, o := range e.In {
		t.gets = append(t.gets, c.array(s, o).get())
	}
	for _, raw := range p.Parts {
		part := textPart{arg: -1}
		if json.Unmarshal(raw, &part.literal) != nil {
			var arg struct {
				Arg  int
				Spec string
			}
			if err := json.Unmarshal(raw, &arg); err != nil || arg.Arg < 0 || arg.Arg >= len(e.In) {
				c.fail("a part of its text is %s", raw)
			}
			part.arg, part.spec = arg.Arg, arg.Spec
		}
		t.parts = append(t.parts, part)
	}
	return t
}

func (t *text) format(m *machine) string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.arg < 0 {
			b.WriteString(p.literal)
			continue
		}
		b.WriteString(shown(t.gets[p.arg](m), p.spec))
	}
	return b.String()
}

// maxShown limits the elements of an array that are printed.
const maxShown = 1000

// shown is a value as numpy prints it, nearly: without alignment.
func shown(v tensor.Value, spec string) string {
	if v.Len() > maxShown {
		return fmt.Sprintf("%v%v of %d elements", v.Type, v.Shape, v.Len())
	}
	at := 0
	var show func(shape []int) string
	show = func(shape []int) string {
		if len(shape) == 0 {
			at++
			return element(v, at-1, spec)
		}
		parts := make([]string, shape[0])
		for i := range parts {
			parts[i] = show(shape[1:])
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return show(v.Shape)
}

func element(v tensor.Value, i int, spec string) string {
	switch {
	case v.Type == tensor.Bool:
		return map[bool]string{true: "True", false: "False"}[v.Int(i) != 0]
	case v.Type == tensor.U64 && spec == "":
		return strconv.FormatUint(uint64(v.Int(i)), 10)
	case v.Type.Float():
		if n, ok := strings.CutSuffix(strings.TrimPrefix(spec, "."), "f"); ok {
			if digits, err := strconv.Atoi(n); err == nil && digits >= 0 && digits < 100 {
				return strconv.FormatFloat(v.Float(i), 'f', digits, 64)
			}
		}
		bits := 32
		if v.Type == tensor.F64 {
			bits = 64
		}
		s := strconv.FormatFloat(v.Float(i), 'g', -1, bits)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	}
	switch spec {
	case "x":
		return strconv.FormatInt(v.Int(i), 16)
	case "b":
		return strconv.FormatInt(v.Int(i), 2)
	}
	return strconv.FormatInt(v.Int(i), 10)
}

func (c *compiler) print(s *scope, e *Eqn) {
	c.results(e, 0)
	t := c.text(s, e)
	c.emit(func(m *machine) { m.t.Print(t.format(m) + "\n") })
}

// check ends the kernel if its first operand holds.
func (c *compiler) check(s *scope, e *Eqn) {
	c.results(e, 0)
	if len(e.In) == 0 {
		c.fail("it has no operand")
	}
	failed := c.integer(s, e.In[0]).slot
	t := c.text(s, e)
	c.emit(func(m *machine) {
		if m.ints[failed] != 0 {
			m.t.Fail(kernel.Assert, "check", t.format(m)+" (`check` failed)", "make the condition hold")
		}
	})
}

// delay takes no time here; others get their turn.
func (c *compiler) delay(s *scope, e *Eqn) {
	c.operands(e, 1, 1)
	c.results(e, 0)
	c.integer(s, e.In[0])
	c.emit(func(m *machine) { m.t.Tick(1000) })
}

func (c *compiler) setMaxRegisters(_ *scope, e *Eqn) {
	var p struct {
		N      int
		Action string
	}
	c.params(e, &p)
	c.operands(e, 0, 0)
	c.results(e, 0)
	if p.N < 24 || p.N > 256 || p.N%8 != 0 {
		c.fail("%d registers: a multiple of 8 from 24 to 256 is possible", p.N)
	}
	c.emit(func(*machine) {})
}
