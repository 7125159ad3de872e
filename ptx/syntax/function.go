package syntax

import "strconv"

// function reads the rest of .entry or .func: header and body.
func (p *parser) function(link Linkage, entry bool) {
	what := "the function"
	if entry {
		what = "the kernel"
	}
	p.read(what, "")
	f := &Func{Entry: entry, Decl: true, Linkage: link}
	for p.directive() == ".attribute" {
		p.next()
		p.parens(func(w string) { f.Attrs.Unified = f.Attrs.Unified || w == ".unified" })
	}
	if !entry && p.tok.kind == '(' {
		f.Rets = p.params()
	}
	name, at := p.identifier("its name")
	if p.bad {
		return
	}
	p.read(what, name)
	f.Pos, f.Name = p.pos(at), name
	if p.tok.kind == '(' {
		f.Params = p.params()
	}
	p.tuning(&f.Attrs)
	if p.bad {
		return
	}
	body := p.tok.kind == '{'
	if !body && p.tok.kind != ';' {
		p.unexpected(`"{" or ";"`)
		return
	}
	p.next()
	f = p.addFunc(f, body)
	if body {
		p.body(f)
	}
}

// addFunc declares f, or completes the declaration that it repeats.
func (p *parser) addFunc(f *Func, body bool) *Func {
	old := p.globals[f.Name].fn
	if old == nil {
		p.declare(f.Pos, f.Name, symbol{fn: f})
		p.module.Funcs = append(p.module.Funcs, f)
		f.Decl = !body
		return f
	}
	if body && !old.Decl {
		p.duplicate(f.Pos, f.Name, old.Pos)
		f.Decl = false
		return f
	}
	if old.Entry != f.Entry || !sameParams(old.Params, f.Params) || !sameParams(old.Rets, f.Rets) {
		p.reportPos(f.Pos, "its parameters differ from those declared at line "+strconv.Itoa(old.Line))
	}
	noReturn := old.Attrs.NoReturn || f.Attrs.NoReturn
	if body {
		f.Decl = false
		*old = *f
	}
	old.Attrs.NoReturn = noReturn
	return old
}

func sameParams(a, b []*Var) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Size != b[i].Size || a[i].Space != b[i].Space {
			return false
		}
	}
	return true
}

// params reads a parenthesised list of parameters.
func (p *parser) params() []*Var {
	var list []*Var
	p.expect('(')
	if p.accept(')') {
		return nil
	}
	for !p.bad {
		space := spaceByName[p.directive()]
		if space != SpaceParam && space != SpaceReg {
			p.unexpected("a .param or .reg parameter")
			break
		}
		p.next()
		v := p.variable(p.header(), LinkNone, space)
		if v.Size > maxVarSize {
			p.reportPos(v.Pos, "the parameter "+v.Name+" is too large")
		}
		list = append(list, v)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	return list
}

// tuning reads the directives between a function's header and its body (PTX ISA, Performance-Tuning
// Directives, Cluster Dimension Directives, Miscellaneous Directives).
func (p *parser) tuning(a *Attrs) {
	for {
		word := p.directive()
		if word == "" {
			return
		}
		at := p.tok
		p.next()
		switch word {
		case ".maxntid":
			p.dimensions(&a.MaxNTID)
		case ".reqntid":
			p.dimensions(&a.ReqNTID)
		case ".reqnctapercluster":
			p.dimensions(&a.ReqNCTAPerCluster)
		case ".minnctapersm":
			a.MinNCTAPerSM = int(p.integer("a number of blocks", 0, 1<<30))
		case ".maxnctapersm": // deprecated, the same by another name
			p.integer("a number of blocks", 0, 1<<30)
		case ".maxnreg":
			a.MaxNReg = int(p.integer("a number of registers", 0, 1<<30))
		case ".maxclusterrank":
			a.MaxClusterRank = int(p.integer("a number of blocks", 0, 1<<30))
		case ".explicitcluster":
			a.ExplicitCluster = true
		case ".blocksareclusters":
			a.BlocksAreClusters = true
		case ".noreturn":
			a.NoReturn = true
		case ".abi_preserve":
			a.AbiPreserve = int(p.integer("a number of registers", 0, 1<<30))
		case ".abi_preserve_control":
			a.AbiPreserveControl = int(p.integer("a number of registers", 0, 1<<30))
		case ".pragma":
			a.Pragmas = append(a.Pragmas, p.pragma()...)
		default:
			p.fail(at, "unknown directive "+word)
		}
	}
}

// dimensions reads one to three numbers; those left out are 1.
func (p *parser) dimensions(d *[3]int) {
	*d = [3]int{1, 1, 1}
	for i := range d {
		d[i] = int(p.integer("a number", 1, 1<<31-1))
		if i == 2 || !p.accept(',') {
			return
		}
	}
}

// body reads a function from behind its opening brace.
func (p *parser) body(f *Func) {
	p.fn, p.scope, p.depth = f, nil, 0
	p.undeclared = map[string]bool{}
	p.lines = p.debug.newTable(f)
	what, name := p.reading, p.subject
	p.openScope(p.tok)
	for _, list := range [][]*Var{f.Rets, f.Params} {
		for _, v := range list {
			v.Func = f
			sym := symbol{v: v}
			if v.Space == SpaceReg {
				v.Reg = p.newReg(v.Pos, v.Name, v.Type, v.Vec)
				sym = symbol{reg: v.Reg}
			}
			p.declare(v.Pos, v.Name, sym)
		}
	}
	for p.scope != nil {
		at := p.tok
		switch at.kind {
		case '{':
			p.next()
			if !p.openScope(at) {
				p.read(what, name)
				p.report(at, "blocks nested more than "+strconv.Itoa(maxScopeDepth)+" deep")
				p.stop()
				p.scope = nil
			}
		case '}':
			p.next()
			p.read(what, name)
			f.End = p.pos(at)
			p.closeScope()
		case ';':
			p.next()
		case tokEOF:
			p.read(what, name)
			p.report(at, "the text ends inside its body, the block opened at line "+strconv.Itoa(p.scope.open.Line)+" is not closed")
			p.scope = nil
		default:
			p.read(what, name)
			p.statement()
			p.recover()
		}
	}
	p.fn, p.depth = nil, 0
}

// statement reads a label, a directive or an instruction.
func (p *parser) statement() {
	switch p.tok.kind {
	case tokIdent:
		if name, ok := p.label(); ok {
			p.labelled(name)
			return
		}
		p.instruction()
	case '@':
		p.instruction()
	case tokDirective:
		p.bodyDirective()
	default:
		p.unexpected("an instruction")
		p.next()
	}
}

// label tells whether the current identifier is a label, and steps over its colon.
func (p *parser) label() (token, bool) {
	if p.lex.at(0) == '.' { // an opcode with modifiers
		return token{}, false
	}
	ahead := p.lex
	if ahead.next().kind != ':' {
		return token{}, false
	}
	t := p.tok
	p.lex = ahead
	p.next()
	return t, true
}

// labelled declares a label, or the list or prototype that has a name like one.
func (p *parser) labelled(at token) {
	name := p.text(at)
	word := p.directive()
	switch word {
	case ".branchtargets", ".calltargets":
		p.read(word, name)
		p.next()
		t := &Table{Pos: p.pos(at), Name: name}
		p.targets(t, word == ".branchtargets")
		p.declare(t.Pos, name, symbol{table: t})
		p.fn.Tables = append(p.fn.Tables, t)
	case ".callprototype":
		p.read(word, name)
		p.next()
		proto := &Proto{Pos: p.pos(at), Name: name}
		p.prototype(proto)
		p.declare(proto.Pos, name, symbol{proto: proto})
		p.fn.Protos = append(p.fn.Protos, proto)
	default:
		l := &Label{Pos: p.pos(at), Name: name, PC: len(p.fn.Code)}
		p.declare(l.Pos, name, symbol{label: l})
		p.fn.Labels = append(p.fn.Labels, l)
	}
}

// targets reads the list of a table.
func (p *parser) targets(t *Table, branches bool) {
	for !p.bad {
		name, at := p.identifier("a target")
		if p.bad {
			break
		}
		if branches {
			p.scope.targets = append(p.scope.targets, tableRef{table: t, index: len(t.Labels), name: name, pos: p.pos(at)})
			t.Labels = append(t.Labels, nil)
		} else if fn := p.globals[name].fn; fn != nil {
			t.Funcs = append(t.Funcs, fn)
		} else {
			p.report(at, "undeclared function "+name)
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
}

// prototype reads "(.param .b32 _) _ (.param .b32 _)" and the directives after it.
func (p *parser) prototype(proto *Proto) {
	if p.tok.kind == '(' {
		proto.Rets = p.params()
	}
	p.identifier(`"_"`)
	if p.tok.kind == '(' {
		proto.Params = p.params()
	}
	var attrs Attrs
	p.tuning(&attrs)
	proto.NoReturn = attrs.NoReturn
	p.expect(';')
}

// bodyDirective reads a directive inside a function.
func (p *parser) bodyDirective() {
	at := p.tok
	word := p.text(at)
	p.next()
	switch space := spaceByName[word]; {
	case space == SpaceReg:
		p.read("a declaration in", word)
		p.registers()
	case space != SpaceNone:
		p.variables(LinkNone, space)
	case linkageByName[word] != LinkNone:
		space := spaceByName[p.directive()]
		if space == SpaceNone || space == SpaceReg {
			p.unexpected("a variable after " + word)
			return
		}
		p.next()
		p.variables(linkageByName[word], space)
	case word == ".loc":
		p.read("the directive", word)
		if loc, ok := p.location(); ok {
			p.lines.add(loc)
		}
	case word == ".pragma":
		p.fn.Attrs.Pragmas = append(p.fn.Attrs.Pragmas, p.pragma()...)
	default:
		p.read("the directive", word)
		p.fail(at, "unknown inside a function")
	}
}
