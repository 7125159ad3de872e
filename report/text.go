package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/fatih/color"

	"gpusim/kernel"
)

// Text renders reports for people.
type Text struct {
	Color  bool
	Quoter Quoter
}

// style is the look of one element.
type style struct{ red, yellow, blue, dim, bold func(...any) string }

func (t *Text) style() style {
	paint := func(attributes ...color.Attribute) func(...any) string {
		c := color.New(attributes...)
		if t.Color {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.SprintFunc()
	}
	return style{red: paint(color.FgRed, color.Bold), yellow: paint(color.FgYellow, color.Bold),
		blue: paint(color.FgCyan), dim: paint(color.Faint), bold: paint(color.Bold)}
}

func (s style) severity(v kernel.Severity) func(...any) string {
	switch v {
	case kernel.Error:
		return s.red
	case kernel.Warning:
		return s.yellow
	}
	return s.blue
}

// Write writes the findings and a summary. Input errors are not part of a text report:
// they belong on standard error, see WriteErrors.
func (t *Text) Write(w io.Writer, r *Report) error {
	p := &printer{w: w, text: t, style: t.style()}
	for _, f := range r.Findings {
		p.finding(r, f)
	}
	p.summary(r)
	return p.err
}

// printer writes lines and keeps the first error.
type printer struct {
	w     io.Writer
	text  *Text
	style style
	err   error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) finding(r *Report, f Finding) {
	head := p.style.severity(f.Severity)(fmt.Sprintf("%s[%s]", f.Severity, f.Kind))
	p.line("%s: %s", head, p.style.bold(f.Message))
	for _, a := range f.Accesses {
		p.access(f.Kind, a)
	}
	p.waits(f.Waits)
	if o := object(f.Finding); o != "" {
		p.note("object", o)
	}
	if f.Kernel != "" {
		p.note("kernel", fmt.Sprintf("%s, launch %d", f.Kernel, f.Launch))
	}
	if f.Count > 1 {
		p.note("count", humanize.Comma(int64(f.Count))+" times")
	}
	if r.Seeds > 1 {
		p.note("seed", fmt.Sprintf("first seen with --seed %d", f.Seed))
	}
	if f.Missing != "" {
		edge := ""
		if f.Edge != "" {
			edge = fmt.Sprintf(" [%s]", f.Edge)
		}
		p.note("missing", f.Missing+edge)
	}
	if f.Fix != "" {
		p.note("fix", f.Fix)
	}
	p.line("")
}

func (p *printer) note(name, text string) {
	p.line("  %s %s", p.style.dim("= "+name+":"), text)
}

func (p *printer) access(kind kernel.Kind, a kernel.Access) {
	p.place(a.Source, accessText(kind, a))
}

func (p *printer) waits(list []kernel.Wait) {
	eachWait(list, func(w kernel.Wait, what string) {
		p.place(w.Source, what)
		if w.Needs != "" {
			p.note("needs", w.Needs)
		}
	})
}

// place shows a source position with what happens there.
func (p *printer) place(s kernel.Source, what string) {
	where := s.File
	if s.Line > 0 {
		where = fmt.Sprintf("%s:%d", s.File, s.Line)
		if s.Column > 0 {
			where += fmt.Sprintf(":%d", s.Column)
		}
	}
	if s.Function != "" {
		where += " in " + s.Function
	}
	if where == "" {
		where = "(place unknown)"
	}
	p.line("  %s %s", p.style.dim("-->"), where)
	p.line("      %s", what)
	p.quote(s.File, s.Line, s.Column)
	if s.PTX != "" && !s.NoLineInfo {
		p.line("      %s", p.style.dim("PTX: "+s.PTX))
	}
	for _, c := range s.InlinedAt {
		in := ""
		if c.Function != "" {
			in = " in " + c.Function
		}
		p.line("      %s", p.style.dim(fmt.Sprintf("inlined at %s:%d:%d%s", c.File, c.Line, c.Column, in)))
	}
}

// quote shows the source line, with a caret when the column is known.
func (p *printer) quote(file string, line, column int) {
	text := p.text.Quoter.Line(file, line)
	if !quotable(text) {
		return
	}
	number := fmt.Sprintf("%6d | ", line)
	p.line("%s%s", p.style.dim(number), text)
	if column > 0 {
		p.line("%s%s", p.style.dim(strings.Repeat(" ", len(number)-2)+"| "), p.style.red(caret(text, column)))
	}
}

func object(f kernel.Finding) string {
	if f.Object == "" {
		return ""
	}
	s := f.Object
	if f.Space != kernel.Generic {
		s = fmt.Sprintf("%s (%s memory)", s, f.Space)
	}
	if f.Size > 0 {
		unit := "bytes"
		if f.Size == 1 {
			unit = "byte"
		}
		s += fmt.Sprintf(", offset %d, %d %s", f.Offset, f.Size, unit)
	}
	return s
}

// plural is "1 launch" or "2 launches".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", humanize.Comma(int64(n)), many)
}

func (p *printer) summary(r *Report) {
	if len(r.Errors) > 0 && len(r.Launches) == 0 && len(r.Findings) == 0 {
		return // nothing ran
	}
	if r.Stopped != "" {
		p.line("%s: %s", p.style.yellow("incomplete"), r.Stopped)
	}
	if n := len(r.Expect); n > 0 {
		ok := 0
		for _, e := range r.Expect {
			if e.OK {
				ok++
			}
		}
		p.line("expected contents: %d of %s right", ok, plural(n, "buffer", "buffers"))
	}
	if r.Timing {
		for i, l := range r.Launches {
			p.line("launch %d (%s): %.6f s", i, l.Kernel, l.Seconds)
		}
		p.line("all launches: %.6f s", r.seconds())
	}
	seeds := fmt.Sprintf("seed %d", r.Seed)
	if r.Seeds > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", r.Seed, r.Seed+uint64(r.Seeds)-1)
	}
	p.line("%s in %s, %s, %s", p.findings(r), plural(len(r.Launches), "launch", "launches"),
		plural(int(r.threadInstructions()), "thread instruction", "thread instructions"), seeds)
}

// findings counts them by severity: "2 findings (1 error, 1 warning)".
func (p *printer) findings(r *Report) string {
	if len(r.Findings) == 0 {
		if r.Complete {
			return "no findings"
		}
		return "no findings so far"
	}
	var by [kernel.Error + 1]int
	for _, f := range r.Findings {
		by[f.Severity]++
	}
	var parts []string
	for _, s := range []struct {
		severity  kernel.Severity
		one, many string
	}{{kernel.Error, "error", "errors"}, {kernel.Warning, "warning", "warnings"}, {kernel.Info, "info", "infos"}} {
		if n := by[s.severity]; n > 0 {
			parts = append(parts, p.style.severity(s.severity)(plural(n, s.one, s.many)))
		}
	}
	return fmt.Sprintf("%s (%s)", plural(len(r.Findings), "finding", "findings"), strings.Join(parts, ", "))
}

// WriteErrors writes input errors as "file:line:col: what was being read: cause", each
// with the line or flag it points into.
func (t *Text) WriteErrors(w io.Writer, errs []Error) error {
	p := &printer{w: w, text: t, style: t.style()}
	for _, e := range errs {
		where := ""
		switch {
		case e.File != "" && e.Line > 0:
			where = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
		case e.File != "":
			where = e.File + ": "
		}
		p.line("%s%s", p.style.bold(where), e.Message)
		if e.Column > 0 && quotable(e.Quote) {
			p.line("  %s", e.Quote)
			p.line("  %s", p.style.red(caret(e.Quote, e.Column)))
		}
	}
	return p.err
}

// quotable reports whether a line is text that a terminal shows as it is.
func quotable(line string) bool {
	const longest = 400
	if line == "" || len(line) > longest || !utf8.ValidString(line) {
		return false
	}
	return !strings.ContainsFunc(line, func(c rune) bool { return c != '\t' && unicode.IsControl(c) })
}
