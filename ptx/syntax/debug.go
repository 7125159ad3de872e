package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// maxInlineDepth bounds the chain of call sites of one line.
const maxInlineDepth = 64

// debugInfo is what .file, .loc and .debug_str tell; it is put together at the end of the text, where
// compilers put the files and strings.
type debugInfo struct {
	tables  []*lineTable
	strings []byte         // of the section .debug_str
	labels  map[string]int // places in strings
	errors  []errorLine
}

// errorLine is an error in an instruction and the .loc that it falls under, -1 for none.
type errorLine struct {
	err   *Error
	table *lineTable
	loc   int
}

// lineTable holds the .loc directives of one function and which of them its instructions fall under.
type lineTable struct {
	fn     *Func
	locs   []location
	latest map[place]int // of each place the last .loc so far
	under  []int32       // by instruction: index into locs, -1 for none
}

// place is a file, line and column.
type place struct{ file, line, col int }

// location is one .loc directive.
type location struct {
	place
	inlined  bool
	function string // label in .debug_str
	offset   int
	at       place // the call site
	outer    int   // index of the .loc that the call site has had, -1 if none
}

func (d *debugInfo) newTable(f *Func) *lineTable {
	t := &lineTable{fn: f, latest: map[place]int{}}
	d.tables = append(d.tables, t)
	return t
}

// add takes note of a .loc directive. Line 0 means code of no particular line: it stays under the
// line before it.
func (t *lineTable) add(l location) {
	if l.line == 0 {
		return
	}
	l.outer = -1
	if l.inlined {
		// ISA, .loc: the call site must have been a .loc before. If that one was inlined too, its own
		// call site continues the chain.
		if i, ok := t.latest[l.at]; ok {
			l.outer = i
		}
	}
	t.latest[l.place] = len(t.locs)
	t.locs = append(t.locs, l)
}

// instruction takes note that an instruction follows.
func (t *lineTable) instruction() { t.under = append(t.under, int32(len(t.locs)-1)) }

// resolve gives every instruction its source.
func (d *debugInfo) resolve(m *Module) {
	for _, t := range d.tables {
		sources := make([]Source, len(t.locs))
		for i, l := range t.under {
			if l < 0 {
				continue
			}
			if sources[l].Line == 0 {
				sources[l] = d.source(m, t, int(l))
			}
			t.fn.Code[i].Loc = sources[l]
		}
	}
}

// explain adds the line of the source to errors in instructions: of inline assembly, most of all.
func (d *debugInfo) explain(m *Module) {
	for _, e := range d.errors {
		if e.loc < 0 {
			continue
		}
		if s := d.source(m, e.table, e.loc); s.Line > 0 {
			e.err.Message += fmt.Sprintf(" (from %s:%d)", s.File, s.Line)
		}
	}
}

// source puts one .loc into words. It is unknown if no .file names its file.
func (d *debugInfo) source(m *Module, t *lineTable, i int) Source {
	l := &t.locs[i]
	file, ok := m.Files[l.file]
	if !ok {
		return Source{}
	}
	s := Source{File: file, Line: l.line, Col: l.col}
	if !l.inlined {
		return s
	}
	s.Function = d.name(l.function, l.offset)
	for l.inlined && len(s.InlinedAt) < maxInlineDepth {
		file, ok := m.Files[l.at.file]
		if !ok {
			break
		}
		site := Source{File: file, Line: l.at.line, Col: l.at.col}
		if l.outer < 0 {
			s.InlinedAt = append(s.InlinedAt, site)
			break
		}
		l = &t.locs[l.outer]
		if l.inlined {
			site.Function = d.name(l.function, l.offset)
		}
		s.InlinedAt = append(s.InlinedAt, site)
	}
	return s
}

// name reads the string at a label of .debug_str, empty if there is none.
func (d *debugInfo) name(label string, offset int) string {
	start, ok := d.labels[label]
	start += offset
	if !ok || start > len(d.strings) {
		return ""
	}
	name, _, _ := bytes.Cut(d.strings[start:], []byte{0})
	return string(name)
}

// location reads the rest of a .loc directive:
//
//	.loc file line column {, function_name label {+ offset}, inlined_at file line column}
func (p *parser) location() (l location, ok bool) {
	l.place = p.place()
	if !p.accept(',') {
		return l, !p.bad
	}
	l.inlined = true
	p.keyword("function_name")
	if p.directive() == ".debug_str" { // the section itself, plus an offset
		l.function = p.text(p.tok)
		p.next()
	} else {
		l.function, _ = p.identifier("a label of .debug_str")
	}
	if p.accept('+') {
		l.offset = int(p.integer("an offset", 0, 1<<31-1))
	}
	p.expect(',')
	p.keyword("inlined_at")
	l.at = p.place()
	return l, !p.bad
}

func (p *parser) place() (at place) {
	at.file = int(p.integer("the index of a file", 0, 1<<31-1))
	at.line = int(p.integer("a line number", 0, 1<<31-1))
	at.col = int(p.integer("a column", 0, 1<<31-1))
	return at
}

func (p *parser) keyword(word string) {
	if name, at := p.identifier(word); !p.bad && name != word {
		p.fail(at, "expected "+word+", found "+p.describe(at))
	}
}

// fileDirective reads the rest of .file: an index, a path (or a folder and a name), and maybe a
// time stamp and size.
func (p *parser) fileDirective() {
	index := int(p.integer("the index of a file", 0, 1<<31-1))
	path := p.stringLiteral("a file name")
	if p.tok.kind == tokString && !p.bad {
		if name := p.stringLiteral("a file name"); strings.HasPrefix(name, "/") {
			path = name
		} else {
			path = strings.TrimSuffix(path, "/") + "/" + name
		}
	}
	for p.accept(',') {
		p.integer("a time stamp or file size", 0, 1<<63-1)
	}
	if !p.bad {
		p.module.Files[index] = path
	}
}

// section reads the rest of a .section directive. Of the debug sections only the strings are of use.
func (p *parser) section() {
	name := p.directive()
	p.subject += " " + name
	if name == "" {
		p.identifier("the name of a section")
	} else {
		p.next()
	}
	if p.bad || p.tok.kind != '{' {
		p.expect('{')
		return
	}
	open := p.tok
	if name == ".debug_str" {
		p.next()
		p.debugStrings(open)
		return
	}
	if !p.lex.skipBraces() {
		p.fail(open, "the text ends inside it")
		p.stop()
	}
	p.next()
}

// debugStrings reads labels and lists of bytes.
func (p *parser) debugStrings(open token) {
	for p.tok.kind != '}' {
		switch p.tok.kind {
		case tokEOF, tokOpen:
			p.fail(open, "the text ends inside it")
			return
		case tokIdent:
			p.debug.labels[p.text(p.tok)] = len(p.debug.strings)
		case tokInt:
			c, _ := intLiteral(p.text(p.tok))
			p.debug.strings = append(p.debug.strings, byte(c.int))
		}
		p.next()
	}
	p.next()
}
