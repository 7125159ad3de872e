package launch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gpusim/compile"
	"gpusim/kernel"
)

// Prepared is a plan whose program has been read and whose launches fit its kernels.
type Prepared struct {
	plan    *Plan
	module  Module
	kernels []Kernel // by step; nil where a step frees
}

// Bytes is the size of all buffers together.
func (p *Prepared) Bytes() (n int64) {
	for _, b := range p.plan.buffers {
		n += b.size()
	}
	return n
}

// Prepare reads the plan's program and compares the launches with its kernels. It goes on
// after the errors that reading the plan has found, so that the user sees all of them.
func (p *Plan) Prepare(f Frontend, sofar InputErrors) (*Prepared, error) {
	c := &checker{errs: sofar, dir: p.dir}
	module := p.load(c, f)
	if module == nil {
		return nil, c.errs.err()
	}
	out := &Prepared{plan: p, module: module, kernels: make([]Kernel, len(p.steps))}
	for i := range p.steps {
		if s := &p.steps[i]; s.free == "" {
			out.kernels[i] = c.fit(module, s)
		}
	}
	c.symbols(module, p.buffers)
	return out, c.errs.err()
}

// load reads the plan's program; nil if that is not possible.
func (p *Plan) load(c *checker, f Frontend) Module {
	if p.pallas != nil {
		return pallasModule{module: p.pallas}
	}
	sources := p.sources(c)
	if sources == nil {
		return nil
	}
	module, err := f.Load(sources)
	if err != nil {
		c.take(p.programs[0].at, "program", err)
		return nil
	}
	return module
}

// sources reads the program's files; nil if any of them cannot be used.
func (p *Plan) sources(c *checker) []Source {
	var out []Source
	for _, s := range p.programs {
		if filepath.Ext(s.text) != ".ptx" && !compile.IsSource(s.text) {
			return nil // reported when the plan was read
		}
		text, ok := p.text(c, s)
		if !ok {
			return nil
		}
		out = append(out, Source{Name: ptxName(s.text), Text: text})
	}
	return out
}

// take adds a front end's error.
func (c *checker) take(at place, reading string, err error) {
	var list InputErrors
	if errors.As(err, &list) {
		c.errs = append(c.errs, list...)
		return
	}
	c.add(at, reading, "%v", err)
}

// fit finds a step's kernel and compares the step with its signature.
func (c *checker) fit(m Module, s *step) Kernel {
	what := "kernel"
	if s.kernel.at.file == "" {
		what = "--kernel"
	}
	k, err := m.Find(s.kernel.text)
	if err != nil {
		c.take(s.kernel.at, what, err)
		return nil
	}
	sig := k.Signature()
	if n := s.block.Count(); n != 0 {
		if most := sig.MaxThreads.Count(); most != 0 && n > most {
			c.add(s.blockAt, "block of "+sig.Name, "%d threads; the kernel was compiled for at most %d (.maxntid)", n, most)
		}
		if sig.Required != (kernel.Dim3{}) && s.block != sig.Required {
			c.add(s.blockAt, "block of "+sig.Name, "%v; the kernel was compiled for %v (.reqntid)", s.block, sig.Required)
		}
	}
	c.fitArguments(sig, s)
	return k
}

func (c *checker) fitArguments(sig Signature, s *step) {
	what := "arguments of " + sig.Name
	if s.kernel.at.file == "" {
		what = "--arg: " + what
	}
	if len(s.args) != len(sig.Params) {
		words := make([]string, len(sig.Params))
		for i, p := range sig.Params {
			words[i] = fmt.Sprintf("%s (%s)", p.Name, byteCount(p.Size))
		}
		list := ""
		if len(words) > 0 {
			list = ": " + strings.Join(words, ", ")
		}
		c.add(s.argsAt, what, "%d given, the kernel takes %d%s", len(s.args), len(sig.Params), list)
		return
	}
	for i, a := range s.args {
		if a.broken() {
			continue // reported when it was read
		}
		p := sig.Params[i]
		if n := a.size(); n != p.Size {
			c.add(a.at, what, "argument %d (%s) has %s, parameter %s takes %d", i, a.text, byteCount(n), p.Name, p.Size)
		}
	}
}

func byteCount(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// broken reports whether the argument, or a member of it, could not be read.
func (a *argument) broken() bool {
	for _, p := range a.parts {
		if p.broken() {
			return true
		}
	}
	return a.buffer == "" && a.bytes == nil && a.parts == nil && !a.isShare
}

// symbols compares buffers that stand for module variables with the module.
func (c *checker) symbols(m Module, buffers []*buffer) {
	vars := m.Variables()
	for _, b := range buffers {
		if b.symbol.text == "" || b.count == 0 {
			continue
		}
		what := "buffer " + b.name + " symbol"
		v := findVariable(vars, b.symbol.text)
		switch {
		case v == nil:
			var names []string
			for _, v := range vars {
				names = append(names, v.Demangled)
			}
			c.add(b.symbol.at, what, "the program has no variable %q%s", b.symbol.text, nearest(b.symbol.text, names))
		case v.Size != b.size():
			c.add(b.symbol.at, what, "%s %s has %d bytes, the variable %s has %d", b.dtype.Name, formatShape(b.shape), b.size(), b.symbol.text, v.Size)
		case b.init != nil && b.init.kind == initNone:
			c.add(b.init.at, what, "a module variable is always initialised, none is not possible")
		}
	}
}

func findVariable(vars []Variable, name string) *Variable {
	for i := range vars {
		if vars[i].Name == name || vars[i].Demangled == name {
			return &vars[i]
		}
	}
	return nil
}
