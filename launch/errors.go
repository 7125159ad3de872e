package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// InputError is one mistake in what the user gave: a launch file, a program, a data file
// or a flag.
type InputError struct {
	File    string // as the user wrote it; "" for a flag
	Line    int    // 0: the whole file
	Column  int
	Reading string // what was being read
	Cause   string
	Quote   string // the line or flag that Column points into; may be ""
}

// Message is "what was being read: cause".
func (e InputError) Message() string {
	if e.Reading == "" {
		return e.Cause
	}
	return e.Reading + ": " + e.Cause
}

// Error is "file:line:col: what was being read: cause".
func (e InputError) Error() string {
	switch {
	case e.File == "":
		return e.Message()
	case e.Line == 0:
		return e.File + ": " + e.Message()
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message())
}

// InputErrors is everything that is wrong with the input, by place.
type InputErrors []InputError

// Error has one line for each error.
func (l InputErrors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// err sorts the list and returns it as an error, or nil when it is empty.
func (l InputErrors) err() error {
	if len(l) == 0 {
		return nil
	}
	return l.sorted()
}

// sorted sorts the list, and drops what it holds twice.
func (l InputErrors) sorted() InputErrors {
	slices.SortStableFunc(l, func(a, b InputError) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message(), b.Message()))
	})
	return slices.CompactFunc(l, func(a, b InputError) bool { return a == b })
}

// nearest names the candidate that a misspelt word most likely meant, as " (nearest: x)",
// or "" when nothing comes close.
func nearest(word string, candidates []string) string {
	best, at := "", max(2, len(word)/2)+1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(c)); d < at {
			best, at = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (nearest: %s)", best)
}
