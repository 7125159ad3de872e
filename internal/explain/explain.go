// Package explain holds what users are told about each kind of finding: `gpusim explain`
// prints it, and docs/diagnostics.md is made of it.
package explain

import (
	"embed"
	"fmt"
	"strings"

	"gpusim/kernel"
)

//go:generate go run ./generate ../../docs/diagnostics.md

//go:embed kinds/*.md
var texts embed.FS

// Kind returns the explanation of a kind as Markdown, or false if there is none.
func Kind(k kernel.Kind) (string, bool) {
	text, err := texts.ReadFile("kinds/" + string(k) + ".md")
	return string(text), err == nil
}

// Summary is the first sentence of a kind's explanation.
func Summary(k kernel.Kind) string {
	text, _ := Kind(k)
	_, body, _ := strings.Cut(text, "\n\n")
	paragraph, _, _ := strings.Cut(body, "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}

// Document is the text of docs/diagnostics.md.
func Document() string {
	var b strings.Builder
	b.WriteString("# What gpusim reports\n\n<!-- Made by `go generate ./internal/explain` from internal/explain/kinds; do not edit. -->\n\n" +
		"Every finding is of one of the kinds below. `gpusim explain KIND` prints the same text.\n\n")
	for _, k := range kernel.Kinds {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", k, k, Summary(k))
	}
	for _, k := range kernel.Kinds {
		text, _ := Kind(k)
		b.WriteString("\n" + deepen(text))
	}
	return b.String()
}

// deepen moves the headings of a text one level down, but nothing inside of code.
func deepen(text string) string {
	lines := strings.SplitAfter(text, "\n")
	code := false
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "```"):
			code = !code
		case !code && strings.HasPrefix(l, "#"):
			lines[i] = "#" + l
		}
	}
	return strings.Join(lines, "")
}
