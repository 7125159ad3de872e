package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// place is where something was written: a position in a file, or in a flag's value.
type place struct {
	file         string
	line, column int
	quote        string
}

func (p place) error(reading, format string, args ...any) InputError {
	return InputError{File: p.file, Line: p.line, Column: p.column, Reading: reading,
		Cause: fmt.Sprintf(format, args...), Quote: p.quote}
}

// scalar is a single value as it was written.
type scalar struct {
	text   string
	quoted bool
	at     place
}

// document is a parsed YAML file with what is needed to point into it.
type document struct {
	name  string
	lines []string
	root  *yaml.Node
}

// directive is the YAML directive, which the library accepts for 1.1 only although it
// reads 1.2.
var directive = regexp.MustCompile(`^%YAML 1\.\d+`)

// parseYAML reads the only document of a YAML 1.2 (hence also JSON) text.
func parseYAML(name string, text []byte) (*document, error) {
	d := &document{name: name, lines: strings.Split(string(text), "\n")}
	if directive.Match(text) {
		text = append([]byte("#"), text[1:]...)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	var root, second yaml.Node
	if err := loader.Load(&root); errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0 {
		return nil, d.at(1, 1).error("launch file", "it is empty")
	} else if err != nil {
		return nil, d.syntaxError(err)
	}
	if err := loader.Load(&second); err == nil {
		return nil, d.at(second.Line, second.Column).error("launch file", "a second YAML document; one is expected")
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntaxError(err)
	}
	d.root = root.Content[0]
	return d, nil
}

func (d *document) syntaxError(err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return d.at(1, 1).error("YAML", "%v", err)
	}
	message, mark := load.Message, load.Mark
	if load.ContextMsg != "" {
		message += " " + load.ContextMsg
		switch c := load.ContextMark; {
		case c.Line == 0:
		case d.isEnd(mark.Line): // the start of what has no end is the better place
			mark = c
		case c.Line != mark.Line:
			message += fmt.Sprintf(" that begins at line %d", c.Line)
		}
	}
	return d.at(max(mark.Line, 1), max(mark.Column, 1)).error("YAML", "%s", message)
}

// isEnd reports whether nothing but blank lines comes from a line on.
func (d *document) isEnd(line int) bool {
	for i := max(line-1, 0); i < len(d.lines); i++ {
		if strings.TrimSpace(d.lines[i]) != "" {
			return false
		}
	}
	return true
}

// at is the place with the given line and column, both from 1.
func (d *document) at(line, column int) place {
	p := place{file: d.name, line: line, column: column}
	if line >= 1 && line <= len(d.lines) {
		p.quote = strings.TrimRight(d.lines[line-1], "\r")
	}
	return p
}

func (d *document) of(n *yaml.Node) place { return d.at(n.Line, n.Column) }
