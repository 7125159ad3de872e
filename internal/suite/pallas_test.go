package suite

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpusim/device"
	"gpusim/kernel"
	"gpusim/launch"
	"gpusim/pallas"
	"gpusim/tensor"
)

// In a kernel.py of examples/pallas, a comment
//
//	# KIND [warning|info]: VARIANT, VARIANT; KIND: VARIANT
//
// says which findings of which variants have an access or a waiting thread at its line.
var variantMarker = regexp.MustCompile(`^ *([a-z]+-[a-z-]+|deadlock)( warning| info)?: *(\w+(?:, *\w+)*) *$`)

// readVariants returns what the markers of a kernel.py say of each of its variants.
func readVariants(t *testing.T, path string, variants []string) map[string]*expected {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*expected{}
	for _, v := range variants {
		all[v] = &expected{file: filepath.Base(path), lines: map[mark][]int{}, kinds: map[mark]bool{}}
	}
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "# ")
		if !ok {
			continue
		}
		for _, part := range strings.Split(comment, ";") {
			m := variantMarker.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			k, ok := parseMark(m[1] + m[2])
			for v := range strings.SplitSeq(m[3], ",") {
				if e := all[strings.TrimSpace(v)]; ok && e != nil {
					e.lines[k] = append(e.lines[k], i+1)
				} else {
					t.Errorf("%s:%d: bad marker %q", path, i+1, part)
				}
			}
		}
	}
	return all
}

// runPallas runs a program as `gpusim check` does.
func (p *program) runPallas(t *testing.T, seed uint64, settings pallas.Settings) *outcome {
	t.Helper()
	out := &outcome{memory: map[string][]byte{}}
	r, err := p.prepared.Run(launch.Options{Seed: seed, Pallas: settings,
		NewDevice: func(seed uint64) (launch.Device, error) { return device.New(device.Options{Seed: seed}) },
		Output:    func(name string, data []byte) { out.memory[name] = data },
	})
	if err != nil {
		t.Fatalf("%s, seed %d: %v", p.file, seed, err)
	}
	out.Result = r
	return out
}

// TestPallasExamples: every variant of the kernels of examples/pallas is reported for its reason at
// its lines, the fixed ones are silent and right, however late the asynchronous operations complete, and
// would compile for a GPU: JAX lowers them all (python/tests/test_examples.py).
func TestPallasExamples(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "examples", "pallas", "*", "kernel.py"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no examples", err)
	}
	for _, source := range sources {
		dir := filepath.Dir(source)
		variants := names(t, dir, ".json")
		for name, e := range readVariants(t, source, variants) {
			t.Run(filepath.Base(dir)+"/"+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(dir, name+".json")
				if name == "fixed" {
					testFixedPallas(t, file, e)
				} else {
					testRacyPallas(t, file, e)
				}
			})
		}
	}
}

func testFixedPallas(t *testing.T, file string, e *expected) {
	if len(e.lines) > 0 {
		t.Errorf("markers for what is fixed: %v", e.lines)
	}
	p := load(t, file)
	for _, completion := range pallas.Completions {
		for _, seed := range seeds(3) {
			o := p.runPallas(t, seed, pallas.Settings{Completion: completion, Lint: true})
			if err := o.clean(); err != nil {
				t.Errorf("completion %s, seed %d: %v", completion, seed, err)
			} else if err := compareResult(file, o.memory); err != nil {
				t.Errorf("completion %s, seed %d: %v", completion, seed, err)
			}
		}
	}
}

func testRacyPallas(t *testing.T, file string, e *expected) {
	if len(e.lines) == 0 {
		t.Fatal("no marker says what is wrong with it")
	}
	p := load(t, file)
	all := newLinesSeen()
	for seed := range uint64(6) { // some findings depend on the order of the threads
		o := p.runPallas(t, seed+1, pallas.Settings{})
		seen := newLinesSeen()
		for _, s := range []linesSeen{seen, all} {
			s.add(e.file, o)
			for m, lines := range s {
				if len(lines) > 1 {
					delete(lines, 0) // the end of a kernel has no place
				} else if lines[0] {
					delete(s, m)
				}
			}
		}
		for _, problem := range e.compare(seen, "", false) {
			t.Errorf("seed %d: %s%s", seed+1, problem, listing(o))
		}
	}
	for _, problem := range e.compare(all, "", true) {
		t.Error(problem)
	}
}

// compareResult compares the first result of a program with what numpy expects of it.
func compareResult(file string, memory map[string][]byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var p struct {
		Devices int
		Buffers []struct {
			Name, DType string
		}
		Results []int
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	result := p.Buffers[p.Results[0]]
	var got []byte
	for d := range p.Devices {
		got = append(got, memory[launch.BufferName(result.Name, d, p.Devices)]...)
	}
	want, err := os.ReadFile(filepath.Join(filepath.Dir(file), "want.bin"))
	if err != nil {
		return err
	}
	d, ok := tensor.FindDType(result.DType)
	if !ok || len(got) != len(want) || len(want) == 0 {
		return fmt.Errorf("%s has %d bytes of type %s, want %d", result.Name, len(got), result.DType, len(want))
	}
	shape := []int{len(want) / d.Size()}
	g, w := tensor.Value{Type: d, Shape: shape, Data: got}, tensor.Value{Type: d, Shape: shape, Data: want}
	for i := range shape[0] {
		if a, b := g.Float(i), w.Float(i); !(math.Abs(a-b) <= 1e-3*(1+math.Abs(b))) {
			return fmt.Errorf("%s[%d] is %v, want %v", result.Name, i, a, b)
		}
	}
	return nil
}

var (
	reportHead  = regexp.MustCompile(`^(error|warning|info)\[([a-z-]+)\]: `)
	reportPlace = regexp.MustCompile(`^  --> kernel\.py:(\d+) `)
)

// TestPallasReports: the reports beside the programs name the findings and lines of the markers. Which
// of them they name, and with which words, is up to examples/reports.py: it depends on the schedule.
func TestPallasReports(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "examples", "pallas", "*", "kernel.py"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no examples", err)
	}
	for _, source := range sources {
		dir := filepath.Dir(source)
		for name, e := range readVariants(t, source, names(t, dir, ".json")) {
			file := filepath.Join(dir, name+".txt")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
				continue
			}
			if name == "fixed" && !strings.HasPrefix(string(text), "no findings") {
				t.Errorf("%s has findings", file)
			}
			var m mark
			places := 0
			for line := range strings.SplitSeq(string(text), "\n") {
				if head := reportHead.FindStringSubmatch(line); head != nil {
					m = mark{kernel.Kind(head[2]), kernel.Error}
					m.severity = launch.Severities[head[1]]
				}
				if place := reportPlace.FindStringSubmatch(line); place != nil {
					places++
					if n, err := strconv.Atoi(place[1]); err != nil || !slices.Contains(e.lines[m], n) {
						t.Errorf("%s: no marker for %v at line %s; examples/reports.py renews it", file, m, place[1])
					}
				}
			}
			if name != "fixed" && places == 0 {
				t.Errorf("%s has no findings", file)
			}
		}
	}
}
