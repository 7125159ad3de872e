package suite

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gpusim/device"
	engine "gpusim/exec"
	"gpusim/kernel"
)

// launchFiles are the launch files of a folder below the root, at level O2 where there are several.
func launchFiles(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("nothing matches %s", pattern)
	}
	return list
}

// short names a launch file in the tests.
func short(file string) string {
	return strings.TrimPrefix(filepath.ToSlash(file), root+"/")
}

// TestSameSeedSameReport: a seed stands for one report, byte for byte, whatever the number of
// processors, in this process and in others.
func TestSameSeedSameReport(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	tool := buildTool(t)
	files := slices.Concat(launchFiles(t, "testdata/patterns/*.racy.yaml"), launchFiles(t, "examples/*/racy.yaml"), launchFiles(t, "testdata/idioms/*.yaml"))
	if testing.Short() {
		files = files[:20]
	}
	distinct := map[string]bool{}
	for i, file := range files {
		g, seed := granularities[i%2], uint64(i%10+1)
		for range 2 { // both granularities, if all is asked for
			p := load(t, file)
			first := p.run(t, device.Options{Granularity: g, Seed: seed})
			for processors := 1; processors <= 2; processors++ {
				runtime.GOMAXPROCS(processors)
				if again := load(t, file).run(t, device.Options{Granularity: g, Seed: seed}); !bytes.Equal(again.json, first.json) {
					t.Errorf("%s, %s granularity, seed %d: the report differs in the same process\n%s", short(file), granularityFlag(g), seed, difference(first.json, again.json))
				}
			}
			cmd := exec.Command(tool, "check", "--format", "json", "--granularity", granularityFlag(g), "--seed", fmt.Sprint(seed), file)
			cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", i%2+1))
			out, _ := cmd.Output() // its status is 1 where there are findings
			if !bytes.Equal(out, first.json) {
				t.Errorf("%s, %s granularity, seed %d: the report differs in another process\n%s", short(file), granularityFlag(g), seed, difference(first.json, out))
			}
			distinct[string(first.json)] = true
			if !long {
				break
			}
			g = granularities[(i+1)%2]
		}
	}
	if len(distinct) < len(files)/2 {
		t.Errorf("%d files have %d different reports: the test compares nothing", len(files), len(distinct))
	}
}

// difference shows the first line in which two texts differ.
func difference(a, b []byte) string {
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("  line %d: %s\n  line %d: %s", i+1, x[i], i+1, y[i])
		}
	}
	return fmt.Sprintf("  %d and %d lines", len(x), len(y))
}

// TestSchedulesGiveEqualMemory: what a race-free kernel leaves in memory depends neither on the seed,
// nor on the policy, nor on the granularity.
func TestSchedulesGiveEqualMemory(t *testing.T) {
	files := slices.Concat(launchFiles(t, "testdata/corpus/*.yaml"), launchFiles(t, "testdata/idioms/*.yaml"),
		launchFiles(t, "testdata/patterns/*.fixed.yaml"), launchFiles(t, "examples/*/fixed.yaml"))
	for _, file := range files {
		t.Run(short(file), func(t *testing.T) {
			t.Parallel()
			p := load(t, file)
			first := p.run(t, device.Options{Seed: 1})
			equal := true
			for _, g := range granularities {
				for _, o := range []device.Options{{Seed: 1, Schedule: "rr"}, {Seed: 2}, {Seed: 3}} {
					o.Granularity = g
					other := p.run(t, o)
					if name := sameMemory(first, other); name != "" {
						equal = false
						if !chosenByTheSchedule[short(file)] {
							t.Errorf("%s granularity, schedule %q, seed %d: %s differs", granularityFlag(g), o.Schedule, o.Seed, name)
						}
					}
				}
			}
			if equal && chosenByTheSchedule[short(file)] {
				t.Error("its memory does not depend on the schedule")
			}
		})
	}
}

// chosenByTheSchedule are race-free programs that store which thread came first.
var chosenByTheSchedule = map[string]bool{
	"testdata/idioms/store_buffering.yaml":    true, // which block enters
	"testdata/idioms/volatile_warp_tail.yaml": true, // whose sum counts
}

// TestGranularitiesFindTheSameRaces: a race is told at the same two lines whether a warp or a thread
// is what runs.
func TestGranularitiesFindTheSameRaces(t *testing.T) {
	files := slices.Concat(launchFiles(t, "testdata/patterns/*.racy.yaml"), launchFiles(t, "examples/*/racy.yaml"))
	races := 0
	for _, file := range files {
		source := strings.TrimSuffix(file, "racy.yaml") + "cu"
		if filepath.Base(file) == "racy.yaml" {
			source = exampleSource(filepath.Dir(file))
		}
		if readMarkers(t, source).any {
			continue // which lines race depends on who comes first
		}
		p := load(t, file)
		for _, seed := range seeds(3) {
			warp := racingLines(p.run(t, device.Options{Seed: seed}))
			thread := racingLines(p.run(t, device.Options{Seed: seed, Granularity: engine.ByThread}))
			races += len(warp)
			if !slices.Equal(warp, thread) {
				t.Errorf("%s, seed %d:\n  by warp   %q\n  by thread %q", short(file), seed, warp, thread)
			}
		}
	}
	if races == 0 {
		t.Error("there are no races")
	}
}

// racingLines are the pairs of racing lines, each once.
func racingLines(o *outcome) (pairs []string) {
	for _, f := range o.Findings {
		if f.Kind != kernel.DataRace {
			continue
		}
		var lines []string
		for _, a := range f.Accesses {
			lines = append(lines, fmt.Sprintf("%s %s:%d", a.Op, a.Source.File, a.Source.Line))
		}
		slices.Sort(lines)
		pairs = append(pairs, f.Object+": "+strings.Join(lines, ", "))
	}
	slices.Sort(pairs)
	return slices.Compact(pairs)
}

// buildTool builds the command and returns its path.
func buildTool(t *testing.T, flags ...string) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "gpusim")
	if out, err := exec.Command("go", slices.Concat([]string{"build", "-o", tool}, flags, []string{"gpusim/cmd/gpusim"})...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return tool
}
