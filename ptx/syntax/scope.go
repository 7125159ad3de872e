package syntax

import (
	"strconv"
	"strings"
)

// maxScopeDepth bounds the nesting of { } blocks.
const maxScopeDepth = 200

// symbol is what a name means: exactly one field is set.
type symbol struct {
	reg   *Reg
	v     *Var
	fn    *Func
	label *Label
	table *Table
	proto *Proto
}

func (s symbol) pos() Pos {
	switch {
	case s.reg != nil:
		return s.reg.Pos
	case s.v != nil:
		return s.v.Pos
	case s.fn != nil:
		return s.fn.Pos
	case s.label != nil:
		return s.label.Pos
	case s.table != nil:
		return s.table.Pos
	case s.proto != nil:
		return s.proto.Pos
	}
	return Pos{}
}

// isCodeName tells whether s is a name that may be used before it is declared.
func (s symbol) isCodeName() bool { return s.label != nil || s.table != nil || s.proto != nil }

// regRange is a declaration "%r<10>": the registers %r0 to %r9. They come into being when used.
type regRange struct {
	pos   Pos
	typ   Type
	vec   int
	count uint64
}

// scope holds the names of one { } block of a function.
type scope struct {
	parent  *scope
	open    Pos
	names   map[string]symbol
	ranges  map[string]regRange
	singles []*Reg     // registers declared one by one, for the check against ranges
	pending []int      // instructions with names that are not known yet
	targets []tableRef // entries of tables that are not known yet
}

// tableRef is an entry of a .branchtargets list that waits for its label.
type tableRef struct {
	table *Table
	index int
	name  string
	pos   Pos
}

func (s *scope) bind(name string, sym symbol) {
	if s.names == nil {
		s.names = make(map[string]symbol)
	}
	s.names[name] = sym
}

// splitRange finds the range that a name like %r12 belongs to.
func (s *scope) splitRange(name string) (regRange, bool) {
	if len(s.ranges) == 0 {
		return regRange{}, false
	}
	// At least the first character is no digit; more than ten digits are no register number.
	for i := len(name) - 1; i > 0 && i >= len(name)-10 && is(name[i], classDigit); i-- {
		if name[i] == '0' && i != len(name)-1 {
			continue // "%r01" is not in %r<10>
		}
		r, ok := s.ranges[name[:i]]
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(name[i:], 10, 64); err == nil && n < r.count {
			return r, true
		}
	}
	return regRange{}, false
}

// declare binds a new name in the innermost scope, or in the module outside of functions.
func (p *parser) declare(at Pos, name string, sym symbol) {
	if _, special := specialRegister(name); special || name == warpSize {
		p.reportPos(at, "the name "+name+" is predefined")
		return
	}
	if p.scope == nil {
		if old, ok := p.globals[name]; ok {
			p.duplicate(at, name, old.pos())
			return
		}
		p.globals[name] = sym
		return
	}
	if old, ok := p.scope.names[name]; ok {
		p.duplicate(at, name, old.pos())
		return
	}
	if r, ok := p.scope.splitRange(name); ok {
		p.duplicate(at, name, r.pos)
		return
	}
	p.scope.bind(name, sym)
}

func (p *parser) duplicate(at Pos, name string, first Pos) {
	p.reportPos(at, "duplicate name "+name+", first declared at line "+strconv.Itoa(first.Line))
}

// lookup finds a name from the innermost scope outwards.
func (p *parser) lookup(name string) (symbol, bool) {
	for s := p.scope; s != nil; s = s.parent {
		if sym, ok := s.names[name]; ok {
			return sym, true
		}
		if r, ok := s.splitRange(name); ok {
			reg := p.newReg(r.pos, name, r.typ, r.vec)
			s.bind(name, symbol{reg: reg})
			return symbol{reg: reg}, true
		}
	}
	sym, ok := p.globals[name]
	return sym, ok
}

func (p *parser) newReg(pos Pos, name string, typ Type, vec int) *Reg {
	r := &Reg{Pos: pos, Name: name, Type: typ, Vec: vec, Index: len(p.fn.Regs)}
	p.fn.Regs = append(p.fn.Regs, r)
	return r
}

// openScope enters a block; false if blocks are nested too deeply.
func (p *parser) openScope(at token) bool {
	p.depth++
	p.scope = &scope{parent: p.scope, open: p.pos(at)}
	return p.depth <= maxScopeDepth
}

// closeScope leaves a block. A name used before its declaration is bound now, to the innermost
// declaration around its use; what this block does not declare is left to the one around it.
func (p *parser) closeScope() {
	s := p.scope
	what, name := p.reading, p.subject
	for _, r := range s.singles {
		if rng, ok := s.splitRange(r.Name); ok {
			p.reportPos(r.Pos, "duplicate name "+r.Name+", also in the range declared at line "+strconv.Itoa(rng.pos.Line))
		}
	}
	for _, i := range s.pending {
		in := &p.fn.Code[i]
		if !bindLabels(s, in.Args) {
			continue
		}
		if s.parent != nil {
			s.parent.pending = append(s.parent.pending, i)
		} else {
			p.read("instruction", strings.Join(append([]string{in.Op}, in.Mods...), "."))
			p.reportUnbound(in, in.Args)
		}
	}
	p.read(what, name)
	for _, t := range s.targets {
		if sym, ok := s.names[t.name]; ok && sym.label != nil {
			t.table.Labels[t.index] = sym.label
		} else if s.parent != nil {
			s.parent.targets = append(s.parent.targets, t)
		} else {
			p.reportPos(t.pos, "undeclared label "+t.name+" in .branchtargets "+t.table.Name)
		}
	}
	p.scope = s.parent
	p.depth--
}

// bindLabels binds what s declares; true if unbound names are left.
func bindLabels(s *scope, args []Operand) (left bool) {
	for i := range args {
		a := &args[i]
		if len(a.Elems) > 0 && bindLabels(s, a.Elems) {
			left = true
		}
		if a.Kind != OperandLabel || a.Label != nil {
			continue
		}
		if sym, ok := s.names[a.Sym]; ok && sym.isCodeName() {
			a.setCodeName(sym)
		} else {
			left = true
		}
	}
	return left
}

func (a *Operand) setCodeName(sym symbol) {
	switch {
	case sym.label != nil:
		a.Kind, a.Label = OperandLabel, sym.label
	case sym.table != nil:
		a.Kind, a.Table = OperandTable, sym.table
	case sym.proto != nil:
		a.Kind, a.Proto = OperandProto, sym.proto
	}
}

func (p *parser) reportUnbound(in *Inst, args []Operand) {
	for i := range args {
		a := &args[i]
		p.reportUnbound(in, a.Elems)
		if a.Kind != OperandLabel || a.Label != nil {
			continue
		}
		what := "name "
		switch {
		case in.Op == "bra":
			what = "label "
		case a.Sym[0] == '%':
			what = "register "
		case in.Op == "call":
			what = "function "
		}
		if !p.undeclared[a.Sym] { // only the first use of a name is worth a line
			p.undeclared[a.Sym] = true
			p.reportPos(a.Pos, "undeclared "+what+a.Sym)
		}
	}
}
