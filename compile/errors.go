package compile

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Error is why there is no PTX: messages of the compiler, or one that stands for the whole.
type Error struct {
	Message string       // "" if there are diagnostics
	List    []Diagnostic // in the compiler's order
}

// Diagnostic is one error of a compiler.
type Diagnostic struct {
	File         string // as the compiler names it
	Line, Column int    // Column is 0 if the compiler gives none
	Message      string
	Quote        string // the line, if the compiler shows it
}

// Error has one line for each diagnostic.
func (e *Error) Error() string {
	if len(e.List) == 0 {
		return e.Message
	}
	lines := make([]string, len(e.List))
	for i, d := range e.List {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	}
	return strings.Join(lines, "\n")
}

// maxDiagnostics bounds the errors of one source that are reported.
const maxDiagnostics = 20

// failure explains a run that failed.
func (c call) failure(messages string, err error, timeout time.Duration) error {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Message: fmt.Sprintf("%s was stopped after %v", c.tool.name(), timeout)}
	case errors.Is(err, context.Canceled):
		return &Error{Message: c.tool.name() + " was interrupted"}
	case !errors.As(err, &exit):
		return &Error{Message: fmt.Sprintf("%s does not start: %v", c.tool.name(), err)}
	}
	list := diagnostics(messages, c.include)
	if len(list) == 0 {
		return &Error{Message: fmt.Sprintf("%s failed (%v): %s", c.tool.name(), exit, excerpt(messages))}
	}
	for i := range list {
		list[i].File = strings.Replace(list[i].File, c.include+string(filepath.Separator), embeddedName, 1)
		if h := c.hint(list[i].Message); h != "" {
			list[i].Message += "; " + h
		}
	}
	if n := len(list) - maxDiagnostics; n > 0 {
		list = list[:maxDiagnostics]
		list[maxDiagnostics-1].Message += fmt.Sprintf(" (and %d more errors)", n)
	}
	return &Error{List: list}
}

// The forms of an error: clang's "file:line:col: error: text", nvcc's "file(line): error: text".
var (
	clangError = regexp.MustCompile(`^(.+?):(\d+):(\d+): (?:fatal )?error: (.*)$`)
	nvccError  = regexp.MustCompile(`^(.+?)\((\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (.*)$`)
	clangNote  = regexp.MustCompile(`^(.+?):(\d+):(\d+): note: .* requested here$`)
	quotedLine = regexp.MustCompile(`^ *\d+ \| (.*)$`)
)

// embeddedName stands for the folder of the embedded headers.
const embeddedName = "gpusim:"

// diagnostics are the errors among a compiler's messages. One in an embedded header (those in the folder own) moves to the user's line
// that asked for it, if the compiler names that.
func diagnostics(messages, own string) []Diagnostic {
	var out []Diagnostic
	fresh := false // the line before was an error
	for line := range strings.Lines(messages) {
		line = strings.TrimRight(line, "\r\n")
		if m := clangError.FindStringSubmatch(line); m != nil {
			out, fresh = append(out, Diagnostic{File: m[1], Line: number(m[2]), Column: number(m[3]), Message: m[4]}), true
			continue
		}
		if m := nvccError.FindStringSubmatch(line); m != nil {
			out, fresh = append(out, Diagnostic{File: m[1], Line: number(m[2]), Message: m[3]}), true
			continue
		}
		if m := clangNote.FindStringSubmatch(line); m != nil && len(out) > 0 && !strings.HasPrefix(m[1], own) {
			if last := &out[len(out)-1]; strings.HasPrefix(last.File, own) {
				*last = Diagnostic{File: m[1], Line: number(m[2]), Column: number(m[3]), Message: last.Message}
				fresh = true
				continue
			}
		}
		if m := quotedLine.FindStringSubmatch(line); m != nil && fresh {
			out[len(out)-1].Quote = m[1]
		}
		fresh = false
	}
	return out
}

// number reads digits; a number beyond an int is no line of a file.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// excerpt is the last of what a compiler said, for a failure that it has not put into its usual form.
func excerpt(messages string) string {
	const lines, bytes = 12, 2000
	all := strings.Split(strings.TrimSpace(messages), "\n")
	if all[0] == "" {
		return "it says nothing"
	}
	text := strings.Join(all[max(len(all)-lines, 0):], "\n")
	return text[max(len(text)-bytes, 0):]
}

var (
	missingFile = regexp.MustCompile(`'([^']+)' file not found`)
	unknownName = regexp.MustCompile(`(?:undeclared identifier|unknown type name|no member named|no matching function for call to) '(\w+)'`)
	apiName     = regexp.MustCompile(`^(cuda|cu|cublas|curand|cufft|cusparse|cusolver|nvtx|thrust|cub|nvcuda)([A-Z_]|$)`)
)

// hint says what may help against an error that the embedded headers cause by what they lack.
func (c call) hint(message string) string {
	if c.tool.family == nvcc || c.cudaPath != "" || c.lang == opencl {
		return ""
	}
	const toolkit = "a toolkit's headers come with --cuda-path DIR, and nvcc is used where it is on PATH"
	if m := missingFile.FindStringSubmatch(message); m != nil {
		return "it is not among gpusim's own headers: give its folder in the flags (-I DIR), or move host code that needs it to another file; " + toolkit
	}
	if strings.Contains(message, "did you mean") {
		return ""
	}
	if m := unknownName.FindStringSubmatch(message); m != nil && apiName.MatchString(m[1]) {
		return "gpusim's own headers do not declare it: move host code that needs it to another file; " + toolkit
	}
	return ""
}
