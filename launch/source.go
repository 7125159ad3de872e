package launch

import (
	"errors"
	"os"
	"strings"

	"gpusim/compile"
)

// text reads a program file, a source through its compiler. What is wrong is added to the checker's errors.
func (p *Plan) text(c *checker, s scalar) ([]byte, bool) {
	text, err := os.ReadFile(c.path(s.text))
	if err != nil {
		c.add(s.at, "program", "%s: %v", s.text, plainError(err))
		return nil, false
	}
	if !compile.IsSource(s.text) {
		return text, true
	}
	text, err = compile.PTX(p.compiler, compile.Source{Name: s.text, Dir: p.dir, Arch: p.arch.text, Flags: p.flags})
	var failed *compile.Error
	switch {
	case err == nil:
		return text, true
	case errors.As(err, &failed) && len(failed.List) > 0:
		for _, d := range failed.List {
			c.errs = append(c.errs, c.diagnostic(d))
		}
	default:
		c.add(s.at, "program", "%s: %v", s.text, err)
	}
	return nil, false
}

// ptxName is the name of a program's PTX: a position in what a compiler wrote must not look like one in the source.
func ptxName(program string) string {
	if compile.IsSource(program) {
		return program + ".ptx"
	}
	return program
}

// diagnostic is a compiler's error with the line of the source.
func (c *checker) diagnostic(d compile.Diagnostic) InputError {
	out := InputError{File: d.File, Line: d.Line, Column: d.Column, Cause: d.Message, Quote: d.Quote}
	if out.Quote == "" {
		if text, err := os.ReadFile(c.path(d.File)); err == nil { // a message without its line is one still
			if lines := strings.Split(string(text), "\n"); d.Line >= 1 && d.Line <= len(lines) {
				out.Quote = strings.TrimRight(lines[d.Line-1], "\r")
			}
		}
	}
	return out
}
