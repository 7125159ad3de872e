package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpusim/kernel"
	"gpusim/launch"
)

// Expected failures are written beside their causes, as comments in the .cu files (with # in .py):
//
//	// want: KIND [warning]    at the end of a line: a finding of that kind (an error, unless it
//	                           says warning) has an access or a waiting thread here
//	// kind: KIND              at the top: a finding of that kind that has no one line
//	// seeds: any              at the top: it shows with some seeds only
//	// silent: O2 O3           at the top: these levels optimise the defect away
//
// A line that findings of several kinds name has its markers separated by commas.

// mark is a kind of finding with its severity.
type mark struct {
	kind     kernel.Kind
	severity kernel.Severity
}

func (m mark) String() string { return m.severity.String() + " " + string(m.kind) }

// expected is what a source's markers say.
type expected struct {
	file   string // name of the source
	lines  map[mark][]int
	kinds  map[mark]bool // of findings that have no one line
	any    bool
	silent []string
}

var marker = regexp.MustCompile(`(?://|#) *(want|kind|seeds|silent): *(.*?) *$`)

func readMarkers(t *testing.T, path string) *expected {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := parseMarkers(filepath.Base(path), string(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func parseMarkers(file, text string) (*expected, error) {
	e := &expected{file: file, lines: map[mark][]int{}, kinds: map[mark]bool{}}
	for i, line := range strings.Split(text, "\n") {
		m := marker.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		bad := fmt.Errorf("%s:%d: bad marker %q", file, i+1, m[0])
		switch m[1] {
		case "seeds":
			if m[2] != "any" {
				return nil, bad
			}
			e.any = true
		case "silent":
			e.silent = strings.Fields(m[2])
			for _, l := range e.silent {
				if !slices.Contains(allLevels, l) {
					return nil, bad
				}
			}
		default:
			for _, part := range strings.Split(m[2], ",") {
				k, ok := parseMark(part)
				if !ok {
					return nil, bad
				}
				if m[1] == "kind" {
					e.kinds[k] = true
				} else {
					e.lines[k] = append(e.lines[k], i+1)
				}
			}
		}
	}
	if len(e.lines) == 0 && len(e.kinds) == 0 {
		return nil, fmt.Errorf("%s: no marker says what is wrong with it", file)
	}
	return e, nil
}

// parseMark reads KIND [warning].
func parseMark(text string) (mark, bool) {
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 2 {
		return mark{}, false
	}
	m := mark{kernel.Kind(words[0]), kernel.Error}
	if len(words) == 2 {
		var ok bool
		if m.severity, ok = launch.Severities[words[1]]; !ok {
			return mark{}, false
		}
	}
	return m, slices.Contains(kernel.Kinds, m.kind)
}

func TestParseMarkers(t *testing.T) {
	e, err := parseMarkers("a.cu", "// seeds: any\n// silent: O2 O3\n// kind: trap\nx; // want: data-race\ny; // want: data-race, misaligned warning\n")
	race, odd := mark{kernel.DataRace, kernel.Error}, mark{kernel.Misaligned, kernel.Warning}
	if err != nil || !e.any || !slices.Equal(e.silent, []string{"O2", "O3"}) || !e.kinds[mark{kernel.Trap, kernel.Error}] ||
		!slices.Equal(e.lines[race], []int{4, 5}) || !slices.Equal(e.lines[odd], []int{5}) {
		t.Errorf("%+v, %v", e, err)
	}
	for _, bad := range []string{"", "// want: data-rage", "// want: trap soon", "// want: trap,", "// seeds: 3", "// silent: O4", "// kind: x"} {
		if _, err := parseMarkers("a.cu", bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
