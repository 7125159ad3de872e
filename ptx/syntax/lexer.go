package syntax

// tokenKind is the kind of a token; punctuation is its own character.
type tokenKind rune

const (
	tokEOF tokenKind = -1 - iota
	tokIdent
	tokDirective // a dot and a word: ".reg"
	tokInt
	tokFloat
	tokString
	tokShl  // <<
	tokShr  // >>
	tokLE   // <=
	tokGE   // >=
	tokEQ   // ==
	tokNE   // !=
	tokAnd  // &&
	tokOr   // ||
	tokBad  // a character that no token starts with
	tokOpen // a comment or string that does not end
)

// token is one token; its text is src[off:end].
type token struct {
	kind      tokenKind
	off, end  int
	line, col int
}

// lexer cuts a PTX text into tokens (PTX ISA, Syntax). It is a small value: copying it is how the
// parser looks ahead.
type lexer struct {
	src       string
	off       int
	line      int
	lineStart int
}

// Character classes of the lexer.
const (
	classFollow = 1 << iota // may continue an identifier
	classStart              // may start one, % aside
	classDigit
	classSpace
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
			t[c] = classFollow | classStart
		case c >= '0' && c <= '9':
			t[c] = classFollow | classDigit
		case c == ' ', c >= '\t' && c <= '\r':
			t[c] = classSpace
		}
	}
	return
}()

func is(c byte, mask uint8) bool { return class[c]&mask != 0 }

// at is the character i places ahead, 0 past the end.
func (l *lexer) at(i int) byte {
	if l.off+i < len(l.src) {
		return l.src[l.off+i]
	}
	return 0
}

// skipSpace passes over white space and comments; false if a comment does not end.
func (l *lexer) skipSpace() bool {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.line++
			l.lineStart = l.off
		case is(c, classSpace):
			l.off++
		case c == '/' && l.at(1) == '/':
			for l.off < len(l.src) && l.src[l.off] != '\n' {
				l.off++
			}
		case c == '/' && l.at(1) == '*':
			if !l.skipBlockComment() {
				return false
			}
		default:
			return true
		}
	}
	return true
}

func (l *lexer) skipBlockComment() bool {
	for i := l.off + 2; i+1 < len(l.src); i++ {
		switch {
		case l.src[i] == '*' && l.src[i+1] == '/':
			l.off = i + 2
			return true
		case l.src[i] == '\n':
			l.line++
			l.lineStart = i + 1
		}
	}
	return false
}

// next reads one token.
func (l *lexer) next() token {
	closed := l.skipSpace()
	t := token{off: l.off, line: l.line, col: l.off - l.lineStart + 1}
	if !closed {
		l.off = len(l.src)
		t.kind, t.end = tokOpen, l.off
		return t
	}
	if l.off >= len(l.src) {
		t.kind, t.end = tokEOF, l.off
		return t
	}
	c := l.src[l.off]
	switch {
	case is(c, classStart), c == '%' && is(l.at(1), classFollow):
		t.kind = tokIdent
		l.word(1)
	case is(c, classDigit), c == '.' && is(l.at(1), classDigit):
		t.kind = l.number()
	case c == '.' && is(l.at(1), classStart):
		t.kind = tokDirective
		l.word(1)
	case c == '"':
		t.kind = l.string()
	default:
		t.kind = l.punctuation(c)
	}
	t.end = l.off
	return t
}

// word passes over n characters and the identifier characters after them.
func (l *lexer) word(n int) {
	l.off += n
	for l.off < len(l.src) && is(l.src[l.off], classFollow) {
		l.off++
	}
}

// number passes over an integer or floating-point literal. What is wrong inside it ("0x", "12ab")
// is told when its value is taken.
func (l *lexer) number() tokenKind {
	start := l.off
	if l.src[start] == '0' && (l.at(1)|0x20 == 'f' || l.at(1)|0x20 == 'd') {
		l.word(2)
		return tokFloat
	}
	if l.src[start] == '0' && (l.at(1)|0x20 == 'x' || l.at(1)|0x20 == 'b') {
		l.word(2)
		return tokInt
	}
	kind := tokInt
	l.digits()
	if l.at(0) == '.' {
		kind = tokFloat
		l.off++
		l.digits()
	}
	if l.at(0)|0x20 == 'e' {
		exponent := 1
		if c := l.at(1); c == '+' || c == '-' {
			exponent = 2
		}
		if is(l.at(exponent), classDigit) {
			kind = tokFloat
			l.off += exponent
		}
	}
	l.word(0)
	return kind
}

func (l *lexer) digits() {
	for is(l.at(0), classDigit) {
		l.off++
	}
}

// string passes over a string literal; a line break ends it too early.
func (l *lexer) string() tokenKind {
	for i := l.off + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '"':
			l.off = i + 1
			return tokString
		case '\n':
			l.off = i
			return tokOpen
		}
	}
	l.off = len(l.src)
	return tokOpen
}

func (l *lexer) punctuation(c byte) tokenKind {
	two := tokenKind(0)
	switch next := l.at(1); {
	case c == '<' && next == '<':
		two = tokShl
	case c == '>' && next == '>':
		two = tokShr
	case c == '<' && next == '=':
		two = tokLE
	case c == '>' && next == '=':
		two = tokGE
	case c == '=' && next == '=':
		two = tokEQ
	case c == '!' && next == '=':
		two = tokNE
	case c == '&' && next == '&':
		two = tokAnd
	case c == '|' && next == '|':
		two = tokOr
	}
	if two != 0 {
		l.off += 2
		return two
	}
	l.off++
	switch c {
	case '{', '}', '(', ')', '[', ']', '<', '>', ',', ';', ':', '=', '+', '-', '*', '/', '%', '!',
		'~', '&', '|', '^', '?', '@':
		return tokenKind(c)
	}
	return tokBad
}

// opcodeTail passes over the modifiers of an opcode, which are not tokens of their own: they may
// start with a digit (".16x64b") and hold "::" (".L2::128B"). White space may stand before a dot.
func (l *lexer) opcodeTail() {
	for {
		ahead := *l
		if !ahead.skipSpace() || ahead.at(0) != '.' || !is(ahead.at(1), classFollow) {
			return
		}
		*l = ahead
		l.word(1)
		for l.at(0) == ':' && l.at(1) == ':' && is(l.at(2), classFollow) {
			l.word(2)
		}
	}
}

// skipBraces passes over everything up to the brace that closes the one just read; false if none does.
func (l *lexer) skipBraces() bool {
	for depth := 1; ; l.off++ {
		if !l.skipSpace() || l.off >= len(l.src) {
			return false
		}
		switch l.src[l.off] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				l.off++
				return true
			}
		case '"':
			if l.string() == tokOpen {
				return false
			}
			l.off-- // the loop steps over the closing quote
		}
	}
}
