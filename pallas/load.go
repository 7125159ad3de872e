package pallas

import (
	"fmt"
	"strings"

	"gpusim/array"
	"gpusim/kernel"
)

// UnsupportedError refuses a program because of something that is not implemented.
type UnsupportedError struct {
	What  string
	Place Place
}

func (e *UnsupportedError) Error() string {
	if e.Place.File == "" {
		return e.What + " is not supported"
	}
	return fmt.Sprintf("%s is not supported (%s:%d)", e.What, e.Place.File, e.Place.Line)
}

// loader checks a program once, so that running it needs no checks of its form.
type loader struct{ m *Module }

func (l *loader) jaxpr(j *Jaxpr) error {
	if j == nil {
		return fmt.Errorf("an equation lacks its jaxpr")
	}
	for i := range j.Const {
		c := &j.Const[i]
		d, ok := array.FindDType(c.DType)
		if !ok || len(c.Data) != array.Count(c.Shape)*d.Size() || c.Var < 0 || c.Var >= j.Count {
			return fmt.Errorf("a broken constant of type %s", c.DType)
		}
		c.value = array.Decode(d, c.Shape, c.Data)
	}
	defined := make([]bool, j.Count)
	define := func(n int) error {
		if n >= j.Count {
			return fmt.Errorf("variable %d of %d", n, j.Count)
		}
		if n >= 0 {
			defined[n] = true
		}
		return nil
	}
	for _, n := range j.In {
		if err := define(n); err != nil {
			return err
		}
	}
	for _, c := range j.Const {
		defined[c.Var] = true
	}
	for _, q := range j.Eqns {
		for _, a := range q.atoms() {
			if a.ID >= j.Count || a.ID >= 0 && !defined[a.ID] {
				return fmt.Errorf("%s uses variable %d before it is defined", q.Prim, a.ID)
			}
		}
		if err := l.eqn(q); err != nil {
			return err
		}
		for _, o := range q.Out {
			if err := define(o.ID); err != nil {
				return err
			}
		}
	}
	for _, a := range j.Out {
		if a.ID >= j.Count || a.ID >= 0 && !defined[a.ID] {
			return fmt.Errorf("a result is variable %d, which is not defined", a.ID)
		}
	}
	return nil
}

// atoms are all operands of an equation, those of its views included.
func (q *Eqn) atoms() []Atom {
	list := q.In
	if q.Params == nil {
		q.Params = &Params{}
	}
	for _, v := range q.Params.Views {
		for _, t := range v {
			for _, x := range t.Index {
				for _, a := range []*Atom{x.At, x.Start} {
					if a != nil {
						list = append(list[:len(list):len(list)], *a)
					}
				}
			}
		}
	}
	return list
}

func (l *loader) eqn(q *Eqn) error {
	place := Place{}
	if q.Src >= 0 && q.Src < len(l.m.Sources) {
		place = l.m.Sources[q.Src]
	}
	h, ok := handlers[q.Prim]
	if !ok {
		return &UnsupportedError{"primitive " + q.Prim, place}
	}
	q.run = h.run
	if len(q.In) < h.in {
		return fmt.Errorf("%s has %d operands, %d are needed", q.Prim, len(q.In), h.in)
	}
	for i := range q.Out {
		if o := &q.Out[i]; o.DType != "" {
			d, ok := array.FindDType(o.DType)
			if !ok {
				return &UnsupportedError{"type " + o.DType, place}
			}
			o.dtype = d
		}
	}
	p := q.Params
	if h.views > 0 && len(p.Views) < h.views {
		return fmt.Errorf("%s lacks the views of its references", q.Prim)
	}
	for i := range p.Scratch {
		s := &p.Scratch[i]
		if err := s.resolve(place); err != nil {
			return err
		}
	}
	var bodies []*Jaxpr
	switch q.Prim {
	case "scan", "run_scoped", "call":
		bodies = []*Jaxpr{p.Jaxpr}
	case "while":
		bodies = []*Jaxpr{p.Cond, p.Jaxpr}
	case "cond":
		bodies = p.Branches
		if len(bodies) == 0 {
			return fmt.Errorf("cond without branches")
		}
	}
	for _, b := range bodies {
		if err := l.jaxpr(b); err != nil {
			return err
		}
	}
	return nil
}

// resolve turns the words of an allocation into what array takes.
func (s *ScratchSpec) resolve(place Place) error {
	space, ok := map[string]kernel.Space{"smem": kernel.Shared, "gmem": kernel.Global, "regs": kernel.Local}[s.Space]
	if !ok {
		return &UnsupportedError{"an allocation in " + strings.ToUpper(s.Space), place}
	}
	s.scratch = array.Scratch{Name: s.Name, Space: space, Shape: s.Shape, Arrivals: s.Arrivals}
	if s.Arrivals > 0 {
		return nil
	}
	if s.scratch.Type, ok = array.FindDType(s.DType); !ok {
		return &UnsupportedError{"an allocation of type " + s.DType, place}
	}
	return nil
}
