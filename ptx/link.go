package ptx

import (
	"fmt"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"gpusim/kernel"
	"gpusim/ptx/syntax"
)

// funcBase is where the addresses of functions start: below every window of memory, so
// that a load through a function pointer is found.
const funcBase = 0x00E0_0000

// link resolves symbols over all texts and gives functions their addresses.
func (m *Module) link() syntax.ErrorList {
	var errs syntax.ErrorList
	next := uint64(funcBase)
	for _, u := range m.units {
		for _, f := range u.Funcs {
			m.address[f] = next
			next += 16
			if f.Linkage == syntax.LinkNone && !f.Decl {
				continue // private to its text
			}
			if old := m.funcs[f.Name]; old == nil || old.Decl || old.Linkage == syntax.LinkWeak && f.Linkage != syntax.LinkWeak && !f.Decl {
				m.funcs[f.Name] = f
			} else if !f.Decl && f.Linkage == syntax.LinkVisible && old.Linkage == syntax.LinkVisible {
				errs = append(errs, &syntax.Error{Pos: f.Pos, Message: fmt.Sprintf("linking: function %s is already defined in %s:%d", f.Name, old.File, old.Line)})
			}
		}
		vars := append([]*syntax.Var(nil), u.Vars...)
		for _, f := range u.Funcs {
			vars = append(vars, f.Vars...)
		}
		for _, v := range vars {
			m.varUnit[v] = u
			if v.Space == syntax.SpaceGlobal || v.Space == syntax.SpaceConst {
				m.all = append(m.all, v)
			}
			if v.Func != nil || v.Linkage == syntax.LinkNone {
				continue
			}
			old := m.vars[v.Name]
			switch {
			case old == nil, old.Linkage == syntax.LinkExtern && v.Linkage != syntax.LinkExtern, old.Linkage == syntax.LinkWeak && v.Linkage == syntax.LinkVisible,
				old.Linkage == syntax.LinkCommon && (v.Linkage == syntax.LinkVisible || v.Size > old.Size):
				m.vars[v.Name] = v
			case old.Linkage == syntax.LinkVisible && v.Linkage == syntax.LinkVisible:
				errs = append(errs, &syntax.Error{Pos: v.Pos, Message: fmt.Sprintf("linking: variable %s is already defined in %s:%d", v.Name, old.File, old.Line)})
			}
		}
	}
	m.findTaken()
	for _, u := range m.units {
		for _, f := range u.Funcs {
			if f.Entry && !f.Decl && (*linker)(m).Func(f) == f {
				m.kernels = append(m.kernels, m.kernel(f))
			}
		}
	}
	return errs
}

func (m *Module) kernel(f *syntax.Func) *Kernel {
	k := &Kernel{Name: f.Name, Full: m.demangle(f.Name), module: m, fn: f, MaxThreads: f.Attrs.MaxNTID, ReqThreads: f.Attrs.ReqNTID}
	k.Demangled = withoutParameters(f.Name, k.Full)
	k.Source = kernel.Source{File: f.File, Line: f.Line, Column: f.Col, Function: k.Demangled}
	off := 0
	for _, p := range f.Params {
		a := max(p.Align, 1)
		off = (off + a - 1) / a * a
		k.Params = append(k.Params, Param{Name: p.Name, Size: int(p.Size), Align: a, Offset: off, Pointer: p.Ptr})
		off += int(p.Size)
	}
	return k
}

// findTaken lists the functions whose address the program takes.
func (m *Module) findTaken() {
	seen := map[*syntax.Func]bool{}
	add := func(f *syntax.Func) {
		if f != nil && !seen[f] {
			seen[f] = true
			m.taken = append(m.taken, f)
		}
	}
	for _, u := range m.units {
		for _, f := range u.Funcs {
			for i := range f.Code {
				in := &f.Code[i]
				for k := range in.Args {
					if in.Op == "call" && k == 1 {
						continue
					}
					add(in.Args[k].Func)
				}
			}
			for _, t := range f.Tables {
				for _, g := range t.Funcs {
					add(g)
				}
			}
		}
	}
	for _, v := range m.all {
		for _, e := range v.Init {
			add(e.Func)
		}
	}
}

func (m *Module) demangle(name string) string {
	if d, ok := m.names[name]; ok {
		return d
	}
	d, err := demangle.ToString(name)
	if err != nil {
		d = name
	}
	m.names[name] = d
	return d
}

// withoutParameters is the C++ name of a function without its parameter list and, for a
// template, without its return type.
func withoutParameters(mangled, full string) string {
	d, err := demangle.ToString(mangled, demangle.NoParams)
	if err != nil {
		return full
	}
	// A name may be followed by enclosing-function parameters only; a leading return
	// type is printed for templates: cut at the last space outside of brackets.
	depth := 0
	for i := len(d) - 1; i >= 0; i-- {
		switch d[i] {
		case '>', ')':
			depth++
		case '<', '(':
			depth--
		case ' ':
			if depth == 0 && !strings.HasPrefix(d[i+1:], "const") {
				return d[i+1:]
			}
		}
	}
	return d
}

// linker answers the questions of package lower.
type linker Module

func (l *linker) Func(f *syntax.Func) *syntax.Func {
	if f.AliasOf != nil {
		f = f.AliasOf
	}
	if f.Decl || f.Linkage == syntax.LinkWeak {
		if d := l.funcs[f.Name]; d != nil {
			return d
		}
	}
	return f
}

func (l *linker) FuncAddress(f *syntax.Func) uint64 { return l.address[l.Func(f)] }

func (l *linker) AddressTaken() []*syntax.Func { return l.taken }

func (l *linker) Var(v *syntax.Var) *syntax.Var {
	if v.Func == nil && v.Linkage != syntax.LinkNone {
		if d := l.vars[v.Name]; d != nil {
			return d
		}
	}
	return v
}

func (l *linker) VarAddress(v *syntax.Var) (uint64, bool) {
	b := l.buffers[l.Var(v)]
	if b == nil {
		return 0, false
	}
	return b.Base, true
}

func (l *linker) Demangle(name string) string { return (*Module)(l).demangle(name) }

func (l *linker) FuncName(name string) string {
	return withoutParameters(name, (*Module)(l).demangle(name))
}
