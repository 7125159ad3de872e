package syntax

import (
	"fmt"
	"sort"
	"strings"
)

// maxErrors is how many errors Parse collects before it gives up.
const maxErrors = 50

// Error is one mistake in a PTX text.
type Error struct {
	Pos     Pos
	Message string // what was being read: the cause
}

// Error is "file:line:col: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Pos.File, e.Pos.Line, e.Pos.Col, e.Message)
}

// ErrorList is what Parse returns: all errors found, by position, at most 50 of them.
type ErrorList []*Error

// Error has one line for each error.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

func (l ErrorList) sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Pos, l[j].Pos
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
}
