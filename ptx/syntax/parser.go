package syntax

import (
	"strconv"
	"strings"
)

// Parse reads a PTX text. file is the name that positions carry. The error is an ErrorList; the
// module is nil if there is one.
func Parse(file string, text []byte) (*Module, error) {
	p := &parser{
		file:    file,
		lex:     lexer{src: strings.TrimPrefix(strings.TrimRight(string(text), "\x00"), byteOrderMark), line: 1},
		module:  &Module{File: file, AddressSize: 32, Files: map[int]string{}},
		globals: map[string]symbol{},
		opcodes: map[string]*opcode{},
		debug:   debugInfo{labels: map[string]int{".debug_str": 0}},
	}
	p.next()
	p.parseModule()
	p.finish()
	if len(p.errors) > 0 {
		p.errors.sort()
		return nil, p.errors
	}
	return p.module, nil
}

// byteOrderMark is what some editors put in front of UTF-8 text.
const byteOrderMark = "\xef\xbb\xbf"

// parser reads with one token of look-ahead. p.lex stands right behind p.tok.
//
// Errors: fail reports a mistake of syntax and sets bad, upon which every reading function returns
// soon with whatever it has; the loop over statements then finds the next one. report only reports.
type parser struct {
	file    string
	lex     lexer
	tok     token
	module  *Module
	errors  ErrorList
	bad     bool
	reading string // what is being read, for messages
	subject string // its name, may be empty

	globals map[string]symbol
	opcodes map[string]*opcode
	debug   debugInfo
	aliases []alias
	inits   []initRef

	// The function being read.
	fn         *Func
	scope      *scope
	depth      int
	undeclared map[string]bool
	lines      *lineTable

	// Working memory of operands.
	stack   []Operand
	slab    []Operand
	unbound bool // the instruction being read names something not yet declared
	textBuf []byte
}

func (p *parser) next() { p.tok = p.lex.next() }

func (p *parser) text(t token) string { return p.lex.src[t.off:t.end] }

func (p *parser) pos(t token) Pos { return Pos{File: p.file, Line: t.line, Col: t.col} }

// maxMessage bounds the bytes of a message.
const maxMessage = 1000

// read says what the following text is, for messages.
func (p *parser) read(what, name string) { p.reading, p.subject = what, name }

func (p *parser) reportPos(at Pos, cause string) {
	if len(p.errors) >= maxErrors {
		return
	}
	message := p.reading
	if p.subject != "" {
		message += " " + p.subject
	}
	message += ": " + cause
	if len(message) > maxMessage { // of a name without end, say
		message = message[:maxMessage] + "..."
	}
	p.errors = append(p.errors, &Error{Pos: at, Message: message})
	if len(p.errors) == maxErrors {
		p.stop()
	}
}

// stop makes the rest of the text unread.
func (p *parser) stop() {
	p.lex.off = len(p.lex.src)
	p.tok = token{kind: tokEOF, off: p.lex.off, end: p.lex.off, line: p.lex.line, col: p.lex.off - p.lex.lineStart + 1}
}

func (p *parser) report(t token, cause string) { p.reportPos(p.pos(t), cause) }

func (p *parser) fail(t token, cause string) {
	if p.bad {
		return
	}
	known := len(p.errors)
	p.report(t, cause)
	if p.bad = true; p.reading == "instruction" && p.lines != nil && len(p.errors) > known {
		p.debug.errors = append(p.debug.errors, errorLine{p.errors[known], p.lines, len(p.lines.locs) - 1})
	}
}

// unexpected fails at the current token.
func (p *parser) unexpected(want string) {
	p.fail(p.tok, "expected "+want+", found "+p.describe(p.tok))
}

// describe names a token in a message.
func (p *parser) describe(t token) string {
	switch t.kind {
	case tokEOF:
		return "the end of the text"
	case tokOpen:
		if p.lex.src[t.off] == '"' {
			return "a string that does not end"
		}
		return "a comment that does not end"
	case tokBad:
		return "the character " + strconv.QuoteToASCII(p.text(t))
	}
	s := p.text(t)
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strconv.Quote(s)
}

// expect reads a token of the given punctuation.
func (p *parser) expect(k tokenKind) {
	if p.bad {
		return
	}
	if p.tok.kind != k {
		p.unexpected(strconv.Quote(string(rune(k))))
		return
	}
	p.next()
}

// accept reads a token of the given punctuation if it is next.
func (p *parser) accept(k tokenKind) bool {
	if p.bad || p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

// directive is the current directive, empty if the token is none.
func (p *parser) directive() string {
	if p.bad || p.tok.kind != tokDirective {
		return ""
	}
	return p.text(p.tok)
}

// identifier reads a name.
func (p *parser) identifier(what string) (string, token) {
	t := p.tok
	if p.bad {
		return "", t
	}
	if t.kind != tokIdent {
		p.unexpected(what)
		return "", t
	}
	p.next()
	return p.text(t), t
}

// integer reads an integer literal from least to most.
func (p *parser) integer(what string, least, most int64) int64 {
	t := p.tok
	if p.bad {
		return least
	}
	if t.kind != tokInt {
		p.unexpected(what)
		return least
	}
	p.next()
	c, cause := intLiteral(p.text(t))
	switch {
	case cause != "":
		p.fail(t, cause)
	case c.int > uint64(most):
		p.fail(t, what+" must be at most "+strconv.FormatInt(most, 10))
	case int64(c.int) < least:
		p.fail(t, what+" must be at least "+strconv.FormatInt(least, 10))
	default:
		return int64(c.int)
	}
	return least
}

// stringLiteral reads a string.
func (p *parser) stringLiteral(what string) string {
	t := p.tok
	if p.bad {
		return ""
	}
	if t.kind != tokString {
		p.unexpected(what)
		return ""
	}
	p.next()
	raw := p.text(t)
	if s, err := strconv.Unquote(raw); err == nil {
		return s
	}
	return raw[1 : len(raw)-1] // a path with lone backslashes
}

// recover passes over the rest of a statement that is wrong: up to its semicolon, or a brace that
// opens or closes a block.
func (p *parser) recover() {
	for lists := 0; p.bad; {
		switch k := p.tok.kind; {
		case k == tokEOF, k == '{' && !p.opensList(), k == '}' && lists == 0 && !p.closesList():
			p.bad = false
			return
		case k == '{':
			lists++
		case k == '}' && lists > 0:
			lists--
		case k == ';':
			p.bad = false
		}
		p.next()
	}
}

// opensList tells whether the current "{" begins a list of values and not a block: no semicolon
// comes before the closing brace.
func (p *parser) opensList() bool {
	ahead := p.lex
	for range maxListAhead {
		switch ahead.next().kind {
		case '}':
			return true
		case ';', tokEOF, tokOpen:
			return false
		}
	}
	return false
}

// maxListAhead bounds how far recovery looks ahead.
const maxListAhead = 300

// closesList tells whether the current "}" ends a list and not a block.
func (p *parser) closesList() bool {
	ahead := p.lex
	k := ahead.next().kind
	return k == ',' || k == ';'
}

// parens passes over a parenthesised text, the opening one being next, and calls f for its words.
func (p *parser) parens(f func(word string)) {
	p.expect('(')
	for depth := 1; depth > 0 && !p.bad; p.next() {
		switch p.tok.kind {
		case '(':
			depth++
		case ')':
			depth--
		case tokDirective:
			f(p.text(p.tok))
		case tokEOF, tokOpen, tokBad, ';', '{', '}':
			p.unexpected(`")"`)
			return
		}
	}
}
