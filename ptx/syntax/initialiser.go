package syntax

import "math/bits"

// initRef is a name in an initialiser that is declared later, if at all.
type initRef struct {
	v     *Var
	index int
	name  string
	pos   Pos
}

// initialiser reads what stands after the = (PTX ISA, Initializers): a value or nested lists.
func (p *parser) initialiser(v *Var) {
	if v.Space != SpaceGlobal && v.Space != SpaceConst {
		p.fail(p.tok, "only variables in .global and .const have initialisers")
	}
	if v.Linkage == LinkExtern {
		p.fail(p.tok, "an .extern variable has no initialiser")
	}
	switch v.Type {
	case TexRef, SamplerRef, SurfRef: // lists of "field = value"
		if p.tok.kind == '{' && !p.bad {
			if !p.lex.skipBraces() {
				p.stop()
			}
			p.next()
			return
		}
	}
	shape := v.Dims
	if v.Vec > 0 {
		shape = append(shape[:len(shape):len(shape)], v.Vec)
	}
	in := initReader{p: p, v: v, stride: make([]int64, len(shape)+1)}
	in.stride[len(shape)] = 1
	for i := len(shape) - 1; i >= 0; i-- {
		n := int64(shape[i])
		if n < 0 {
			if i > 0 {
				p.fail(p.tok, "only the first dimension may be left out")
			}
			n = maxVarSize
		}
		if in.stride[i+1] > 0 && n > maxVarSize/in.stride[i+1] {
			n = maxVarSize / in.stride[i+1]
		}
		in.stride[i] = n * in.stride[i+1]
	}
	if len(shape) == 0 {
		in.value(0)
		return
	}
	end := in.list(0, 0)
	if len(v.Dims) > 0 && v.Dims[0] < 0 && !p.bad {
		v.Dims = append([]int{int((end + in.stride[1] - 1) / in.stride[1])}, v.Dims[1:]...)
	}
}

// initReader reads one initialiser. Places are counted in elements; stride[d] is how many an entry of
// a list at depth d-1 covers.
type initReader struct {
	p      *parser
	v      *Var
	stride []int64
}

// list reads a list at the given depth whose first element is at base, and returns the place behind
// the last element set. Missing values at its end are zero.
func (in *initReader) list(depth int, base int64) int64 {
	p := in.p
	p.expect('{')
	place, limit := base, base+in.stride[depth]
	for !p.bad && p.tok.kind != '}' {
		at := p.tok
		if place >= limit {
			p.fail(at, "too many values in the initialiser of "+in.v.Name)
			break
		}
		if at.kind != '{' {
			in.value(place)
			place++
		} else {
			if depth+2 >= len(in.stride) {
				p.fail(at, "too many nested braces in the initialiser of "+in.v.Name)
				break
			}
			sub := in.stride[depth+1]
			place = base + (place-base+sub-1)/sub*sub
			if place >= limit {
				p.fail(at, "too many values in the initialiser of "+in.v.Name)
				break
			}
			in.list(depth+1, place)
			place += sub
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	return place
}

// value reads one value into the element at a place: a constant, an address, or a byte of either
// ("0xFF00(generic(x)+4)").
func (in *initReader) value(place int64) {
	p := in.p
	if p.bad {
		return
	}
	size := in.v.Type.Size()
	elem := InitElem{Offset: place * int64(size), Size: size}
	at := p.tok
	if mask, ok := in.mask(); ok {
		p.next()
		elem.Mask = mask
		if p.tok.kind == tokIdent && p.text(p.tok) != warpSize {
			in.address(&elem)
		} else if c := p.expr(); c.kind == constInt {
			elem.Bits, elem.Mask = c.int&mask>>shiftOf(mask), 0
		} else {
			p.fail(at, "a mask of a floating-point value")
		}
		p.expect(')')
	} else if p.tok.kind == tokIdent && p.text(p.tok) != warpSize {
		in.address(&elem)
	} else {
		c := p.expr()
		if p.bad {
			return
		}
		bits, cause := c.bits(in.v.Type)
		if cause != "" {
			p.report(at, cause)
		}
		elem.Bits = bits
	}
	if !p.bad {
		in.v.Init = append(in.v.Init, elem)
	}
}

// mask reads "0xFF00" if a parenthesis follows it, which becomes the current token.
func (in *initReader) mask() (uint64, bool) {
	p := in.p
	if p.tok.kind != tokInt {
		return 0, false
	}
	ahead := p.lex
	if ahead.next().kind != '(' {
		return 0, false
	}
	at := p.tok
	c, cause := intLiteral(p.text(at))
	if cause == "" && (c.int == 0 || c.int>>shiftOf(c.int) != 0xFF || shiftOf(c.int)%8 != 0) {
		cause = "the mask " + p.text(at) + " selects no byte"
	}
	if cause != "" {
		p.fail(at, cause)
		return 0, false
	}
	p.next()
	return c.int, true
}

// shiftOf counts the zeros below the lowest set bit.
func shiftOf(mask uint64) (n uint) {
	return min(uint(bits.TrailingZeros64(mask)), 63)
}

// address reads "name", "name+4", "generic(name)", "generic(name)+4".
func (in *initReader) address(elem *InitElem) {
	p := in.p
	name, at := p.identifier("a name")
	if name == "generic" && p.tok.kind == '(' {
		p.next()
		elem.Generic = true
		name, at = p.identifier("a name")
		elem.Bits = uint64(p.offset())
		p.expect(')')
	}
	elem.Bits += uint64(p.offset())
	if p.bad {
		return
	}
	elem.Sym = name
	sym, ok := p.lookup(name)
	switch {
	case !ok:
		p.inits = append(p.inits, initRef{v: in.v, index: len(in.v.Init), name: name, pos: p.pos(at)})
	case sym.v == nil && sym.fn == nil:
		p.report(at, name+" has no address")
	default:
		elem.Var, elem.Func = sym.v, sym.fn
	}
	if size := in.v.Type.Size(); elem.Mask == 0 && size != 4 && size != 8 {
		p.report(at, "an address in a variable of type ."+in.v.Type.String())
	}
}

// offset reads any number of "+4" or "-4".
func (p *parser) offset() (sum int64) {
	for !p.bad && (p.tok.kind == '+' || p.tok.kind == '-') {
		at := p.tok
		p.next()
		c := p.binary(precedence('*'), 0)
		if c.kind != constInt {
			p.fail(at, "an offset must be an integer")
		}
		if at.kind == '-' {
			c.int = -c.int
		}
		sum += int64(c.int)
	}
	return sum
}
