package report

import (
	"os"
	"path/filepath"
	"strings"
)

// maxSource is the largest source file that is read for quoting.
const maxSource = 16 << 20

// Quoter finds lines of source files.
type Quoter struct {
	Dirs  []string // where relative names are looked for, in order
	files map[string]quoted
}

// quoted is a file that was looked for; its path is "" if there is none.
type quoted struct {
	path  string
	lines []string
}

// Line returns a line of a file, counted from 1; "" if it cannot be found.
func (q *Quoter) Line(file string, line int) string {
	if file == "" || line < 1 {
		return ""
	}
	lines := q.find(file).lines
	if line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], " \t\r")
}

// Path is the path under which a file was found, or its name.
func (q *Quoter) Path(file string) string {
	if file != "" {
		if f := q.find(file); f.path != "" {
			return f.path
		}
	}
	return file
}

func (q *Quoter) find(file string) quoted {
	f, ok := q.files[file]
	if !ok {
		f = q.read(file)
		if q.files == nil {
			q.files = map[string]quoted{}
		}
		q.files[file] = f
	}
	return f
}

func (q *Quoter) read(file string) quoted {
	for _, path := range q.candidates(file) {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			return quoted{path, strings.Split(string(text), "\n")}
		}
	}
	return quoted{}
}

// candidates are the paths that a name may stand for: itself, and what it ends with,
// below each directory. A compiler may have run in a parent of it.
func (q *Quoter) candidates(file string) []string {
	if filepath.IsAbs(file) {
		return []string{file}
	}
	var out []string
	for _, d := range q.Dirs {
		out = append(out, filepath.Join(d, file))
	}
	for _, d := range q.Dirs {
		out = append(out, filepath.Join(d, filepath.Base(file)))
	}
	return out
}

// caret is the line that points to a column of a quoted line, with the same tabs.
func caret(line string, column int) string {
	var b strings.Builder
	for i, c := range line {
		if i >= column-1 {
			break
		}
		if c != '\t' {
			c = ' '
		}
		b.WriteRune(c)
	}
	for n := len(line); n < column-1; n++ { // just past the end
		b.WriteByte(' ')
	}
	return b.String() + "^"
}
