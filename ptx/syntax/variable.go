package syntax

import "strconv"

// maxVarSize bounds the bytes of a variable, so that no sum of sizes overflows.
const maxVarSize = 1 << 40

// maxRange bounds the count in a declaration like %r<100>.
const maxRange = 1 << 24

// varHeader is what stands between the space and the first name of a declaration.
type varHeader struct {
	typ      Type
	vec      int
	align    int
	managed  bool
	ptr      bool
	ptrSpace Space
	ptrAlign int
}

// header reads alignment, vector and element type, attributes and .ptr in any order.
func (p *parser) header() (h varHeader) {
	for !p.bad && p.tok.kind == tokDirective {
		at := p.tok
		word := p.text(at)
		p.next()
		switch word {
		case ".align":
			h.align = p.alignment()
		case ".v2", ".v4", ".v8":
			h.vec = int(word[2] - '0')
		case ".attribute":
			p.parens(func(w string) { h.managed = h.managed || w == ".managed" })
		case ".ptr":
			h.ptr = true
			for space := spaceByName[p.directive()]; space != SpaceNone; space = spaceByName[p.directive()] {
				h.ptrSpace = space
				p.next()
			}
			if p.directive() == ".align" {
				p.next()
				h.ptrAlign = p.alignment()
			}
		default:
			typ, ok := TypeByName(word[1:])
			if !ok {
				p.fail(at, "unknown type or attribute "+word)
				return h
			}
			if h.typ != TypeNone {
				p.fail(at, "a second type "+word)
				return h
			}
			h.typ = typ
		}
	}
	if h.typ == TypeNone {
		p.unexpected("a type")
	}
	return h
}

// alignment reads a power of two.
func (p *parser) alignment() int {
	at := p.tok
	n := p.integer("an alignment", 1, 1<<20)
	if n&(n-1) != 0 {
		p.fail(at, "the alignment "+strconv.FormatInt(n, 10)+" is no power of two")
	}
	return int(n)
}

// registers reads the rest of a .reg declaration: a type and names, some with a count.
func (p *parser) registers() {
	h := p.header()
	for !p.bad {
		name, at := p.identifier("a register")
		if p.bad {
			break
		}
		if p.accept('<') {
			count := p.integer("the number of registers", 0, maxRange)
			p.expect('>')
			if !p.bad {
				p.declareRange(at, name, regRange{pos: p.pos(at), typ: h.typ, vec: h.vec, count: uint64(count)})
			}
		} else {
			errors := len(p.errors)
			reg := p.newReg(p.pos(at), name, h.typ, h.vec)
			p.declare(reg.Pos, name, symbol{reg: reg})
			if len(p.errors) == errors {
				p.scope.singles = append(p.scope.singles, reg)
			}
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
}

func (p *parser) declareRange(at token, name string, r regRange) {
	if old, ok := p.scope.ranges[name]; ok {
		p.duplicate(p.pos(at), name+"<>", old.pos)
		return
	}
	if p.scope.ranges == nil {
		p.scope.ranges = make(map[string]regRange)
	}
	p.scope.ranges[name] = r
}

// variables reads the rest of a declaration in an addressable space.
func (p *parser) variables(link Linkage, space Space) {
	p.read("a declaration in", "."+space.String())
	h := p.header()
	for !p.bad {
		v := p.variable(h, link, space)
		if p.bad {
			break
		}
		if p.accept('=') {
			p.initialiser(v)
		} else if v.hasOpenDim() && link != LinkExtern && space != SpaceParam {
			p.reportPos(v.Pos, "the variable "+v.Name+"[] needs a size, an initialiser or .extern")
		}
		v.measure()
		if v.Size > maxVarSize {
			p.reportPos(v.Pos, "the variable "+v.Name+" is too large")
		}
		p.addVar(v)
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
}

// variable reads a name and its dimensions.
func (p *parser) variable(h varHeader, link Linkage, space Space) *Var {
	name, at := p.identifier("a name")
	v := &Var{Pos: p.pos(at), Name: name, Space: space, Type: h.typ, Vec: h.vec, Align: h.align, Linkage: link,
		Managed: h.managed, Ptr: h.ptr, PtrSpace: h.ptrSpace, PtrAlign: h.ptrAlign, Func: p.fn}
	for p.accept('[') {
		if p.accept(']') {
			if v.hasOpenDim() {
				p.fail(at, "the variable "+name+" has two dimensions without a size")
			}
			v.Dims = append(v.Dims, -1)
			continue
		}
		size := p.tok
		c := p.expr()
		if !p.bad && (c.kind != constInt || c.int > maxVarSize) {
			p.fail(size, "the dimension of "+name+" must be an integer from 0 to 2^40")
		}
		v.Dims = append(v.Dims, int(c.int))
		p.expect(']')
	}
	v.measure()
	return v
}

func (v *Var) hasOpenDim() bool {
	for _, d := range v.Dims {
		if d < 0 {
			return true
		}
	}
	return false
}

// measure sets Size, to more than maxVarSize if that is exceeded, and a natural Align if none was given.
func (v *Var) measure() {
	unit := int64(v.Type.Size()) * int64(max(v.Vec, 1))
	if v.Align == 0 {
		v.Align = int(unit)
	}
	v.Size = unit
	for _, d := range v.Dims {
		switch {
		case d < 0 || v.Size == 0:
			v.Size = 0
		case d > 0 && v.Size > maxVarSize/int64(d):
			v.Size = maxVarSize + 1
			return
		default:
			v.Size *= int64(d)
		}
	}
}

// addVar declares v. At module scope an .extern declaration and the definition are one variable.
func (p *parser) addVar(v *Var) {
	if p.fn != nil {
		p.declare(v.Pos, v.Name, symbol{v: v})
		p.fn.Vars = append(p.fn.Vars, v)
		return
	}
	old := p.globals[v.Name].v
	if old == nil || old.Linkage != LinkExtern && v.Linkage != LinkExtern {
		p.declare(v.Pos, v.Name, symbol{v: v})
		p.module.Vars = append(p.module.Vars, v)
		return
	}
	if old.Space != v.Space || old.Type != v.Type || old.Vec != v.Vec {
		p.reportPos(v.Pos, "the variable "+v.Name+" differs from its declaration at line "+strconv.Itoa(old.Line))
		return
	}
	if v.Linkage != LinkExtern {
		*old = *v // the initialiser's open names are bound by variable and index: see initialiser
		for i := range p.inits {
			if p.inits[i].v == v {
				p.inits[i].v = old
			}
		}
	}
}
