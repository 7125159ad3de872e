package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/kernel"
)

// TestPatterns: every defect is reported for its reason at its lines, and its fixed twin is not
// reported, at every level.
func TestPatterns(t *testing.T) {
	for _, level := range levels {
		dir := atLevel(t, filepath.Join(root, "testdata", "patterns"), level)
		for _, name := range names(t, dir, ".cu") {
			e := readMarkers(t, filepath.Join(dir, name+".cu"))
			if slices.Contains(e.silent, level) {
				e = nil
			}
			t.Run(level+"/"+name, func(t *testing.T) {
				t.Parallel()
				testTwins(t, filepath.Join(dir, name+".racy.yaml"), filepath.Join(dir, name+".fixed.yaml"), e, name)
			})
		}
	}
}

// TestExamples: the same for the examples.
func TestExamples(t *testing.T) {
	for _, file := range launchFiles(t, "examples/*/racy.yaml") {
		dir := filepath.Dir(file)
		name := filepath.Base(dir)
		e := readMarkers(t, exampleSource(dir))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testTwins(t, filepath.Join(dir, "racy.yaml"), filepath.Join(dir, "fixed.yaml"), e, "examples/"+name)
		})
	}
}

// exampleSource is the source of an example: CUDA C++, or Python if it is written in Triton.
func exampleSource(dir string) string {
	if python := filepath.Join(dir, "kernel.py"); exists(python) {
		return python
	}
	return filepath.Join(dir, "kernel.cu")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// testTwins runs a program with a defect and its repaired twin; without an expectation both are
// clean.
func testTwins(t *testing.T, racy, fixed string, e *expected, name string) {
	racyProgram, fixedProgram := load(t, racy), load(t, fixed)
	for _, g := range granularities {
		seen := newLinesSeen()
		list := seeds(2)
		if e != nil && e.any {
			list = anySeeds
		}
		for _, seed := range list {
			o := racyProgram.run(t, device.Options{Granularity: g, Seed: seed})
			where := fmt.Sprintf("%s granularity, seed %d", granularityFlag(g), seed)
			if e == nil {
				if err := o.clean(); err != nil {
					t.Errorf("racy, optimised away, %s: %v", where, err)
				}
				continue
			}
			if !e.any {
				seen = newLinesSeen()
			}
			seen.add(e.file, o)
			for _, problem := range append(e.compare(seen, name, !e.any), badAdvice(name, o)...) {
				t.Errorf("racy, %s: %s%s", where, problem, listing(o))
			}
		}
		if e != nil && e.any {
			for _, problem := range e.compare(seen, name, true) {
				t.Errorf("racy, %s granularity, seeds %v: %s", granularityFlag(g), list, problem)
			}
		}
		for _, seed := range seeds(2) {
			o := fixedProgram.run(t, device.Options{Granularity: g, Seed: seed})
			if err := o.clean(); err != nil {
				t.Errorf("fixed, %s granularity, seed %d: %v", granularityFlag(g), seed, err)
			}
		}
	}
}

// anySeeds are those of which one at least shows a defect that depends on the order of events.
var anySeeds = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}

func listing(o *outcome) string {
	var b strings.Builder
	for _, f := range o.Findings {
		fmt.Fprintf(&b, "\n  %s", describe(f.Finding))
	}
	if !o.Complete {
		fmt.Fprintf(&b, "\n  stopped: %s", o.Stopped)
	}
	return b.String()
}

// linesSeen are the lines of the source that findings name; 0 is a finding without a line.
type linesSeen map[mark]map[int]bool

func newLinesSeen() linesSeen { return linesSeen{} }

func (s linesSeen) add(file string, o *outcome) {
	for _, f := range o.Findings {
		m := mark{f.Kind, f.Severity}
		if s[m] == nil {
			s[m] = map[int]bool{}
		}
		for _, a := range f.Accesses {
			s[m][lineIn(file, a.Source)] = true
		}
		for _, w := range f.Waits {
			s[m][lineIn(file, w.Source)] = true
		}
		if len(f.Accesses) == 0 && len(f.Waits) == 0 {
			s[m][0] = true // it has no place
		}
	}
}

// lineIn is the line of the innermost place in a file, 0 if there is none.
func lineIn(file string, s kernel.Source) int {
	for _, place := range append([]kernel.Source{s}, s.InlinedAt...) {
		if filepath.Base(place.File) == file {
			return place.Line
		}
	}
	return 0
}

// compare lists how findings differ from the markers: what they miss, if all shall be there, and
// what no marker explains.
func (e *expected) compare(seen linesSeen, name string, all bool) (problems []string) {
	for m, want := range e.lines {
		for _, line := range want {
			if all && !seen[m][line] {
				problems = append(problems, fmt.Sprintf("no %v at %s:%d", m, e.file, line))
			}
		}
	}
	for m := range e.kinds {
		if _, ok := seen[m]; all && !ok {
			problems = append(problems, fmt.Sprintf("no %v", m))
		}
	}
	for m, lines := range seen {
		for line := range lines {
			if !e.kinds[m] && !e.explains(m, line) && !isConsequence(name, m, line) {
				problems = append(problems, fmt.Sprintf("%v at %s:%d: nothing explains it", m, e.file, line))
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// explains reports whether a marker stands for a finding at a line. Where races are errors, some of
// them may be warnings: two threads happen to write the same value.
func (e *expected) explains(m mark, line int) bool {
	return slices.Contains(e.lines[m], line) ||
		m == mark{kernel.DataRace, kernel.Warning} && slices.Contains(e.lines[mark{kernel.DataRace, kernel.Error}], line)
}

// consequence is what a defect may bring about beside the findings that its markers name: a value
// that came too late is wrong, or was never written.
type consequence struct {
	kind  kernel.Kind
	lines []int // of which the findings may name any
}

// consequences are all that the test accepts, by pattern or example.
var consequences = map[string][]consequence{
	"A_wait_without_barrier": {{kernel.UninitializedRead, []int{10}}, {kernel.WrongResult, nil}},
	"a_helper_reused":        {{kernel.WrongResult, nil}},
	// Threads that wait at different barriers pass them together, so what the barriers divide races.
	"c_branch_around_barrier": {{kernel.DataRace, []int{11, 14}}, {kernel.WrongResult, nil}},
	"c_break_around_barrier":  {{kernel.DataRace, []int{17, 19}}, {kernel.WrongResult, nil}},
	"e_count_too_small":       {{kernel.UninitializedRead, []int{11}}, {kernel.WrongResult, nil}},
	"f_arrive_without_sync":   {{kernel.UninitializedRead, []int{13}}},
	"g_flag_reset":            {{kernel.WrongResult, nil}},
	"h_lockstep":              {{kernel.UninitializedRead, []int{9}}, {kernel.WrongResult, nil}},
	"q_halo_not_written":      {{kernel.WrongResult, nil}},
	"u_misaligned_vector":     {{kernel.WrongResult, nil}},
	"w_race_optimised_away":   {{kernel.WrongResult, nil}},
	"x_local_out_of_bounds":   {{kernel.WrongResult, nil}},

	"examples/bitonic_sort": {{kernel.WrongResult, nil}},
	"examples/histogram":    {{kernel.UninitializedRead, []int{13}}, {kernel.WrongResult, nil}},
	"examples/reduction":    {{kernel.DataRace, []int{13, 19}}},
	"examples/scan":         {{kernel.WrongResult, nil}},
	"examples/transpose":    {{kernel.UninitializedRead, []int{13}}, {kernel.WrongResult, nil}},
}

func isConsequence(name string, m mark, line int) bool {
	for _, c := range consequences[name] {
		if c.kind == m.kind && (line == 0 && c.lines == nil || slices.Contains(c.lines, line)) {
			return true
		}
	}
	return false
}
