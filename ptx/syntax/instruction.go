package syntax

import (
	"strconv"
	"strings"
)

// opcode is an opcode with its modifiers, cut apart once for each spelling.
type opcode struct {
	op   string
	mods []string
}

// instruction reads an optional guard, an opcode and its operands.
func (p *parser) instruction() {
	start := p.tok
	in := Inst{Pos: p.pos(start)}
	p.read("an instruction", "")
	if start.kind == '@' {
		p.guard(&in)
	}
	if p.bad {
		return
	}
	if p.tok.kind != tokIdent {
		p.unexpected("an opcode")
		return
	}
	at := p.tok
	p.lex.opcodeTail()
	spelling := p.lex.src[at.off:p.lex.off]
	p.read("instruction", spelling)
	oc := p.opcode(spelling)
	if !opcodes[oc.op] {
		message := "unknown opcode " + oc.op
		if near := nearestOpcode(oc.op); near != "" {
			message += ", did you mean " + near + "?"
		}
		p.fail(at, message)
		return
	}
	in.Op, in.Mods = oc.op, oc.mods
	p.next()
	p.unbound = false
	if p.tok.kind != ';' {
		in.Args = p.operands(&in)
	}
	if p.bad {
		return
	}
	if p.tok.kind != ';' {
		p.unexpected(`"," or ";"`)
		return
	}
	in.Text = p.normalise(start.off, p.tok.off)
	p.next()
	if in.Op == "call" {
		p.arrangeCall(&in)
	}
	if p.unbound {
		p.scope.pending = append(p.scope.pending, len(p.fn.Code))
	}
	p.fn.Code = append(p.fn.Code, in)
	p.lines.instruction()
}

// guard reads "@p" or "@!p".
func (p *parser) guard(in *Inst) {
	p.next()
	in.GuardNeg = p.accept('!')
	name, at := p.identifier("a predicate register")
	if p.bad {
		return
	}
	sym, _ := p.lookup(name)
	switch {
	case sym.reg == nil:
		if !p.undeclared[name] {
			p.undeclared[name] = true
			p.report(at, "undeclared predicate register "+name)
		}
	case sym.reg.Type != Pred:
		p.report(at, "the guard "+name+" is no predicate but of type ."+sym.reg.Type.String())
	}
	in.Guard = sym.reg
}

// opcode cuts "ld.global.L2::128B.u32" apart.
func (p *parser) opcode(spelling string) *opcode {
	if oc := p.opcodes[spelling]; oc != nil {
		return oc
	}
	oc := &opcode{}
	if !strings.ContainsAny(spelling, " \t\r\n\v\f/") {
		op, mods, _ := strings.Cut(spelling, ".")
		if oc.op = op; mods != "" {
			oc.mods = strings.Split(mods, ".")
		}
	} else { // white space or comments between the parts
		lex := lexer{src: spelling}
		for t := lex.next(); t.kind != tokEOF; t = lex.next() {
			start := t.off
			for lex.at(0) == ':' || is(lex.at(0), classFollow) {
				lex.off++
			}
			if part := spelling[start:lex.off]; oc.op == "" {
				oc.op = part
			} else {
				oc.mods = append(oc.mods, part[1:])
			}
		}
	}
	p.opcodes[spelling] = oc
	return oc
}

// arrangeCall gives a call its fixed form: returns, target, arguments and, if given, prototype or
// table (PTX ISA, Control Flow Instructions: call).
func (p *parser) arrangeCall(in *Inst) {
	given := in.Args
	list := func() Operand {
		if len(given) == 0 || given[0].Kind != OperandList {
			return Operand{Kind: OperandList, Pos: in.Pos}
		}
		o := given[0]
		given = given[1:]
		return o
	}
	rets := list()
	if len(given) == 0 {
		p.reportPos(in.Pos, "no function to call")
		return
	}
	target := given[0]
	given = given[1:]
	args := list()
	if len(given) > 1 {
		p.reportPos(in.Pos, "too many operands")
		return
	}
	in.Args = append([]Operand{rets, target, args}, given...)
	switch target.Kind {
	case OperandFunc:
		p.checkCall(in, target.Func)
	case OperandReg, OperandLabel: // a label here is an undeclared function, reported later
	default:
		p.reportPos(target.Pos, "the target must be a function or a register")
	}
}

// checkCall compares the number of arguments with the function's parameters. A last parameter of
// open size takes any number of arguments.
func (p *parser) checkCall(in *Inst, f *Func) {
	rets, args := in.Args[0].Elems, in.Args[2].Elems
	if len(f.Params) > 0 && f.Params[len(f.Params)-1].hasOpenDim() {
		return
	}
	if len(args) != len(f.Params) {
		p.reportPos(in.Pos, f.Name+" takes "+strconv.Itoa(len(f.Params))+" arguments, "+strconv.Itoa(len(args))+" are given")
	}
	if len(rets) != len(f.Rets) {
		p.reportPos(in.Pos, f.Name+" returns "+strconv.Itoa(len(f.Rets))+" values, "+strconv.Itoa(len(rets))+" are taken")
	}
}

// normalise is the text from one place to another with single spaces and no comments.
func (p *parser) normalise(from, to int) string {
	buf := p.textBuf[:0]
	lex := lexer{src: p.lex.src[:to], off: from}
	for {
		before := lex.off
		if !lex.skipSpace() || lex.off >= to {
			break
		}
		c := lex.src[lex.off]
		if lex.off > before && len(buf) > 0 && !strings.ContainsRune("([{", rune(buf[len(buf)-1])) && !strings.ContainsRune(")]},", rune(c)) {
			buf = append(buf, ' ')
		}
		start := lex.off
		for lex.off < to && !is(lex.src[lex.off], classSpace) && lex.src[lex.off] != '/' {
			lex.off++
		}
		if lex.off == start { // a slash that starts no comment
			lex.off++
		}
		buf = append(buf, lex.src[start:lex.off]...)
	}
	p.textBuf = buf
	return string(buf)
}
