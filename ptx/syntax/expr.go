package syntax

import "math"

// maxExprDepth bounds the recursion of nested expressions.
const maxExprDepth = 100

// precedence of the binary operators, higher binds tighter (PTX ISA, Operator Precedence).
func precedence(k tokenKind) int {
	switch k {
	case '*', '/', '%':
		return 10
	case '+', '-':
		return 9
	case tokShl, tokShr:
		return 8
	case '<', '>', tokLE, tokGE:
		return 7
	case tokEQ, tokNE:
		return 6
	case '&':
		return 5
	case '^':
		return 4
	case '|':
		return 3
	case tokAnd:
		return 2
	case tokOr:
		return 1
	}
	return 0
}

// expr reads a constant expression.
func (p *parser) expr() constant { return p.ternary(0) }

func (p *parser) ternary(depth int) constant {
	cond := p.binary(1, depth)
	if p.tok.kind != '?' {
		return cond
	}
	at := p.tok
	p.next()
	a := p.ternary(depth + 1)
	p.expect(':')
	b := p.ternary(depth + 1)
	if cond.kind != constInt {
		p.fail(at, "the condition of ?: must be an integer")
	}
	if a.kind != b.kind || a.kind == constSingle {
		p.fail(at, "both values of ?: must be integers or both double-precision")
	}
	unsigned := a.unsigned || b.unsigned
	if cond.int == 0 {
		a = b
	}
	a.unsigned = unsigned && a.kind == constInt
	return a
}

// binary reads operators of at least the given precedence.
func (p *parser) binary(least, depth int) constant {
	left := p.unary(depth)
	for !p.bad {
		if p.tok.kind == tokIdent && p.lex.src[p.tok.off] == '%' { // "7%4": no name can stand here
			p.tok.kind, p.tok.end = '%', p.tok.off+1
			p.lex.off = p.tok.end
		}
		op := p.tok
		prec := precedence(op.kind)
		if prec == 0 || prec < least {
			break
		}
		p.next()
		right := p.binary(prec+1, depth+1)
		if p.bad {
			break
		}
		var cause string
		if left, cause = apply(op.kind, left, right); cause != "" {
			p.fail(op, cause)
		}
	}
	return left
}

func (p *parser) unary(depth int) constant {
	if depth > maxExprDepth {
		p.fail(p.tok, "the expression is nested too deeply")
	}
	if p.bad {
		return constant{}
	}
	at := p.tok
	switch at.kind {
	case tokInt, tokFloat:
		p.next()
		read := intLiteral
		if at.kind == tokFloat {
			read = floatLiteral
		}
		c, cause := read(p.text(at))
		if cause != "" {
			p.fail(at, cause)
		}
		return c
	case tokIdent:
		if p.text(at) == warpSize {
			p.next()
			return constant{kind: constInt, int: 32}
		}
	case '(':
		p.next()
		if p.tok.kind == tokDirective {
			return p.cast(depth)
		}
		c := p.ternary(depth + 1)
		p.expect(')')
		return c
	case '+', '-', '!', '~':
		p.next()
		c := p.unary(depth + 1)
		if p.bad {
			return c
		}
		c, cause := applyUnary(at.kind, c)
		if cause != "" {
			p.fail(at, cause)
		}
		return c
	}
	p.unexpected("a constant")
	return constant{}
}

// cast reads the rest of "(.s64) expression".
func (p *parser) cast(depth int) constant {
	at := p.tok
	name := p.text(at)
	if name != ".s64" && name != ".u64" {
		p.fail(at, "a cast to "+name+": only .s64 and .u64 are possible")
	}
	p.next()
	p.expect(')')
	c := p.unary(depth + 1)
	if c.kind != constInt {
		p.fail(at, "a cast of a floating-point value")
	}
	c.unsigned = name == ".u64"
	return c
}

func applyUnary(op tokenKind, c constant) (constant, string) {
	switch {
	case c.kind == constSingle && op == '-':
		// ISA: a 0f constant stands alone. Compilers write the sign into the bits; so do we.
		c.single ^= 1 << 31
		return c, ""
	case op == '+':
		return c, ""
	case op == '-' && c.kind == constDouble:
		c.float = -c.float
		return c, ""
	case c.kind != constInt:
		return c, "a floating-point operand of " + string(rune(op))
	case op == '-':
		c.int = -c.int
		return c, ""
	case op == '~':
		return constant{int: ^c.int, unsigned: true}, ""
	}
	return truth(c.int == 0), ""
}

func truth(b bool) constant {
	if b {
		return constant{int: 1}
	}
	return constant{}
}

// apply evaluates a binary operator (PTX ISA, Integer Constant Expression Evaluation).
func apply(op tokenKind, a, b constant) (constant, string) {
	if a.kind == constSingle || b.kind == constSingle {
		return a, "a 0f constant in an expression"
	}
	if a.kind != b.kind {
		return a, "an integer and a floating-point value in one expression"
	}
	if a.kind == constDouble {
		return applyDouble(op, a.float, b.float)
	}
	unsigned := a.unsigned || b.unsigned
	result := func(v uint64) (constant, string) { return constant{int: v, unsigned: unsigned}, "" }
	less := int64(a.int) < int64(b.int)
	if unsigned {
		less = a.int < b.int
	}
	switch op {
	case '+':
		return result(a.int + b.int)
	case '-':
		return result(a.int - b.int)
	case '*':
		return result(a.int * b.int)
	case '/':
		switch {
		case b.int == 0:
			return a, "division by zero"
		case unsigned:
			return result(a.int / b.int)
		}
		return result(uint64(int64(a.int) / int64(b.int)))
	case '%': // interprets its operands as unsigned
		if b.int == 0 {
			return a, "division by zero"
		}
		return constant{int: a.int % b.int, unsigned: true}, ""
	case tokShl:
		return constant{int: a.int << b.int, unsigned: a.unsigned}, ""
	case tokShr:
		if a.unsigned {
			return constant{int: a.int >> b.int, unsigned: true}, ""
		}
		return constant{int: uint64(int64(a.int) >> b.int)}, ""
	case '&':
		return result(a.int & b.int)
	case '^':
		return result(a.int ^ b.int)
	case '|':
		return result(a.int | b.int)
	case tokAnd:
		return truth(a.int != 0 && b.int != 0), ""
	case tokOr:
		return truth(a.int != 0 || b.int != 0), ""
	}
	return compare(op, less, a.int == b.int), ""
}

func applyDouble(op tokenKind, a, b float64) (constant, string) {
	result := func(v float64) (constant, string) { return constant{kind: constDouble, float: v}, "" }
	switch op {
	case '+':
		return result(a + b)
	case '-':
		return result(a - b)
	case '*':
		return result(a * b)
	case '/':
		return result(a / b)
	case '<', '>', tokLE, tokGE, tokEQ, tokNE:
		if math.IsNaN(a) || math.IsNaN(b) {
			return truth(op == tokNE), ""
		}
		return compare(op, a < b, a == b), ""
	}
	return constant{}, "an integer operator on floating-point values"
}

func compare(op tokenKind, less, equal bool) constant {
	switch op {
	case '<':
		return truth(less)
	case '>':
		return truth(!less && !equal)
	case tokLE:
		return truth(less || equal)
	case tokGE:
		return truth(!less)
	case tokEQ:
		return truth(equal)
	}
	return truth(!equal)
}
