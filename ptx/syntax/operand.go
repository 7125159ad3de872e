package syntax

import "math"

// operands reads a list of operands.
func (p *parser) operands(in *Inst) []Operand {
	base := len(p.stack)
	for !p.bad {
		p.stack = append(p.stack, p.operand(in))
		if !p.accept(',') {
			break
		}
		if in.Op == "activemask" && p.tok.kind == ';' {
			break // clang 19 writes "activemask.b32 %r1, ;"
		}
	}
	list := p.keep(p.stack[base:])
	p.stack = p.stack[:base]
	return list
}

// keep copies operands to memory that stays.
func (p *parser) keep(list []Operand) []Operand {
	if cap(p.slab)-len(p.slab) < len(list) {
		p.slab = make([]Operand, 0, max(len(list), 128))
	}
	n := len(p.slab)
	p.slab = append(p.slab, list...)
	return p.slab[n:len(p.slab):len(p.slab)]
}

// operand reads one operand.
func (p *parser) operand(in *Inst) Operand {
	at := p.tok
	o := Operand{Pos: p.pos(at)}
	switch at.kind {
	case tokIdent:
		if p.text(at) == warpSize {
			p.constantOperand(&o)
		} else {
			p.named(in, &o)
		}
	case '[':
		p.next()
		p.address(in, &o)
	case '{':
		p.next()
		o.Kind = OperandVector
		o.Elems = p.simpleList(in, '}')
	case '(':
		if in.Op != "call" {
			p.constantOperand(&o)
			break
		}
		p.next()
		o.Kind = OperandList
		if !p.accept(')') {
			o.Elems = p.simpleList(in, ')')
		}
	case '!':
		ahead := p.lex
		if t := ahead.next(); t.kind != tokIdent || p.text(t) == warpSize {
			p.constantOperand(&o)
			break
		}
		p.next()
		p.named(in, &o)
		o.Neg = true
		if !p.bad && o.Kind != OperandReg && o.Kind != OperandLabel { // an undeclared name is reported later
			p.fail(at, `"!" before an operand that is no register`)
		}
	case tokInt, tokFloat, '+', '-', '~':
		p.constantOperand(&o)
	default:
		p.unexpected("an operand")
	}
	return o
}

// simpleList reads operands that hold no lists themselves, up to a closing token.
func (p *parser) simpleList(in *Inst, end tokenKind) []Operand {
	base := len(p.stack)
	for !p.bad {
		if k := p.tok.kind; k == '{' || k == '(' && in.Op == "call" || k == '[' {
			p.unexpected("a register or constant")
			break
		}
		p.stack = append(p.stack, p.operand(in))
		if !p.accept(',') {
			break
		}
		if in.Op == "activemask" && p.tok.kind == ';' {
			break // clang 19 writes "activemask.b32 %r1, ;"
		}
	}
	list := p.keep(p.stack[base:])
	p.stack = p.stack[:base]
	p.expect(end)
	return list
}

func (p *parser) constantOperand(o *Operand) {
	switch c := p.expr(); c.kind {
	case constInt:
		o.Kind, o.Int = OperandInt, c.int
	case constDouble:
		o.Kind, o.FloatBits, o.FloatWidth = OperandFloat, math.Float64bits(c.float), 64
	case constSingle:
		o.Kind, o.FloatBits, o.FloatWidth = OperandFloat, uint64(c.single), 32
	}
}

// named reads an operand that starts with an identifier, and the second half of a pair "a|b".
func (p *parser) named(in *Inst, o *Operand) {
	p.single(in, o)
	if p.bad || p.tok.kind != '|' || o.Kind != OperandReg && o.Kind != OperandSink && o.Kind != OperandLabel {
		return
	}
	p.next()
	second := Operand{Pos: p.pos(p.tok)}
	if p.tok.kind != tokIdent {
		p.unexpected("a register")
		return
	}
	p.single(in, &second)
	*o = Operand{Pos: o.Pos, Kind: OperandPair, Elems: p.keep([]Operand{*o, second})}
}

func (p *parser) single(in *Inst, o *Operand) {
	at := p.tok
	name := p.text(at)
	p.next()
	if name == "_" {
		o.Kind = OperandSink
		return
	}
	o.Sym = name
	if in.Op == "bra" { // a label, even where a variable or function has the same name
		p.codeName(o, p.scope.names[name])
		return
	}
	sym, ok := p.lookup(name)
	switch {
	case sym.reg != nil:
		o.Kind, o.Reg = OperandReg, sym.reg
		p.suffix(o, sym.reg.Vec > 0)
	case sym.v != nil:
		o.Kind, o.Var = OperandVar, sym.v
		if p.tok.kind == '[' {
			p.index(o)
			if in.Op != "mov" && in.Op != "cvta" { // "ld.global.u32 s, a[0]": the array notation of an address
				o.Kind = OperandAddr
			}
		}
		o.Off += p.offset()
	case sym.fn != nil:
		o.Kind, o.Func = OperandFunc, sym.fn
	case ok: // a label, table or prototype; an inner block may yet declare another one
		p.codeName(o, p.scope.names[name])
	default:
		if vector, special := specialRegister(name); special {
			o.Kind, o.Special = OperandSpecial, name
			p.suffix(o, vector)
			return
		}
		p.codeName(o, symbol{})
		if p.tok.kind == tokDirective { // a component of an undeclared register
			p.next()
		}
	}
}

// codeName binds o to a label, table or prototype of the innermost block, or leaves it for later.
func (p *parser) codeName(o *Operand, sym symbol) {
	o.Kind = OperandLabel
	if sym.isCodeName() {
		o.setCodeName(sym)
	} else {
		p.unbound = true
	}
}

// suffix reads a component of a vector register or the selector of a video instruction.
func (p *parser) suffix(o *Operand, vector bool) {
	if p.tok.kind != tokDirective {
		return
	}
	at := p.tok
	word := p.text(at)
	comp, isComp := component(word)
	switch {
	case isComp && vector:
		o.Comp = comp
	case isComp:
		p.fail(at, o.Sym+" is no vector and has no component "+word)
	case isSelector(word) && o.Kind == OperandReg:
		o.Select = word[1:]
	default:
		p.fail(at, "unknown component "+word+" of "+o.Sym)
	}
	p.next()
}

// index reads "[1][2]" after a variable: the address of an element.
func (p *parser) index(o *Operand) {
	v := o.Var
	stride := int64(v.Type.Size() * max(v.Vec, 1))
	for _, d := range v.Dims[min(1, len(v.Dims)):] {
		stride *= int64(max(d, 1))
	}
	for i := 0; p.tok.kind == '[' && !p.bad; i++ {
		at := p.tok
		if i >= len(v.Dims) {
			p.fail(at, "too many indices of "+v.Name)
			return
		}
		if i > 0 {
			stride /= int64(max(v.Dims[i], 1))
		}
		p.next()
		c := p.expr()
		if c.kind != constInt {
			p.fail(at, "an index must be an integer")
		}
		o.Off += int64(c.int) * stride
		p.expect(']')
	}
}

// address reads the rest of "[base+offset]", with the coordinates that some instructions have after
// a comma.
func (p *parser) address(in *Inst, o *Operand) {
	o.Kind = OperandAddr
	at := p.tok
	if at.kind == tokIdent && p.text(at) != warpSize {
		p.addressBase(o)
		o.Off += p.offset()
	} else {
		c := p.expr()
		if c.kind != constInt {
			p.fail(at, "an address must be an integer")
		}
		o.Off = int64(c.int)
	}
	if p.accept(',') {
		o.Elems = p.operands(in)
	}
	p.expect(']')
}

func (p *parser) addressBase(o *Operand) {
	at := p.tok
	name := p.text(at)
	p.next()
	o.Sym = name
	sym, _ := p.lookup(name)
	switch {
	case sym.reg != nil:
		o.Reg = sym.reg
		p.suffix(o, sym.reg.Vec > 0)
	case sym.v != nil:
		o.Var = sym.v
		if p.tok.kind == '[' {
			p.index(o)
		}
	case sym.fn != nil || sym.isCodeName():
		p.report(at, "the address of "+name+", which is neither a register nor a variable")
	default:
		what := "variable "
		if name[0] == '%' {
			what = "register "
		}
		if !p.undeclared[name] {
			p.undeclared[name] = true
			p.report(at, "undeclared "+what+name)
		}
		if p.tok.kind == tokDirective {
			p.next()
		}
	}
}
